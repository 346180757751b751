/*
 * The aggregated half: sums over the selected iterations, by op, kernel name
 * and op type. Memory grows with the number of ops and of kernel names in ops.
 *
 * Kernels by op and iteration, and the selected kernels, are kept until the
 * end. Memory holds a limited number of them; then all go to disk. A pair that
 * occurs again gets another number, and the sums of all its numbers are added
 * at the end.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "db.h"
#include "err.h"
#include "spill.h"
#include "xsort.h"

/* The sums of the model summary. */
struct db_category {
	int64_t cpu, gpu, overhead, idle, count;
};
struct db_totals {
	struct db_category all, eligible, tc, other;     /* ops */
	struct db_category kerns, kerns_tc, kerns_other; /* names */
	struct db_category memory;                       /* names of calls */
	int64_t eligible_kern_ns; /* kernels in ops that are eligible */
};

/* Kernels of an iteration. */
struct iter_sum {
	int64_t n, n_tc, ns, tc_ns;
};

struct agg_kern { /* a kernel as it is stored on disk */
	int64_t id;
	uint64_t pair; /* one of the numbers of its pair */
};

#define AGG_CACHE 4096

struct agg_metric { /* a row of the table metric; id 0 if not written yet */
	struct db_metric m;
	double avg;
	int64_t id;
};

struct db_agg {
	struct map pair; /* op << 32 | iteration -> number in pairs, from 1 */
	struct agg_pair *pairs;
	size_t n_pairs, cap_pairs, max_pairs;
	uint64_t first_pair; /* the number of pairs[0] among all pairs, from
			      * 0 */
	struct xsort old;    /* earlier pairs, by op and iteration */
	bool any_old;
	struct map iter; /* iteration -> number in iters, from 1 */
	struct iter_sum *iters;
	size_t n_iters, cap_iters;
	struct db_category memory;
	struct smap names, tc_names, mem_names;
	int fd;                             /* -1 until it is needed */
	struct agg_metric cache[AGG_CACHE]; /* rows that were written
					     * recently */
	struct agg_kern *held;
	size_t n_held, cap_held, max_held;
};

struct agg_pair { /* the kernels of an op in an iteration */
	int64_t op, iter;
	struct iter_sum s;
	uint64_t no; /* its number among all pairs, from 0 */
};

/* Kernels by op and iteration. */

static int
cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Compares op and iteration, with which a pair begins. */
static int
cmp_pair(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	int64_t x[2], y[2];

	(void)ctx, (void)an, (void)bn;
	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return x[0] != y[0] ? cmp_i64(x[0], y[0]) : cmp_i64(x[1], y[1]);
}

static int
cmp_no(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	int64_t x, y;

	(void)ctx, (void)an, (void)bn;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return cmp_i64(x, y);
}

/* The memory of a pair is its place, room to grow_held and its entry in the
 * map. */
static void
agg_kern_start(struct db_agg *a, size_t bytes)
{
	a->max_pairs = bytes / 4 / (2 * sizeof(struct agg_pair) + 48);
	if (a->max_pairs == 0)
		a->max_pairs = 1;
	xsort_open(&a->old, cmp_pair, NULL, bytes / 4);
	a->max_held = bytes / 4 / (sizeof(*a->held));
	if (a->max_held == 0)
		a->max_held = 1;
}

/* Writes all pairs to disk. */
static void
put_old(struct db_agg *a)
{
	size_t i;

	for (i = 0; i < a->n_pairs; i++)
		xsort_put(&a->old, &a->pairs[i], 2 * sizeof(int64_t),
		    &a->pairs[i], sizeof(a->pairs[i]));
	a->any_old = true;
	a->first_pair += a->n_pairs;
	a->n_pairs = 0;
	map_clear(&a->pair);
}

static void
flush_held(struct db_agg *a)
{
	const char *p = (const char *)a->held;
	size_t left = a->n_held * sizeof(*a->held);
	ssize_t n;

	if (a->fd < 0)
		a->fd = temp_fd();
	while (left > 0) {
		n = write(a->fd, p, left);
		if (n < 0 && errno != EINTR)
			die_errno("temporary file");
		if (n > 0) {
			p += n;
			left -= (size_t)n;
		}
	}
	a->n_held = 0;
}

static void
add_time(struct iter_sum *s, const struct db_work *w)
{
	int64_t ns = num_sub(w->end, w->start);

	s->n++;
	s->ns = num_add(s->ns, ns);
	s->n_tc += w->tc;
	if (w->tc)
		s->tc_ns = num_add(s->tc_ns, ns);
}

static struct iter_sum *
iter_sum_of(struct db_agg *a, int64_t iter)
{
	bool is_new;
	uint64_t *no = map_put(&a->iter, (uint64_t)iter, &is_new);

	if (is_new) {
		ARRAY_GROW(a->iters, a->n_iters, a->cap_iters);
		a->iters[a->n_iters++] = (struct iter_sum){ 0 };
		*no = a->n_iters;
	}
	return &a->iters[*no - 1];
}

