/* See types.h. */
#include <string.h>

#include "err.h"
#include "types.h"

#define WORK "op op.name dir layer phase op.shapes "
#define PLACE "iter corr why"

struct trace_type trace_types[] = {
	{ .tag = "kern",
	    .show = SHOW_GPU,
	    .name = "short",
	    .args = WORK
	    "params flop bytes dtype family role tc tc_why "
	    "name grid block regs smem_bytes dynsmem_bytes node " PLACE },
	{ .tag = "copy",
	    .show = SHOW_GPU,
	    .before = "Memcpy ",
	    .name = "kind",
	    .args = WORK "bytes src_mem dst_mem node " PLACE },
	{ .tag = "set",
	    .show = SHOW_GPU,
	    .before = "Memset",
	    .args = WORK "bytes value mem node " PLACE },
	{ .tag = "graph",
	    .show = SHOW_GPU,
	    .before = "Graph ",
	    .name = "graph",
	    .args = WORK "exec " PLACE },
	{ .tag = "sync",
	    .show = SHOW_SYNC,
	    .before = "Wait ",
	    .name = "kind",
	    .args = WORK "stream event " PLACE },
	{ .tag = "call",
	    .show = SHOW_CPU,
	    .name = "api",
	    .args = WORK "ret n_gpu " PLACE },
	{ .tag = "os", .show = SHOW_CPU, .name = "name", .args = "iter" },
	{ .tag = "lib", .show = SHOW_CPU, .name = "name", .args = "lib iter" },
	{ .tag = "over",
	    .show = SHOW_CPU,
	    .before = "Profiler: ",
	    .name = "name",
	    .args = "iter" },
	{ .tag = "range",
	    .show = SHOW_RANGE,
	    .name = "text",
	    .args = "domain mode end_tid layer phase iter" },
	{ .tag = "inst",
	    .show = SHOW_OP,
	    .name = "op",
	    .args = "op.name dir layer phase op.shapes seq n_kern n_gpu n_call "
		    "gpu_ns overhead_ns api_ns iter" },
	{ .tag = "iter",
	    .show = SHOW_ITER,
	    .before = "iteration ",
	    .name = "iter",
	    .args = "key gpu_ns step_ns kern_ns n_kern n_op" },
	{ .tag = "mark",
	    .show = SHOW_MARK,
	    .name = "text",
	    .args = "domain iter" },
	{ .tag = "diag",
	    .show = SHOW_DIAG,
	    .name = "text",
	    .args = "severity" },
	{ .tag = "mem", .show = SHOW_MEM },
	{ .tag = NULL },
};

static void
add_arg(struct trace_type *t, struct join *j, char *name)
{
	if (t->narg == MAX_ARGS)
		die("too many arguments for %s", t->tag);
	t->arg[t->narg] = join_col(j, t->type, name);
	t->arg[t->narg]->optional = true;
	t->arg_name[t->narg++] =
	    strcmp(name, "op.shapes") == 0 ? "shapes" : name;
}

static void
bind_args(struct trace_type *t, struct join *j)
{
	char *s, *save;

	if (t->args == NULL)
		return;
	s = xstrdup(t->args); /* kept: join_col() does not copy */
	for (s = strtok_r(s, " ", &save); s != NULL;
	     s = strtok_r(NULL, " ", &save))
		add_arg(t, j, s);
}

static void
bind(struct trace_type *t)
{
	t->start = rec_col(t->type, "start_ns", REC_NEED);
	REC_COLS(t->type, REC_OPT, { &t->id, "id" }, { &t->dur, "dur_ns" },
	    { &t->pid, "pid" }, { &t->tid, "tid" }, { &t->dev, "dev" },
	    { &t->ctx, "ctx" }, { &t->stream, "stream" }, { &t->src, "src" },
	    { &t->iter, "iter" }, { &t->api, "api" },
	    { &t->api_start, "api_start_ns" }, { &t->api_dur, "api_dur_ns" },
	    { &t->mode, "mode" }, { &t->bytes, "bytes" }, { &t->what, "op" },
	    { &t->kind, "kind" });
	if (t->name != NULL)
		t->named = rec_col(t->type, t->name, REC_OPT);
}

void
types_listen(struct stage *st, struct join *j, stage_fn *data, stage_fn *legend)
{
	struct trace_type *t;

	for (t = trace_types; t->tag != NULL; t++) {
		t->type = stage_on(st, t->tag, data, legend, NULL);
		bind(t);
		bind_args(t, j);
	}
}

struct trace_type *
types_find(const struct rec_type *type)
{
	struct trace_type *t;

	for (t = trace_types; t->tag != NULL; t++)
		if (t->type == type)
			return t;
	return NULL;
}
