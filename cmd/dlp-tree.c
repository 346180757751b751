/*
 * dlp-tree: passes a stream on and adds the tree of its ops' names: group
 * records, one per path, rolled up from all that is below it.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "ivl.h"
#include "map.h"
#include "num.h"
#include "stage.h"
#include "words.h"
#include "workrec.h"

static const char usage[] =
    "usage: dlp-tree [-u] [FILE]\n"
    "\n"
    "Adds up the layers of a network: adds a group record for each path that\n"
    "names of ops begin with, and one for the whole model, to a dlp stream.\n"
    "\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        this text\n"
    "  -V, --version     the version\n";

#define PATH_ALL "_CompleteModel_"

enum { M_CPU, M_GPU, M_OVERHEAD, M_IDLE, NMETRICS };

struct iter_stat { /* ns, over iterations */
	int64_t sum, min, max;
};

struct tree_cell { /* an iteration that goes on */
	bool used;
	int64_t iter;
	int64_t sum[NMETRICS]; /* overhead, idle */
	struct flat flat[2];   /* CPU by process, GPU by device */
};

/* A path that ends in '/', and its times. Node 0 is the whole model; it is the
 * parent of those that have no other. */
struct tree_node {
	uint32_t parent; /* a lower number; of node 0 itself */
	int level;       /* '/' in the path */
	uint64_t n_call, n_op, n_eligible, n_tc, n_iter;
	struct iter_stat stat[NMETRICS];
	struct tree_cell cell[2]; /* two iterations in a row */
};

struct tree_op { /* what counts of it once */
	uint32_t node;
	bool seen; /* it ran */
	bool eligible, tc;
};

struct tree_gpu { /* a type of GPU work */
	struct workrec_cols cols;
	struct rec_col *op_id;
	struct rec_col *tc, *eligible; /* kern only; NULL */
};

struct tree {
	struct smap paths; /* their numbers are the nodes' */
	struct tree_node *v;
	size_t cap;
	struct map op_at; /* op id -> place in op */
	struct tree_op *op;
	size_t n_op, op_cap;
	uint64_t n_late; /* values of an iteration that was over */
	uint64_t n_no_iter, n_no_op;
	struct {
		struct rec_col *op_id, *name, *eligible;
	} ops;
	struct {
		struct workrec_cols cols;
		struct rec_col *op_id, *overhead, *idle;
	} inst;
	struct tree_gpu kern, copy, set, graph;
	struct out_type *group;
};

/* The path s[0..n) without its last component; 0: the whole model. */
static size_t
parent_len(const char *s, size_t n)
{
	size_t len = n;

	while (n > 0 && !is_layer_end(s, len, n - 1))
		n--;
	return n;
}

static int
count_slashes(const char *s, size_t n)
{
	int level = 0;
	size_t i;

	for (i = 0; i < n; i++)
		level += is_layer_end(s, n, i);
	return level;
}

/* Parents first, so that their numbers are lower. */
static uint32_t
path_node(struct tree *t, const char *s, size_t n)
{
	const char *name = n > 0 ? s : PATH_ALL;
	size_t len = n > 0 ? n : strlen(PATH_ALL);
	uint32_t i = smap_find(&t->paths, name, len), parent = 0;

	if (i != SMAP_NONE)
		return i;
	if (n > 0)
		parent = path_node(t, s, parent_len(s, n - 1));
	i = smap_put(&t->paths, name, len, NULL);
	ARRAY_GROW(t->v, i, t->cap);
	memset(&t->v[i], 0, sizeof(t->v[i]));
	t->v[i].parent = parent;
	t->v[i].level = count_slashes(s, n);
	return i;
}

/* The node of an op's name: the longest path in it. */
static uint32_t
node_of_op(struct tree *t, const char *name, size_t n)
{
	return path_node(t, name, parent_len(name, n));
}