static uint64_t
pair_of(struct db_agg *a, int64_t op, int64_t iter)
{
	bool is_new;
	uint64_t *no;

	if (op > UINT32_MAX || iter > UINT32_MAX)
		die("too many ops or iterations");
	if (a->n_pairs == a->max_pairs)
		put_old(a);
	no = map_put(&a->pair, (uint64_t)op << 32 | (uint64_t)iter, &is_new);
	if (is_new) {
		ARRAY_GROW(a->pairs, a->n_pairs, a->cap_pairs);
		a->pairs[a->n_pairs] = (struct agg_pair){ op, iter,
			{ 0, 0, 0, 0 }, a->first_pair + a->n_pairs };
		*no = ++a->n_pairs;
	}
	return *no - 1;
}

static void
grow_held(struct db_agg *a)
{
	a->cap_held = a->cap_held ? a->cap_held * 2 : 4096;
	if (a->cap_held > a->max_held)
		a->cap_held = a->max_held;
	a->held = xrealloc(a->held, a->cap_held, sizeof(*a->held));
}

static void
agg_kern(struct db_halves *d, const struct db_work *w)
{
	struct db_agg *a = d->agg;
	uint64_t pair = pair_of(a, w->op->id, w->iter);
	struct agg_pair *p = &a->pairs[pair];

	add_time(&p->s, w);
	add_time(iter_sum_of(a, w->iter), w);
	if (a->n_held == a->max_held)
		flush_held(a);
	if (a->n_held == a->cap_held)
		grow_held(a);
	a->held[a->n_held++] = (struct agg_kern){ w->id, p->no };
}

static struct iter_sum
agg_iter(const struct db_halves *d, int64_t iter)
{
	static const struct iter_sum none;
	const uint64_t *no = map_get(&d->agg->iter, (uint64_t)iter);

	return no != NULL ? d->agg->iters[*no - 1] : none;
}

/* Sorts by number; the sums of a pair are the same for each of its numbers. */
static void
put_sum(struct xsort *all, struct buf *nos, const struct agg_pair *sum)
{
	size_t i, n = sizeof(sum->no);

	for (i = 0; i < nos->len; i += n)
		xsort_put(all, nos->s + i, n, sum, sizeof(*sum));
	buf_clear(nos);
}

/* Adds up the pairs on disk and sorts them by their numbers. */
static void
add_old(struct db_agg *a)
{
	struct agg_pair p, sum = { -1, -1, { 0, 0, 0, 0 }, 0 };
	struct buf nos = { 0 };
	struct runs_rec r;
	struct xsort all;

	put_old(a);
	xsort_open(&all, cmp_no, NULL, a->old.bound);
	while (xsort_next(&a->old, &r)) {
		memcpy(&p, r.val, sizeof(p));
		if (p.op != sum.op || p.iter != sum.iter) {
			put_sum(&all, &nos, &sum);
			sum = p;
		} else {
			sum.s.n += p.s.n;
			sum.s.n_tc += p.s.n_tc;
			sum.s.ns = num_add(sum.s.ns, p.s.ns);
			sum.s.tc_ns = num_add(sum.s.tc_ns, p.s.tc_ns);
		}
		buf_put(&nos, (const char *)&p.no, sizeof(p.no));
	}
	put_sum(&all, &nos, &sum);
	buf_free(&nos);
	xsort_close(&a->old);
	a->old = all;
	a->first_pair = 0;
}

/* The pair of that number. Kernels' numbers come in the order in which pairs
 * went to disk, as many at a time as memory holds. */
static const struct agg_pair *
pair_no(struct db_agg *a, uint64_t no)
{
	struct runs_rec r;

	while (no >= a->first_pair + a->n_pairs) {
		a->first_pair += a->n_pairs;
		for (a->n_pairs = 0;
		     a->n_pairs < a->max_pairs && xsort_next(&a->old, &r);
		     a->n_pairs++)
			memcpy(&a->pairs[a->n_pairs], r.val, sizeof(*a->pairs));
		if (a->n_pairs == 0)
			die("temporary file: cut off");
	}
	return &a->pairs[no - a->first_pair];
}

static void
put_kernels(
    struct db_halves *d, int64_t aggr, const struct agg_kern *k, size_t n)
{
	const struct agg_pair *p;
	size_t i;

	for (i = 0; i < n; i++) {
		p = pair_no(d->agg, k[i].pair);
		DB_ADD(&d->db, T_KERNEL_ITERATION_NODE, INT64_C(0), aggr,
		    DOMAIN_ID, p->op, k[i].id, p->iter, p->s.n, p->s.n_tc,
		    p->s.ns, p->s.tc_ns);
	}
}

/* Reads kernels back from the file into memory; returns how many there were. */
static size_t
read_held(struct db_agg *a)
{
	size_t have = 0, size = a->max_held * sizeof(*a->held);
	ssize_t n;

	while (have < size &&
	       (n = read(a->fd, (char *)a->held + have, size - have)) != 0) {
		if (n < 0 && errno != EINTR)
			die_errno("temporary file");
		have += n > 0 ? (size_t)n : 0;
	}
	return have / sizeof(*a->held);
}

static void
agg_kern_write(struct db_halves *d, int64_t aggr)
{
	struct db_agg *a = d->agg;
	size_t n;

	if (a->any_old)
		add_old(a);
	if (a->fd < 0) {
		put_kernels(d, aggr, a->held, a->n_held);
	} else {
		flush_held(a);
		if (lseek(a->fd, 0, SEEK_SET) != 0)
			die_errno("temporary file");
		while ((n = read_held(a)) > 0)
			put_kernels(d, aggr, a->held, n);
	}
	a->n_held = 0;
}

