/* Places in the file; see emit_rows.h. */
#include "emit_rows.h"
#include "emit_field.h"
#include "out.h"

bool emit_rows;

/* Kernels have theirs always. */
static bool
has_idx(enum ev_kind kind)
{
	return kind == EV_RANGE || kind == EV_CALL || kind == EV_COPY ||
	       kind == EV_SET;
}

static bool
has_name_no(enum ev_kind kind)
{
	return kind == EV_OS || kind == EV_CALL || EV_IS_GPU(kind);
}

int
emit_rows_names(enum ev_kind kind, const char **names)
{
	int n = 0;

	if (emit_rows && has_idx(kind))
		names[n++] = "idx";
	if (emit_rows && has_name_no(kind))
		names[n++] = "name_no";
	if (emit_rows && EV_IS_GPU(kind)) {
		names[n++] = "call_idx";
		names[n++] = "call_ret";
	}
	return n;
}

void
emit_rows_cols(const struct event *ev, const struct event *call)
{
	if (!emit_rows)
		return;
	if (has_idx(ev->kind))
		out_i64(ev->row);
	if (EV_IS_GPU(ev->kind)) {
		emit_num(call != NULL ? call->name : EV_UNSET);
		emit_num(call != NULL ? call->row : EV_UNSET);
		emit_num(call != NULL ? call->call.ret : EV_UNSET);
	} else if (has_name_no(ev->kind))
		emit_num(ev->name);
}
