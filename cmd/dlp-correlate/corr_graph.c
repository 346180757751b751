/*
 * CUDA graphs recorded node by node. A node is created while an op runs, and
 * its work belongs to that op, however often the graph is launched. An
 * instantiated node names the node that it was made from; these links are
 * followed to the root. A launch makes one run per captured run, with the
 * launch's id. CPU time counts once, for the launch.
 */
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "nodes.h"

#define CAP_BACK 32 /* captured runs to search */

struct captured_node {
	size_t cap;    /* number in graphs.cap + 1; 0 if unknown */
	uint32_t prim; /* the product in it */
	uint64_t prim_run;
	uint32_t told; /* the collective that it is part of */
	bool early;    /* made before the first range or call */
};

struct captured {      /* a run of an op during which nodes were made */
	uint64_t inst; /* 0 if there is no run, only ranges around the node */
	uint32_t op;
	int phase;
	struct mview layer; /* used if there is no run; own copy */
};

struct capture_graphs { /* of a process */
	struct nodes nodes;
	struct captured_node *node; /* by its number */
	size_t cap_node;
	struct captured *cap;
	size_t n_cap, cap_cap;
};

static size_t
captured(struct capture_graphs *p, struct captured x)
{
	size_t i, n = p->n_cap < CAP_BACK ? p->n_cap : CAP_BACK;
	const struct captured *y;

	for (i = 0; i < n; i++) {
		y = &p->cap[p->n_cap - 1 - i];
		if (x.inst != 0 || y->inst != 0
			? x.inst == y->inst
			: x.phase == y->phase && x.layer.n == y->layer.n &&
			      (x.layer.n == 0 || memcmp(x.layer.s, y->layer.s,
						     x.layer.n) == 0))
			return p->n_cap - i;
	}
	ARRAY_GROW(p->cap, p->n_cap, p->cap_cap);
	if (x.layer.n > 0)
		x.layer.s = memcpy(xmalloc(x.layer.n), x.layer.s, x.layer.n);
	p->cap[p->n_cap] = x;
	return ++p->n_cap;
}

/* Takes a node that the thread makes: in a run of an op, or only in ranges of
 * the program. */
static void
capture(struct corr *c, struct capture_graphs *graphs, struct captured_node *nd,
    struct corr_thread *th)
{
	const struct corr_open *top = thread_top(th);
	struct corr_inst *in = current_inst(c, th);
	struct captured x = { 0 };

	nd->told = top != NULL ? top->told : 0;
	if (in != NULL && top != NULL) { /* a run has a range */
		x.inst = in->id;
		x.op = in->op;
		x.phase = in->phase;
		nd->prim = top->prim;
		nd->prim_run = top->prim_run;
	} else if (top != NULL && top->layer_len > 0) {
		x.layer = (struct mview){ th->layer.s, top->layer_len };
		x.phase = top->phase;
	} else
		return;
	nd->cap = captured(graphs, x);
}

/* An instantiated node has two rows, the first one without an original. The row
 * with an original wins. */
void
graph_node(struct corr *c, struct corr_thread *th, struct corr_proc *proc,
    int64_t id, bool has_orig, int64_t orig)
{
	struct capture_graphs *g = proc->graphs;
	size_t n, no;

	if (g == NULL)
		g = proc->graphs = xcalloc(1, sizeof(*g));
	n = g->nodes.n;
	no = nodes_put(&g->nodes, id);
	if (no == n) {
		ARRAY_GROW(g->node, n, g->cap_node);
		g->node[no] = (struct captured_node){ .early = !proc->begun };
	}
	if (has_orig)
		nodes_link(&g->nodes, no, orig);
	else if (th != NULL && g->node[no].cap == 0)
		capture(c, g, &g->node[no], th);
}

static void
launch_end(struct corr *c, struct launch *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		write_inst(c, l->replay[i]);
	map_clear(&l->of);
	map_clear(&l->hlo_runs);
	l->hlo_at = l->n = 0;
	l->p = NULL;
	c->n_launch -= l->called;
	l->called = false;
}

void
graph_launch_end(struct corr *c, int64_t now)
{
	struct launch *l;

	for (l = c->launch; l < c->launch + LAUNCHES; l++)
		if (l->p != NULL &&
		    (now == INT64_MAX || (l->called && now > l->at)))
			launch_end(c, l);
}

/* The launch that the work belongs to. If the call was not recorded, the work
 * arrives by its time on the GPU, mixed with the work of other launches. */
struct launch *
graph_launch(struct corr *c, const struct corr_work *work)
{
	struct launch *launch, *old = c->launch;

	for (launch = c->launch; launch < c->launch + LAUNCHES; launch++) {
		if (launch->p == work->p && launch->corr == work->corr &&
		    launch->called == work->has_api)
			break;
		if (launch->p == NULL ? old->p != NULL
				      : launch->used < old->used)
			old = launch;
	}
	if (launch == c->launch + LAUNCHES) {
		launch = old;
		if (launch->p != NULL)
			launch_end(c, launch);
		launch->p = work->p;
		launch->corr = work->corr;
		launch->called = work->has_api;
		launch->at = work_launched(work);
		c->n_launch += launch->called;
	}
	launch->used = ++c->launch_used;
	return launch;
}

struct corr_inst *
graph_run(struct corr *c, struct launch *launch, const struct corr_work *work,
    uint64_t key, uint32_t op, int captured_phase)
{
	uint64_t *no = map_put(&launch->of, key, NULL);
	struct corr_inst *in;

	if (*no != 0)
		return launch->replay[*no - 1];
	in = inst_new(&c->insts, work->p, work->th);
	in->replay = true;
	in->id = ++c->insts.n;
	in->op = op;
	in->start = work_launched(work);
	in->phase = phase_now(&c->threads, work->p, work->th, NULL);
	if (in->phase == 0)
		in->phase = captured_phase;
	in->has_launch =
	    work->p->has_launch && work->p->launch_corr == work->corr;
	in->launch_id = work->p->launch_id;
	ARRAY_GROW(launch->replay, launch->n, launch->cap);
	launch->replay[launch->n++] = in;
	*no = launch->n;
	return in;
}

bool
graph_place(struct corr *c, const struct corr_work *work, struct corr_place *pl)
{
	struct capture_graphs *graphs = work->p->graphs;
	const struct captured *cap;
	const struct captured_node *nd;
	size_t root;
	int64_t id;

	pl->captured = YNU_NO;
	if (graphs == NULL ||
	    !nodes_root(&graphs->nodes, work->node, &root, &id))
		return false;
	nd = &graphs->node[root];
	if (!nd->early)
		pl->captured = YNU_YES;
	pl->told = nd->told;
	if (nd->cap == 0)
		return false;
	cap = &graphs->cap[nd->cap - 1];
	if (cap->inst == 0) {
		pl->layer = cap->layer;
		pl->phase = cap->phase;
		return false;
	}
	pl->in = graph_run(
	    c, graph_launch(c, work), work, nd->cap, cap->op, cap->phase);
	pl->prim = nd->prim;
	pl->prim_run = nd->prim_run;
	return true;
}

void
graph_free(struct corr_proc *proc)
{
	struct capture_graphs *graphs = proc->graphs;

	if (graphs == NULL)
		return;
	nodes_free(&graphs->nodes);
	while (graphs->n_cap > 0)
		free((char *)graphs->cap[--graphs->n_cap].layer.s);
	free(graphs->node);
	free(graphs->cap);
	free(graphs);
	proc->graphs = NULL;
}