void
agg_start(struct db_halves *d)
{
	d->agg = xcalloc(1, sizeof(*d->agg));
	d->agg->fd = -1;
	agg_kern_start(d->agg, d->memory);
}

void
agg_free(struct db_halves *d)
{
	struct db_agg *a = d->agg;

	map_free(&a->pair);
	map_free(&a->iter);
	smap_free(&a->tc_names);
	smap_free(&a->names);
	smap_free(&a->mem_names);
	free(a->held);
	free(a->pairs);
	xsort_close(&a->old);
	free(a->iters);
	if (a->fd >= 0)
		close(a->fd);
	free(a);
}

static void
to_many(struct db_op *op)
{
	int i;

	op->m = xcalloc(N_METRIC, sizeof(*op->m));
	for (i = 0; i < N_METRIC; i++)
		if (op->has & 1u << i)
			metric_add(&op->m[i], op->v[i]);
}

void
agg_run(struct db_halves *d, const struct db_run *u)
{
	struct db_op *op = u->op;
	int i;

	(void)d;
	if (u->iter < 0)
		return;
	if (++op->n_calls == 2)
		to_many(op);
	for (i = 0; i < N_METRIC; i++) {
		if (!u->has[i])
			continue;
		op->v[i] = u->v[i];
		op->has |= 1u << i;
		if (op->m != NULL)
			metric_add(&op->m[i], u->v[i]);
	}
}

static struct kern_sum *
kern_of(struct db_op *op, uint32_t name)
{
	struct kern_sum **link = &op->kerns, *k;

	for (; (k = *link) != NULL; link = &k->next)
		if (k->name == name)
			return k;
	k = *link = xcalloc(1, sizeof(*k));
	k->name = name;
	return k;
}

static void
add_memory(struct db_halves *d, const struct db_work *w)
{
	struct db_category *c = &d->agg->memory;
	const char *s;
	size_t n;

	c->gpu = num_add(c->gpu, num_sub(w->end, w->start));
	if (w->own_call)
		c->cpu = num_add(c->cpu, w->api_dur);
	s = rec_raw(w->r, w->cols->api, &n);
	if (s != NULL)
		smap_put(&d->agg->mem_names, s, n, NULL);
}

/* Names are counted twice: those that used Tensor Cores, and the others. */
static void
name_seen(struct db_halves *d, struct kern_sum *k, bool tc)
{
	const char *s;
	size_t n;

	if (tc ? k->tc : k->no_tc)
		return;
	s = smap_str(&d->words, k->name, &n);
	smap_put(tc ? &d->agg->tc_names : &d->agg->names, s, n, NULL);
	k->tc |= tc;
	k->no_tc |= !tc;
}

static void
add_kernel(struct db_halves *d, const struct db_work *w)
{
	struct kern_sum *k = kern_of(w->op, w->name);
	int64_t api = w->own_call ? w->api_dur : 0;

	metric_add(&k->gpu, num_sub(w->end, w->start));
	metric_add(&k->api, api);
	if (w->tc) {
		k->tc_gpu = num_add(k->tc_gpu, num_sub(w->end, w->start));
		k->tc_api = num_add(k->tc_api, api);
	}
	name_seen(d, k, w->tc);
	w->op->used_tc |= w->tc;
	w->op->n_kern++;
	agg_kern(d, w);
}

bool
agg_wants(enum db_kind kind)
{
	return kind == K_KERN || kind == K_COPY || kind == K_SET;
}

void
agg_work(struct db_halves *d, const struct db_work *w)
{
	if (w->iter < 0)
		return;
	if (w->kind == K_KERN)
		add_kernel(d, w);
	else if (w->kind == K_COPY || w->kind == K_SET)
		add_memory(d, w);
}

static void
category_add(struct db_category *c, const struct db_op *op)
{
	c->cpu = num_add(c->cpu, ops_metric(op, M_CPU).sum);
	c->gpu = num_add(c->gpu, ops_metric(op, M_GPU).sum);
	c->overhead = num_add(c->overhead, ops_metric(op, M_OVERHEAD).sum);
	c->idle = num_add(c->idle, ops_metric(op, M_IDLE).sum);
	c->count++;
}

static void
kern_totals(struct db_totals *t, const struct db_op *op)
{
	const struct kern_sum *k;

	for (k = op->kerns; k != NULL; k = k->next) {
		t->kerns_tc.cpu = num_add(t->kerns_tc.cpu, k->tc_api);
		t->kerns_tc.gpu = num_add(t->kerns_tc.gpu, k->tc_gpu);
		t->kerns_other.cpu =
		    num_add(t->kerns_other.cpu, num_sub(k->api.sum, k->tc_api));
		t->kerns_other.gpu =
		    num_add(t->kerns_other.gpu, num_sub(k->gpu.sum, k->tc_gpu));
		t->kerns.cpu = num_add(t->kerns.cpu, k->api.sum);
		t->kerns.gpu = num_add(t->kerns.gpu, k->gpu.sum);
		if (op->eligible)
			t->eligible_kern_ns =
			    num_add(t->eligible_kern_ns, k->gpu.sum);
	}
}