static void
add_stat(struct iter_stat *s, int64_t v, bool first)
{
	if (first || v < s->min)
		s->min = v;
	if (first || v > s->max)
		s->max = v;
	s->sum = num_add(s->sum, v);
}

static void
close_cell(struct tree_node *n, struct tree_cell *c)
{
	int m;

	for (m = 0; m < NMETRICS; m++)
		add_stat(&n->stat[m],
		    m <= M_GPU ? flat_len(&c->flat[m]) : c->sum[m],
		    n->n_iter == 0);
	n->n_iter++;
	c->used = false;
	c->sum[M_OVERHEAD] = c->sum[M_IDLE] = 0;
	flat_clear(&c->flat[M_CPU]);
	flat_clear(&c->flat[M_GPU]);
}

/* NULL: the iteration is over. */
static struct tree_cell *
cell_of(struct tree_node *n, int64_t iter)
{
	struct tree_cell *c = &n->cell[iter & 1];

	if (c->used && c->iter < iter)
		close_cell(n, c);
	if (c->used && c->iter > iter)
		return NULL;
	c->used = true;
	c->iter = iter;
	return c;
}

/* What comes late is in the sum, but no longer in the iteration's value. */
static void
add_late(struct tree *t, struct tree_node *n, int metric, int64_t v)
{
	t->n_late += n == t->v;
	n->stat[metric].sum = num_add(n->stat[metric].sum, v);
}

/* CPU time of a process, or GPU time of a device, to node i and all above. */
static void
add_span(struct tree *t, uint32_t i, int64_t iter, int metric, int64_t key,
    const struct workrec *w)
{
	struct tree_cell *c;

	for (;; i = t->v[i].parent) {
		c = cell_of(&t->v[i], iter);
		if (c != NULL)
			flat_add(&c->flat[metric], key, w->start, w->end);
		else
			add_late(
			    t, &t->v[i], metric, num_sub(w->end, w->start));
		if (i == 0)
			break;
	}
}

/* The same of overhead or idle time. */
static void
add_to_node(struct tree *t, uint32_t i, int64_t iter, int metric, int64_t v)
{
	struct tree_cell *c;

	for (;; i = t->v[i].parent) {
		c = cell_of(&t->v[i], iter);
		if (c != NULL)
			c->sum[metric] = num_add(c->sum[metric], v);
		else
			add_late(t, &t->v[i], metric, v);
		if (i == 0)
			break;
	}
}

static void
close_all(struct tree *t)
{
	size_t i;
	int k;

	for (i = 0; i < t->paths.n; i++)
		for (k = 0; k < 2; k++)
			if (t->v[i].cell[k].used)
				close_cell(&t->v[i], &t->v[i].cell[k]);
}

/* A new op, or the one of that id that there was. */
static struct tree_op *
op_with_id(struct tree *t, int64_t id)
{
	bool fresh;
	uint64_t *at = map_put(&t->op_at, (uint64_t)id, &fresh);

	if (!fresh)
		return &t->op[*at];
	ARRAY_GROW(t->op, t->n_op, t->op_cap);
	*at = t->n_op;
	t->op[t->n_op] = (struct tree_op){ 0 };
	return &t->op[t->n_op++];
}

/* Counts the ops that ran in the nodes above them. */
static void
count_ops(struct tree *t)
{
	const struct tree_op *op;
	size_t i;
	uint32_t k;

	for (i = 0; i < t->n_op; i++) {
		op = &t->op[i];
		for (k = op->node; op->seen; k = t->v[k].parent) {
			t->v[k].n_op++;
			t->v[k].n_eligible += op->eligible;
			t->v[k].n_tc += op->tc;
			if (k == 0)
				break;
		}
	}
}

static void
read_op(struct stage *st, struct rec *r)
{
	struct tree *t = st->ctx;
	struct mview name = rec_view(r, t->ops.name);
	struct tree_op *op;
	int64_t id;

	if (rec_i64(r, t->ops.op_id, &id)) {
		op = op_with_id(t, id);
		op->node = name.s != NULL ? node_of_op(t, name.s, name.n) : 0;
		op->eligible = rec_is(r, t->ops.eligible, "yes");
	}
	stage_pass(st, r);
}

