/*
 * The op of calls and GPU work; see emit_op.h. The columns are all those of
 * dlp-correlate, so that everything behind it finds them.
 */
#include <string.h>

#include "emit_field.h"
#include "emit_op.h"
#include "out.h"
#include "run.h"

static const struct work_op none = { EV_UNSET, EV_UNSET, EV_UNSET, NULL, NULL,
	true };
static struct work_op cur;
static bool with_ops;

void
emit_op_open(bool ops)
{
	with_ops = ops;
	cur = none;
}

int
emit_op_names(const char *tag, const char **names)
{
	static const char *const cols[] = { "op_id", "inst_id", "op_start_ns",
		"mod", "op", "dir", "seq", "altseq", "sub", "layer", "phase",
		"phase_by", "why" };
	static const char *const of_range[] = { "level", "layer" };
	static const char *const tags[] = { "kern", "copy", "set", "sync",
		"graph", "call" };
	int n = (int)(sizeof(cols) / sizeof(cols[0]));
	size_t i;

	if (!with_ops)
		return 0;
	if (strcmp(tag, "range") == 0) {
		memcpy(names, of_range, sizeof(of_range));
		return 2;
	}
	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (strcmp(tag, tags[i]) == 0) {
			memcpy(names, cols, sizeof(cols));
			if (i == 0)
				names[n++] = "tc";
			return n;
		}
	return 0;
}

void
emit_op_of(struct profile *p, const struct event *ev)
{
	if (!p->dialect->work(p->ctx, ev, &cur))
		cur = none;
}

void
emit_op_cols(const struct event *ev)
{
	if (!with_ops)
		return;
	emit_num(cur.op_id);
	emit_num(cur.inst_id);
	emit_num(cur.op_start);
	out_unset();
	emit_word(cur.op);
	emit_word(cur.dir);
	out_unsets(6);
	emit_word(cur.none ? "no-range" : NULL);
	if (ev->kind == EV_KERN)
		emit_word(ev->gpu.own.tc == EV_UNSET ? NULL
			  : ev->gpu.own.tc           ? "yes"
						     : "no");
}

void
emit_op_range(const struct event *ev)
{
	const char *s = ev->range.layer;

	if (!with_ops)
		return;
	emit_num(ev->range.level);
	out_text(s, s != NULL ? strlen(s) : 0);
}