static void
agg_totals(struct db_halves *d, struct db_totals *t)
{
	const struct db_op *op;
	size_t i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < ops_count(d); i++) {
		op = ops_nth(d, i);
		if (op->n_calls == 0 && op->n_kern == 0)
			continue;
		category_add(&t->all, op);
		category_add(op->used_tc    ? &t->tc
			     : op->eligible ? &t->eligible
					    : &t->other,
		    op);
		kern_totals(t, op);
	}
	t->memory = d->agg->memory;
	t->memory.count = (int64_t)d->agg->mem_names.n;
	t->kerns_tc.count = (int64_t)d->agg->tc_names.n;
	t->kerns_other.count = (int64_t)d->agg->names.n;
	t->kerns.count = t->kerns_tc.count + t->kerns_other.count;
}

/* A number rounded to six decimals, as DLProf stores it. */
static double
agg_round(double v)
{
	char s[64];

	snprintf(s, sizeof(s), "%.6f", v);
	return strtod(s, NULL);
}

static double
metric_avg(const struct db_metric *m)
{
	return m->n > 0 ? agg_round((double)m->sum / (double)m->n) : 0;
}

/* Writes a row, or shares an equal one that was written recently, as DLProf
 * does. */
static int64_t
agg_put_metric(struct db_halves *d, const struct db_metric *m, double avg)
{
	struct agg_metric *c;

	c = &d->agg->cache[hash_mix((uint64_t)m->sum * 3 + (uint64_t)m->max) %
			   AGG_CACHE];
	if (c->id != 0 && memcmp(&c->m, m, sizeof(*m)) == 0 &&
	    !(c->avg < avg) && !(c->avg > avg))
		return c->id;
	c->m = *m;
	c->avg = avg;
	c->id = db_put(
	    &d->db, T_METRIC, 0, "iiiif", m->n, m->max, m->min, m->sum, avg);
	return c->id;
}

static int64_t
agg_put_metrics(struct db_halves *d, const struct db_metric m[N_METRIC])
{
	int64_t id[N_METRIC];
	int i;

	for (i = 0; i < N_METRIC; i++)
		id[i] = agg_put_metric(d, &m[i], metric_avg(&m[i]));
	return db_put(&d->db, T_NODE_TIME_METRICS, 0, "iiiii", id[0], id[1],
	    id[2], id[3], id[4]);
}

static void
put_kerns(struct db_halves *d, int64_t aggr, const struct db_op *op)
{
	const struct kern_sum *k;
	int64_t api, gpu;

	for (k = op->kerns; k != NULL; k = k->next) {
		api = agg_put_metric(d, &k->api, metric_avg(&k->api));
		gpu = agg_put_metric(d, &k->gpu, metric_avg(&k->gpu));
		db_put(&d->db, T_KERNEL_SUMMARIES, 0, "iiiiiii", aggr,
		    DOMAIN_ID, op->id, db_word_id(d, k->name), api, gpu,
		    (int64_t)k->tc);
	}
}

static int64_t
put_kern_times(struct db_halves *d, const struct db_op *op)
{
	struct db_metric api = { 0 }, gpu = { 0 };
	const struct kern_sum *k;
	int64_t id;

	for (k = op->kerns; k != NULL; k = k->next) {
		metric_merge(&api, &k->api);
		metric_merge(&gpu, &k->gpu);
	}
	id = agg_put_metric(d, &api, metric_avg(&api));
	return db_put(&d->db, T_KERNEL_TIME_METRICS, 0, "ii", id,
	    agg_put_metric(d, &gpu, metric_avg(&gpu)));
}

static void
put_op_sums(struct db_halves *d, int64_t aggr, const struct db_op *op)
{
	struct db_metric m[N_METRIC];
	int64_t times, kerns;
	bool half;
	int i;

	for (i = 0; i < N_METRIC; i++)
		m[i] = ops_metric(op, i);
	half = strcmp(db_word_text(d, op->dtype), "float16") == 0;
	times = agg_put_metrics(d, m);
	kerns = put_kern_times(d, op);
	db_put(&d->db, T_OP_NODES, 0, "iiiiiiiii", aggr, op->id, times, kerns,
	    op->n_calls, op->n_kern, (int64_t)op->eligible,
	    (int64_t)op->used_tc, (int64_t)(op->eligible && !half));
	put_kerns(d, aggr, op);
}

struct type_sum {
	struct db_metric m[N_METRIC];
	int64_t n_ops, n_calls;
	bool any;
};

static void
put_types(struct db_halves *d, int64_t aggr, const struct type_sum *t, size_t n)
{
	int64_t type;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!t[i].any)
			continue;
		type = db_word_id(d, (uint32_t)i);
		db_put(&d->db, T_OP_TYPE_METRICS, 0, "iiiiii", aggr, DOMAIN_ID,
		    type, agg_put_metrics(d, t[i].m), t[i].n_ops, t[i].n_calls);
	}
}

/* Called at the end: writes op_nodes and the tables that refer to it, for this
 * aggregation. */
