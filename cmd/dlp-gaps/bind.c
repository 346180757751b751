/* Columns by record type; see bind.h. */
#include "bind.h"

#include <stddef.h>

const char *const type_tags[T_N] = { "kern", "copy", "set", "graph", "sync",
	"call", "inst", "range", "os", "over" };

/* What names the record. */
static const char *const name_col[T_N] = { "short", "kind", NULL, "graph",
	"api", "api", "op", "text", "name", "name" };

void
bind_type(struct bind *k, enum type t, struct rec_type *x)
{
	k->type = x;
	k->start = rec_col(x, "start_ns", REC_NEED);
	k->dur = rec_col(x, "dur_ns", REC_NEED);
	k->id = rec_col(x, "id", REC_OPT);
	k->pid = rec_col(x, "pid", REC_OPT);
	k->tid = rec_col(x, "tid", REC_OPT);
	k->dev = rec_col(x, "dev", REC_OPT);
	k->src = rec_col(x, "src", REC_OPT);
	k->api = rec_col(x, "api", REC_OPT);
	k->api_start = rec_col(x, "api_start_ns", REC_OPT);
	k->api_dur = rec_col(x, "api_dur_ns", REC_OPT);
	k->corr = rec_col(x, "corr", REC_OPT);
	k->dst = rec_col(x, "dst_mem", REC_OPT);
	k->op_start = rec_col(x, "op_start_ns", REC_OPT);
	k->iter = rec_col(x, "iter", REC_OPT);
	k->phase = rec_col(x, "phase", REC_OPT);
	k->layer = rec_col(x, "layer", REC_OPT);
	k->op = rec_col(x, "op", REC_OPT);
	if (name_col[t] != NULL)
		k->name = rec_col(x, name_col[t], REC_OPT);
}
