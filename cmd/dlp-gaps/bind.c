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
	REC_COLS(x, REC_NEED, { &k->start, "start_ns" }, { &k->dur, "dur_ns" });
	REC_COLS(x, REC_OPT, { &k->id, "id" }, { &k->pid, "pid" },
	    { &k->tid, "tid" }, { &k->dev, "dev" }, { &k->src, "src" },
	    { &k->api, "api" }, { &k->api_start, "api_start_ns" },
	    { &k->api_dur, "api_dur_ns" }, { &k->corr, "corr" },
	    { &k->dst, "dst_mem" }, { &k->op_start, "op_start_ns" },
	    { &k->iter, "iter" }, { &k->phase, "phase" },
	    { &k->layer, "layer" }, { &k->op, "op" });
	if (name_col[t] != NULL)
		k->name = rec_col(x, name_col[t], REC_OPT);
}