static void
agg_write(struct db_halves *d, int64_t aggr)
{
	size_t n = d->words.n, i;
	struct type_sum *types = xcalloc(n + 1, sizeof(*types)), *t;
	const struct db_op *op;
	struct db_metric m;
	int k;

	for (i = 0; i < ops_count(d); i++) {
		op = ops_nth(d, i);
		if (op->n_calls == 0 && op->n_kern == 0)
			continue;
		put_op_sums(d, aggr, op);
		t = &types[op->type];
		t->any = true;
		t->n_ops++;
		t->n_calls += op->n_calls;
		for (k = 0; k < N_METRIC; k++) {
			m = ops_metric(op, k);
			metric_merge(&t->m[k], &m);
		}
	}
	put_types(d, aggr, types, n);
	free(types);
	agg_kern_write(d, aggr);
}

/*
 * Sums of earlier stages: iterations, time by class and device, groups,
 * findings. They are kept until the end, when the aggregation is written.
 * Shares are those of all visible GPUs. Times of an iteration are the mean over
 * the GPUs, because there is one row for all.
 */

enum { C_TC, C_KERN, C_MEM, C_DATA, C_IO, C_CPU, C_OTHER, C_N };

struct sum_iter {
	int64_t iter, start, dur;
	bool counts; /* it is in the selected range */
};

struct sum_busy { /* of an iteration and a device */
	int64_t iter, dev, ns[C_N];
};

struct sum_group {
	uint32_t path; /* word */
	int64_t level, n_call, n_eligible, n_tc, n_iter;
	int64_t sum[4], min[4], max[4]; /* cpu, gpu, overhead, idle */
};

struct sum_finding {
	uint32_t id, problem, advice; /* words */
	bool stored;
};

struct db_sums_cols {
	struct {
		struct rec_col *iter, *start, *dur;
	} iter;
	struct {
		struct rec_col *iter, *dev, *class, *dur;
	} busy;
	struct {
		struct rec_col *path, *level, *n_call, *n_eligible, *n_tc,
		    *n_iter, *sum[4], *min[4], *max[4];
	} group;
	struct {
		struct rec_col *id, *judged, *problem, *advice, *by;
	} finding;
};

struct db_sums {
	struct sum_iter *iter;
	struct sum_busy *busy;
	struct sum_group *group;
	struct sum_finding *finding;
	size_t n_iter, cap_iter, n_busy, cap_busy, n_group, cap_group,
	    n_finding, cap_finding;
	struct db_sums_cols col;
	struct smap busy_at; /* iter, device; its number is that of busy */
	bool tree;           /* there are group records */
	bool judged;         /* there are findings of dlp-advise */
};

/* Adds an element, zeroed, to a list. */
#define MORE(s, f) (more(&(s)->f, &(s)->n_##f, &(s)->cap_##f, sizeof(*(s)->f)))

static void *
more(void *list, size_t *n, size_t *cap, size_t size)
{
	void **v = list;

	if (*n == *cap) {
		*cap = *cap > 0 ? *cap * 2 : 64;
		*v = xrealloc(*v, *cap, size);
	}
	return memset((char *)*v + (*n)++ * size, 0, size);
}

static void
on_iter(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	struct sum_iter *it;

	if (work_iter(r, c->iter.iter) >= 0) {
		it = MORE(d->sums, iter);
		it->iter = work_iter(r, c->iter.iter);
		it->start = rec_int(r, c->iter.start, 0);
		it->dur = rec_int(r, c->iter.dur, 0);
	}
	stage_pass(st, r);
}

static int
class_of(const char *s, size_t n)
{
	static const struct {
		const char *word;
		int class;
	} words[] = { { "tc", C_TC }, { "kern", C_KERN }, { "graph", C_KERN },
		{ "comm", C_KERN }, { "mem", C_MEM }, { "dataload", C_DATA },
		{ "io", C_IO }, { "cpu", C_CPU }, { "other", C_OTHER } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].word) == n &&
		    memcmp(words[i].word, s, n) == 0)
			return words[i].class;
	return -1;
}

static struct sum_busy *
busy_of(struct db_sums *s, int64_t iter, int64_t dev)
{
	bool is_new;
	uint32_t no = smap_put_pair(&s->busy_at, iter, dev, &is_new);
	struct sum_busy *b;

	if (!is_new)
		return &s->busy[no];
	b = MORE(s, busy);
	b->iter = iter;
	b->dev = dev;
	return b;
}

static void
add_busy(struct sum_busy *b, int c, int64_t ns)
{
	b->ns[c] = num_add(b->ns[c], ns);
}

static void
on_busy(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	const char *s;
	int64_t iter;
	size_t n;
	int class;

	s = rec_raw(r, c->busy.class, &n);
	class = s != NULL ? class_of(s, n) : -1;
	if (class < 0)
		rec_die(r, "busy: no such class '%.*s'", (int)n,
		    s != NULL ? s : "-");
	iter = work_iter(r, c->busy.iter);
	if (iter >= 0)
		add_busy(busy_of(d->sums, iter, rec_int(r, c->busy.dev, 0)),
		    class, rec_int(r, c->busy.dur, 0));
	stage_pass(st, r);
}