/* The record's op, if it has one that is known. */
static struct tree_op *
find_op(struct tree *t, const struct rec *r, const struct rec_col *op_id)
{
	const uint64_t *at;
	int64_t id;

	if (!rec_i64(r, op_id, &id))
		return NULL;
	at = map_get(&t->op_at, (uint64_t)id);
	t->n_no_op += at == NULL;
	return at != NULL ? &t->op[*at] : NULL;
}

/* Without dlp-iter all is one iteration; outside of all, nothing counts. */
static bool
counting_iter(
    struct tree *t, const struct rec *r, const struct rec_col *c, int64_t *iter)
{
	*iter = 0;
	if (c->pos < 0 || rec_i64(r, c, iter))
		return true;
	t->n_no_iter++;
	return false;
}

static void
count_call(struct tree *t, uint32_t i)
{
	for (;; i = t->v[i].parent) {
		t->v[i].n_call++;
		if (i == 0)
			break;
	}
}

static void
read_inst(struct stage *st, struct rec *r)
{
	struct tree *t = st->ctx;
	struct tree_op *op = find_op(t, r, t->inst.op_id);
	uint32_t node = op != NULL ? op->node : 0;
	struct workrec w;
	int64_t iter, v;

	stage_pass(st, r);
	workrec_read(&w, &t->inst.cols, r);
	if (!counting_iter(t, r, t->inst.cols.iter, &iter))
		return;
	if (op != NULL)
		op->seen = true;
	count_call(t, node);
	if (w.has_dur)
		add_span(t, node, iter, M_CPU, w.has_pid ? w.pid : 0, &w);
	if (rec_i64(r, t->inst.overhead, &v))
		add_to_node(t, node, iter, M_OVERHEAD, v);
	if (rec_i64(r, t->inst.idle, &v))
		add_to_node(t, node, iter, M_IDLE, v);
}

static void
read_gpu_time(struct stage *st, struct rec *r)
{
	struct tree *t = st->ctx;
	const struct tree_gpu *k = rec_arg(r);
	struct tree_op *op;
	struct workrec w;
	int64_t iter;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	op = find_op(t, r, k->op_id);
	if (!counting_iter(t, r, k->cols.iter, &iter))
		return;
	if (op != NULL && k->tc != NULL) {
		op->tc |= rec_is(r, k->tc, "yes");
		op->eligible |=
		    t->ops.eligible->pos < 0 && rec_is(r, k->eligible, "yes");
	}
	if (w.has_dur)
		add_span(t, op != NULL ? op->node : 0, iter, M_GPU,
		    w.has_dev ? w.dev : 0, &w);
}

static void
put_path(const struct tree *t, uint32_t i)
{
	size_t n;
	const char *s = smap_str(&t->paths, i, &n);

	out_raw(s, n);
}

static void
put_stats(const struct tree_node *n)
{
	int m;

	for (m = 0; m < NMETRICS; m++) {
		const struct iter_stat *s = &n->stat[m];

		out_i64(s->sum);
		buf_putc(&out_buf, '\t');
		buf_f64(&out_buf, (double)s->sum / (double)n->n_iter, 1);
		out_i64(s->min);
		out_i64(s->max);
	}
}

static void
put_group(const struct tree *t, uint32_t i)
{
	const struct tree_node *n = &t->v[i];

	if (n->n_iter == 0) /* ops that did not run */
		return;
	out_rec(t->group);
	put_path(t, i);
	out_i64(n->level);
	if (i > 0)
		put_path(t, n->parent);
	else
		out_unset();
	out_i64((int64_t)n->n_call);
	out_i64((int64_t)n->n_op);
	out_i64((int64_t)n->n_eligible);
	out_i64((int64_t)n->n_tc);
	out_i64((int64_t)n->n_iter);
	put_stats(n);
	out_end();
}

