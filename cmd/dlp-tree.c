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

struct tree {
	struct smap paths; /* their numbers are the nodes' */
	struct tree_node *v;
	size_t cap;
	struct map op_at; /* op id -> place in op */
	struct tree_op *op;
	size_t n_op, op_cap;
	uint64_t n_late; /* values of an iteration that was over */
	uint64_t n_no_iter, n_no_op;
	struct rec_type *op_type;
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

/* Parents first, so that their numbers are lower. */
static uint32_t
path_node(struct tree *t, const char *s, size_t n)
{
	const char *name = n > 0 ? s : PATH_ALL;
	size_t len = n > 0 ? n : strlen(PATH_ALL);
	uint32_t i = smap_find(&t->paths, name, len), parent = 0;
	size_t k;

	if (i != SMAP_NONE)
		return i;
	if (n > 0)
		parent = path_node(t, s, parent_len(s, n - 1));
	i = smap_put(&t->paths, name, len, NULL);
	ARRAY_GROW(t->v, i, t->cap);
	memset(&t->v[i], 0, sizeof(t->v[i]));
	t->v[i].parent = parent;
	for (k = 0; k < n; k++)
		t->v[i].level += is_layer_end(s, n, k);
	return i;
}

static void
close_cell(struct tree_node *n, struct tree_cell *c)
{
	struct iter_stat *s;
	int64_t v;
	int m;

	for (m = 0; m < NMETRICS; m++) {
		s = &n->stat[m];
		v = m <= M_GPU ? flat_len(&c->flat[m]) : c->sum[m];
		if (n->n_iter == 0 || v < s->min)
			s->min = v;
		if (n->n_iter == 0 || v > s->max)
			s->max = v;
		s->sum = num_add(s->sum, v);
	}
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

/* Adds CPU time of a process, or GPU time of a device (w; key is its number),
 * or v of overhead or idle time, to node i and all above. */
static void
add_time(struct tree *t, uint32_t i, int64_t iter, int metric,
    const struct workrec *w, int64_t key, int64_t v)
{
	struct tree_cell *c;
	struct tree_node *n;

	if (w != NULL)
		v = num_sub(w->end, w->start);
	for (;; i = n->parent) {
		n = &t->v[i];
		c = cell_of(n, iter);
		if (c == NULL) { /* it comes late: it is in the sum, but no
				  * longer in the iteration's value */
			t->n_late += i == 0;
			n->stat[metric].sum = num_add(n->stat[metric].sum, v);
		} else if (w != NULL) {
			flat_add(&c->flat[metric], key, w->start, w->end);
		} else {
			c->sum[metric] = num_add(c->sum[metric], v);
		}
		if (i == 0)
			break;
	}
}

static void
read_op(struct stage *st, struct rec *r)
{
	struct tree *t = st->ctx;
	struct mview name = rec_get(r, COL_name);
	struct tree_op *op;
	uint64_t *at;
	int64_t id;
	bool fresh;

	stage_pass(st, r);
	if (!rec_num(r, COL_op_id, &id))
		return;
	at = map_put(&t->op_at, (uint64_t)id, &fresh);
	if (fresh) {
		ARRAY_GROW(t->op, t->n_op, t->op_cap);
		*at = t->n_op;
		t->op[t->n_op++] = (struct tree_op){ 0 };
	}
	op = &t->op[*at];
	/* the longest path in its name */
	op->node = name.s != NULL
		       ? path_node(t, name.s, parent_len(name.s, name.n))
		       : 0;
	op->eligible = mv_eq(rec_get(r, COL_dl_tc), "yes");
}

/* Reads what records of all types have: times, the iteration, and the op, NULL
 * if it has none that is known. Without dlp-iter all is one iteration; false
 * outside of all, where nothing counts. */
static bool
read_any(struct tree *t, const struct rec *r, struct workrec *w, int64_t *iter,
    struct tree_op **op)
{
	const uint64_t *at;
	int64_t id;

	work_read(w, r);
	*op = NULL;
	if (rec_num(r, COL_op_id, &id)) {
		at = map_get(&t->op_at, (uint64_t)id);
		t->n_no_op += at == NULL;
		*op = at != NULL ? &t->op[*at] : NULL;
	}
	*iter = 0;
	if (!rec_has(r->type, COL_iter) || rec_num(r, COL_iter, iter))
		return true;
	t->n_no_iter++;
	return false;
}

static void
read_inst(struct stage *st, struct rec *r)
{
	struct tree *t = st->ctx;
	struct tree_op *op;
	struct workrec w;
	int64_t iter, v;
	uint32_t node, i;

	stage_pass(st, r);
	if (!read_any(t, r, &w, &iter, &op))
		return;
	if (op != NULL)
		op->seen = true;
	node = op != NULL ? op->node : 0;
	for (i = node;; i = t->v[i].parent) {
		t->v[i].n_call++;
		if (i == 0)
			break;
	}
	if (w.has_dur)
		add_time(t, node, iter, M_CPU, &w, w.has_pid ? w.pid : 0, 0);
	if (rec_num(r, COL_overhead_ns, &v))
		add_time(t, node, iter, M_OVERHEAD, NULL, 0, v);
	if (rec_num(r, COL_idle_ns, &v))
		add_time(t, node, iter, M_IDLE, NULL, 0, v);
}

static void
read_gpu_time(struct stage *st, struct rec *r)
{
	struct tree *t = st->ctx;
	struct tree_op *op;
	struct workrec w;
	int64_t iter;

	stage_pass(st, r);
	if (!read_any(t, r, &w, &iter, &op))
		return;
	if (op != NULL) {
		op->tc |= mv_eq(rec_get(r, COL_tc), "yes");
		op->eligible |= !rec_has(t->op_type, COL_dl_tc) &&
				mv_eq(rec_get(r, COL_tc_eligible), "yes");
	}
	if (w.has_dur)
		add_time(t, op != NULL ? op->node : 0, iter, M_GPU, &w,
		    w.has_dev ? w.dev : 0, 0);
}

static void
put_group(const struct tree *t, uint32_t i)
{
	const struct tree_node *n = &t->v[i];
	const char *s;
	size_t len;
	int m;

	if (n->n_iter == 0) /* ops that did not run */
		return;
	out_rec(t->group);
	s = smap_str(&t->paths, i, &len);
	out_raw(s, len);
	out_i64(n->level);
	if (i > 0) {
		s = smap_str(&t->paths, n->parent, &len);
		out_raw(s, len);
	} else {
		out_unset();
	}
	out_i64((int64_t)n->n_call);
	out_i64((int64_t)n->n_op);
	out_i64((int64_t)n->n_eligible);
	out_i64((int64_t)n->n_tc);
	out_i64((int64_t)n->n_iter);
	for (m = 0; m < NMETRICS; m++) {
		const struct iter_stat *x = &n->stat[m];

		out_i64(x->sum);
		out_f64(true, (double)x->sum / (double)n->n_iter, 1);
		out_i64(x->min);
		out_i64(x->max);
	}
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
finish_tree(struct stage *st)
{
	struct tree *t = st->ctx;
	struct tree_path *v = xcalloc(t->paths.n + 1, sizeof(*v));
	const struct tree_op *op;
	uint32_t i, k;

	for (i = 0; i < t->paths.n; i++)
		for (k = 0; k < 2; k++)
			if (t->v[i].cell[k].used)
				close_cell(&t->v[i], &t->v[i].cell[k]);
	for (op = t->op; op < t->op + t->n_op; op++)
		for (k = op->node; op->seen; k = t->v[k].parent) {
			t->v[k].n_op++;
			t->v[k].n_eligible += op->eligible;
			t->v[k].n_tc += op->tc;
			if (k == 0)
				break;
		}
	if (t->group == NULL)
		t->group = out_type_reg("group", "dlp-tree");
	for (i = 0; i < t->paths.n; i++)
		v[i] = (struct tree_path){ smap_str(&t->paths, i, NULL), i };
	qsort(v, t->paths.n, sizeof(*v), by_path);
	for (i = 0; i < t->paths.n; i++)
		put_group(t, v[i].node);
	free(v);
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

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "tree_without_iter",
		"tree_without_op", "tree_late", "tree_clipped", NULL };
	static struct tree t;
	struct stage st;
	int rc;

	stage_start(&st, "dlp-tree", NULL, argc, argv);
	st.ctx = &t;
	st.section = begin_tree;
	st.end = finish_tree;
	t.op_type =
	    stage_on(&st, "op", read_op, .need = "op_id name", .opt = "dl_tc");
	stage_on(&st, "inst", read_inst,
	    .need = "op_id start_ns dur_ns overhead_ns idle_ns",
	    .opt = "pid iter");
	stage_on(&st, "kern", read_gpu_time, .need = "op_id start_ns dur_ns",
	    .opt = "dev iter tc tc_eligible");
	stage_on(&st, "copy set graph", read_gpu_time,
	    .need = "op_id start_ns dur_ns", .opt = "dev iter");
	stage_anew(&st, notes);
	rc = stage_run(&st);
	forget_tree(&t);
	return out_finish(rc);
}