/* DLProf has no group for the whole model. */
static void
on_group(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	uint32_t path = db_col_word(d, r, c->group.path);
	struct sum_group *g;
	int i;

	stage_pass(st, r);
	d->sums->tree = true;
	if (strcmp(db_word_text(d, path), "_CompleteModel_") == 0)
		return;
	g = MORE(d->sums, group);
	g->path = path;
	g->level = rec_int(r, c->group.level, 0);
	g->n_call = rec_int(r, c->group.n_call, 0);
	g->n_eligible = rec_int(r, c->group.n_eligible, 0);
	g->n_tc = rec_int(r, c->group.n_tc, 0);
	g->n_iter = rec_int(r, c->group.n_iter, 0);
	for (i = 0; i < 4; i++) {
		g->sum[i] = rec_int(r, c->group.sum[i], 0);
		g->min[i] = rec_int(r, c->group.min[i], 0);
		g->max[i] = rec_int(r, c->group.max[i], 0);
	}
}

/* Only findings that DLProf would have made are stored. */
static void
on_finding(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	bool stored = rec_is(r, c->finding.judged, "stored");
	struct sum_finding *f;

	if (!stored)
		d->sums->judged = true;
	if (stored || (rec_is(r, c->finding.judged, "yes") &&
			  !rec_is(r, c->finding.by, "ours"))) {
		f = MORE(d->sums, finding);
		f->id = db_col_word(d, r, c->finding.id);
		f->problem = db_col_word(d, r, c->finding.problem);
		f->advice = db_col_word(d, r, c->finding.advice);
		f->stored = stored;
	}
	stage_pass(st, r);
}

static void
bind_group(struct db_sums_cols *c, struct stage *st)
{
	static const char *const cols[4][3] = {
		{ "sum_cpu_ns", "min_cpu_ns", "max_cpu_ns" },
		{ "sum_gpu_ns", "min_gpu_ns", "max_gpu_ns" },
		{ "sum_overhead_ns", "min_overhead_ns", "max_overhead_ns" },
		{ "sum_idle_ns", "min_idle_ns", "max_idle_ns" },
	};
	struct rec_type *t = stage_on(st, "group", on_group, NULL, c);
	int i;

	REC_COLS(t, REC_NEED, { &c->group.path, "path" },
	    { &c->group.level, "level" }, { &c->group.n_call, "n_call" },
	    { &c->group.n_eligible, "n_op_eligible" },
	    { &c->group.n_tc, "n_op_tc" }, { &c->group.n_iter, "n_iter" });
	for (i = 0; i < 4; i++) {
		c->group.sum[i] = rec_col(t, cols[i][0], REC_NEED);
		c->group.min[i] = rec_col(t, cols[i][1], REC_NEED);
		c->group.max[i] = rec_col(t, cols[i][2], REC_NEED);
	}
}

void
sums_start(struct db_halves *d, struct stage *st)
{
	struct db_sums_cols *c;
	struct rec_type *t;

	d->sums = xcalloc(1, sizeof(*d->sums));
	c = &d->sums->col;
	t = stage_on(st, "iter", on_iter, NULL, c);
	REC_COLS(t, REC_NEED, { &c->iter.iter, "iter" },
	    { &c->iter.start, "start_ns" }, { &c->iter.dur, "dur_ns" });
	t = stage_on(st, "busy", on_busy, NULL, c);
	REC_COLS(t, REC_NEED, { &c->busy.iter, "iter" },
	    { &c->busy.dev, "dev" }, { &c->busy.class, "class" },
	    { &c->busy.dur, "dur_ns" });
	bind_group(c, st);
	t = stage_on(st, "finding", on_finding, NULL, c);
	REC_COLS(t, REC_NEED, { &c->finding.id, "id" },
	    { &c->finding.judged, "judged" },
	    { &c->finding.problem, "problem" },
	    { &c->finding.advice, "recommendation" });
	c->finding.by = rec_col(t, "by", REC_OPT);
}

void
sums_free(struct db_halves *d)
{
	struct db_sums *s = d->sums;

	smap_free(&s->busy_at);
	free(s->iter);
	free(s->busy);
	free(s->group);
	free(s->finding);
	free(s);
}

struct sum_whole { /* the selected iterations */
	int64_t first, last, n, total, wall;
	double mean, dev;
	int64_t ns[C_N]; /* over all devices */
	size_t n_dev;
};

static int64_t
key_id(struct db_halves *d)
{
	const char *key = facts_get(d, "key_op");

	return db_str_id(d, key != NULL ? key : "");
}

static void
count_iters(struct db_halves *d, struct sum_whole *w)
{
	struct db_sums *s = d->sums;
	size_t i;

	w->total = facts_int(d, "n_iter", (int64_t)s->n_iter);
	w->first = facts_int(d, "iter_start", 0);
	w->last = facts_int(d, "iter_stop", INT64_MAX);
	for (i = 0; i < s->n_iter; i++) {
		s->iter[i].counts =
		    s->iter[i].iter >= w->first && s->iter[i].iter <= w->last;
		if (!s->iter[i].counts)
			continue;
		w->n++;
		w->wall = num_add(w->wall, s->iter[i].dur);
	}
	if (w->last == INT64_MAX)
		w->last = w->total > 0 ? w->total - 1 : 0;
}

/* The mean and deviation of the selected iterations. */
static void
deviation(const struct db_halves *d, struct sum_whole *w)
{
	const struct db_sums *s = d->sums;
	double diff, sum = 0;
	size_t i;

	w->mean = w->n > 0 ? (double)w->wall / (double)w->n : 0;
	for (i = 0; i < s->n_iter; i++) {
		if (!s->iter[i].counts)
			continue;
		diff = (double)s->iter[i].dur - w->mean;
		sum += diff * diff;
	}
	w->dev = w->n > 0 ? sqrt(sum / (double)w->n) : 0;
}