struct tree_path { /* to sort nodes by their paths' bytes */
	const char *path;
	uint32_t node;
};

static int
by_path(const void *a, const void *b)
{
	const struct tree_path *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void
put_tree(struct tree *t)
{
	struct tree_path *v = xcalloc(t->paths.n + 1, sizeof(*v));
	uint32_t i;

	if (t->group == NULL)
		t->group = out_type_reg("group", "dlp-tree");
	for (i = 0; i < t->paths.n; i++)
		v[i] = (struct tree_path){ smap_str(&t->paths, i, NULL), i };
	qsort(v, t->paths.n, sizeof(*v), by_path);
	for (i = 0; i < t->paths.n; i++)
		put_group(t, v[i].node);
	free(v);
}

static void
finish_tree(struct stage *st)
{
	struct tree *t = st->ctx;

	close_all(t);
	count_ops(t);
	put_tree(t);
	stage_note("tree_without_iter", t->n_no_iter);
	stage_note("tree_without_op", t->n_no_op);
	stage_note("tree_late", t->n_late);
	stage_note("tree_clipped", flat_late);
}

static void
forget_tree(struct tree *t)
{
	size_t i;
	int k;

	for (i = 0; i < t->paths.n; i++)
		for (k = 0; k < 4; k++)
			flat_free(&t->v[i].cell[k / 2].flat[k % 2]);
	free(t->v);
	t->v = NULL;
	t->cap = t->n_op = 0;
	smap_free(&t->paths);
	map_clear(&t->op_at);
	t->n_late = t->n_no_iter = t->n_no_op = 0;
	flat_late = 0;
}

static void
begin_tree(struct stage *st)
{
	struct tree *t = st->ctx;

	forget_tree(t);
	path_node(t, "", 0);
}

static void
listen_gpu(struct stage *st, const char *tag, struct tree_gpu *k)
{
	struct rec_type *t = stage_on(st, tag, read_gpu_time, NULL, k);

	k->op_id = rec_col(t, "op_id", REC_NEED);
	workrec_bind(&k->cols, t, WORKREC_SPAN, WORKREC_DEV | WORKREC_ITER);
}

static void
listen_tree(struct stage *st, struct tree *t)
{
	struct rec_type *op = stage_on(st, "op", read_op, NULL, NULL);
	struct rec_type *inst = stage_on(st, "inst", read_inst, NULL, NULL);

	REC_COLS(
	    op, REC_NEED, { &t->ops.op_id, "op_id" }, { &t->ops.name, "name" });
	t->ops.eligible = rec_col(op, "dl_tc", REC_OPT);
	t->inst.op_id = rec_col(inst, "op_id", REC_NEED);
	workrec_bind(
	    &t->inst.cols, inst, WORKREC_SPAN, WORKREC_PID | WORKREC_ITER);
	REC_COLS(inst, REC_NEED, { &t->inst.overhead, "overhead_ns" },
	    { &t->inst.idle, "idle_ns" });
	listen_gpu(st, "kern", &t->kern);
	listen_gpu(st, "copy", &t->copy);
	listen_gpu(st, "set", &t->set);
	listen_gpu(st, "graph", &t->graph);
	REC_COLS(t->kern.cols.type, REC_OPT, { &t->kern.tc, "tc" },
	    { &t->kern.eligible, "tc_eligible" });
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "tree_without_iter",
		"tree_without_op", "tree_late", "tree_clipped", NULL };
	struct tree t = { 0 };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-tree", usage, NULL, argc, argv);
	st.ctx = &t;
	st.section = begin_tree;
	st.end = finish_tree;
	listen_tree(&st, &t);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	forget_tree(&t);
	free(t.op);
	map_free(&t.op_at);
	return out_finish(rc);
}
