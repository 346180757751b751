/* Columns by record type; see bind.h. */
#include "bind.h"

#include <stddef.h>

const char *const type_tags[T_N] = { "kern", "copy", "set", "graph", "sync",
	"call", "inst", "range", "os", "over", "cut" };

/* What names the record. */
static const char *const name_col[T_N] = { "short", "kind", NULL, "graph",
	"api", "api", "op", "text", "name", "name", NULL };

void
bind_type(struct bind *k, enum type t, struct rec_type *x)
{
	k->type = x;
	REC_COLS(x, REC_NEED, { &k->start, "start_ns" });
	REC_COLS(x, t == T_CUT ? REC_OPT : REC_NEED, { &k->dur, "dur_ns" });
	REC_COLS(x, REC_OPT, { &k->id, "id" }, { &k->pid, "pid" },
	    { &k->tid, "tid" }, { &k->dev, "dev" }, { &k->src, "src" },
	    { &k->api, "api" }, { &k->api_start, "api_start_ns" },
	    { &k->api_dur, "api_dur_ns" }, { &k->corr, "corr" },
	    { &k->dst, "dst_mem" }, { &k->op_start, "op_start_ns" },
	    { &k->iter, "iter" }, { &k->phase, "phase" },
	    { &k->layer, "layer" }, { &k->op, "op" },
	    { &k->dropped, "dropped" });
	if (name_col[t] != NULL)
		k->name = rec_col(x, name_col[t], REC_OPT);
}