static double
share(int64_t ns, double of)
{
	return of > 0 ? agg_round(100.0 * (double)ns / of) : 0;
}

static void
put_iters(struct db_halves *d, int64_t aggr, const struct sum_whole *w)
{
	const struct sum_iter *it;
	bool last;
	size_t i;

	for (i = 0; i < d->sums->n_iter; i++) {
		it = &d->sums->iter[i];
		/* an iteration ends before the next one begins */
		last = it->iter == w->total - 1;
		db_put(&d->db, T_ITERATION_LIST, 0, "iiii", aggr, it->iter,
		    it->start, num_sub(num_add(it->start, it->dur), !last));
	}
}

static int64_t
mean_over(int64_t ns, size_t n_dev)
{
	int64_t n = (int64_t)n_dev;

	return n > 1 ? num_add(ns, n / 2) / n : ns;
}

static void
put_iter_sums(struct db_halves *d, int64_t aggr, const struct sum_iter *it,
    const int64_t ns[C_N], size_t n_dev)
{
	struct iter_sum s = agg_iter(d, it->iter);
	int64_t m[C_N];
	int c;

	for (c = 0; c < C_N; c++)
		m[c] = mean_over(ns[c], n_dev);
	db_put(&d->db, T_ITERATION_AGGREGATION_LIST, 0, "iifiiiiiii", aggr,
	    it->iter,
	    share(num_add(num_add(ns[C_TC], ns[C_KERN]), ns[C_MEM]),
		(double)it->dur * (double)n_dev),
	    m[C_TC], m[C_KERN], m[C_MEM], m[C_DATA], m[C_IO], m[C_CPU],
	    m[C_OTHER]);
	db_put(&d->db, T_KERNEL_ITERATION_STATS, 0, "iiiiiii", aggr, DOMAIN_ID,
	    it->iter, s.n, s.n_tc, s.ns, s.tc_ns);
}

static void
put_breakdown(struct db_halves *d, int64_t aggr, struct sum_whole *w)
{
	const struct db_sums *s = d->sums;
	int64_t ns[C_N], dev;
	size_t i, k;
	uint32_t no;
	int c;

	for (i = 0; i < s->n_iter; i++) {
		if (!s->iter[i].counts)
			continue;
		memset(ns, 0, sizeof(ns));
		for (k = 0; k < facts_ndev(d); k++) {
			dev = facts_dev(d, k);
			no = smap_find_pair(&s->busy_at, s->iter[i].iter, dev);
			for (c = 0; no != SMAP_NONE && c < C_N; c++)
				ns[c] = num_add(ns[c], s->busy[no].ns[c]);
		}
		for (c = 0; c < C_N; c++)
			w->ns[c] = num_add(w->ns[c], ns[c]);
		put_iter_sums(d, aggr, &s->iter[i], ns, w->n_dev);
	}
}

static void
put_devices(struct db_halves *d, int64_t aggr, const struct sum_whole *w)
{
	const struct db_sums *s = d->sums;
	int64_t ns;
	size_t i, k;

	for (k = 0; k < facts_ndev(d); k++) {
		ns = 0;
		for (i = 0; i < s->n_busy; i++)
			if (s->busy[i].dev == facts_dev(d, k) &&
			    s->busy[i].iter >= w->first &&
			    s->busy[i].iter <= w->last)
				ns = num_add(ns, num_add(s->busy[i].ns[C_TC],
						     s->busy[i].ns[C_KERN]));
		db_put(&d->db, T_DEVICE_GPU_UTILIZATIONS, 0, "iiif", aggr,
		    DOMAIN_ID, facts_gpu_id(d, facts_dev(d, k)),
		    share(ns, (double)w->wall));
	}
}

static int64_t
put_category(struct db_halves *d, const struct db_category *c)
{

	return db_put(&d->db, T_CATEGORY_SUMMARY, 0, "iiiii", c->cpu, c->gpu,
	    c->overhead, c->idle, c->count);
}

static void
put_model(struct db_halves *d, int64_t aggr, const struct sum_whole *w,
    const struct db_totals *t)
{
	double of = (double)w->wall * (double)w->n_dev;
	int64_t all = put_category(d, &t->all),
		eligible = put_category(d, &t->eligible),
		tc = put_category(d, &t->tc),
		other = put_category(d, &t->other);

	db_put(&d->db, T_MODEL_SUMMARY, 0, "iiiiiiiifffffffffffiiiii", aggr,
	    DOMAIN_ID, INT64_C(0), w->wall, all, eligible, tc, other,
	    share(num_add(w->ns[C_TC], w->ns[C_KERN]), of),
	    share(t->kerns_tc.gpu, (double)t->eligible_kern_ns),
	    share(w->ns[C_TC], of), share(w->ns[C_KERN], of),
	    share(w->ns[C_MEM], of), share(w->ns[C_DATA], of),
	    share(w->ns[C_IO], of), share(w->ns[C_CPU], of),
	    share(w->ns[C_OTHER], of), agg_round(w->mean), agg_round(w->dev),
	    w->total, w->n, w->first, w->last, key_id(d));
}

static void
put_kern_totals(struct db_halves *d, int64_t aggr, const struct db_totals *t)
{
	int64_t all = put_category(d, &t->kerns),
		tc = put_category(d, &t->kerns_tc),
		other = put_category(d, &t->kerns_other);

	db_put(&d->db, T_KERNEL_SUMMARY_METRICS, 0, "iiiii", aggr, DOMAIN_ID,
	    all, tc, other);
	db_put(&d->db, T_MEMORY_SUMMARY_METRICS, 0, "iii", aggr, DOMAIN_ID,
	    put_category(d, &t->memory));
}

static struct db_metric
group_metric(const struct sum_group *g, int i)
{
	struct db_metric m = { g->n_iter, g->sum[i], g->min[i], g->max[i] };

	return m;
}

static void
metric_less(struct db_metric *m, const struct db_metric *of)
{
	m->sum = num_sub(m->sum, of->sum);
	m->min = num_sub(m->min, of->min);
	m->max = num_sub(m->max, of->max);
}

/* The time in the API is the CPU time that is not overhead. */
static void
groups_write(struct db_halves *d, int64_t aggr)
{
	const struct sum_group *g;
	struct db_metric m[N_METRIC];
	int64_t path;
	size_t i;

	for (i = 0; i < d->sums->n_group; i++) {
		g = &d->sums->group[i];
		m[M_CPU] = group_metric(g, 0);
		m[M_GPU] = group_metric(g, 1);
		m[M_OVERHEAD] = group_metric(g, 2);
		m[M_IDLE] = group_metric(g, 3);
		m[M_API] = m[M_CPU];
		metric_less(&m[M_API], &m[M_OVERHEAD]);
		path = db_word_id(d, g->path);
		db_put(&d->db, T_GROUP_OPS, 0, "iiiiiiiiii", aggr, DOMAIN_ID,
		    INT64_C(1), path, path, g->level, g->n_call, g->n_eligible,
		    g->n_tc, agg_put_metrics(d, m));
	}
}

/* Ops are the leaves. */
static void
leaves_write(struct db *d)
{
	db_exec(d, "INSERT OR IGNORE INTO dictionary (string)"
		   " SELECT DISTINCT o.op_name FROM op_nodes n"
		   " JOIN read_only_ops o ON o.id = n.read_only_ops_id");
	db_exec(d,
	    "INSERT INTO group_ops SELECT NULL, n.aggr_id, o.domain_id, 2,"
	    " o.op_id_id, s.id,"
	    " length(o.op_name) - length(replace(o.op_name, '/', '')) + 1,"
	    " n.num_calls, n.tc_eligible, n.using_tc, n.node_time_metrics_id"
	    " FROM op_nodes n JOIN read_only_ops o ON"
	    " o.id = n.read_only_ops_id JOIN dictionary s ON"
	    " s.string = o.op_name");
}

/* The action that DLProf's viewer offers for a finding. */
static const char *
viewer(const char *id)
{
	return strcmp(id, "amp_detector") == 0 ? "ShowBadDataTypeOps" : "";
}

static void
findings_write(struct db_halves *d, int64_t aggr)
{
	const struct sum_finding *f;
	const char *id;
	size_t i;

	for (i = 0; i < d->sums->n_finding; i++) {
		f = &d->sums->finding[i];
		if (f->stored && d->sums->judged)
			continue;
		id = db_word_text(d, f->id);
		db_put(&d->db, T_EXPERT_SYSTEMS_FEEDBACK, 0, "ittttt", aggr, id,
		    db_word_text(d, f->problem), db_word_text(d, f->advice),
		    viewer(id), "");
	}
}

static int64_t
put_aggregation(struct db_halves *d)
{
	int64_t aggr;

	db_exec(&d->db, "INSERT INTO aggregations VALUES (NULL, '', '',"
			" datetime('now'), 0)");
	aggr = sqlite3_last_insert_rowid(d->db.sql);
	db_put(&d->db, T_ITERATION_KEY, 0, "ii", aggr, key_id(d));
	return aggr;
}

static bool
warn_missing(const struct db_halves *d, const char *what, const char *by)
{
	warn("%s: no %s records (of %s): the database has no aggregation",
	    d->path, what, by);
	return false;
}

bool
sums_write(struct db_halves *d)
{
	struct sum_whole w = { 0 };
	struct db_totals t;
	int64_t aggr;

	if (d->sums->n_iter == 0)
		return warn_missing(d, "iter", "dlp-iter");
	if (d->sums->n_busy == 0 && facts_ndev(d) > 0)
		return warn_missing(d, "busy", "dlp-busy");
	if (!d->sums->tree)
		warn("%s: no group records (of dlp-tree): only ops are in"
		     " group_ops",
		    d->path);
	w.n_dev = facts_ndev(d);
	count_iters(d, &w);
	deviation(d, &w);
	aggr = put_aggregation(d);
	put_iters(d, aggr, &w);
	put_breakdown(d, aggr, &w);
	put_devices(d, aggr, &w);
	agg_totals(d, &t);
	put_model(d, aggr, &w, &t);
	put_kern_totals(d, aggr, &t);
	agg_write(d, aggr);
	groups_write(d, aggr);
	leaves_write(&d->db);
	findings_write(d, aggr);
	return true;
}
