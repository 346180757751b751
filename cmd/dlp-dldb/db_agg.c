/* Sums by op, and their rows; see db_agg.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "db_agg.h"
#include "err.h"
#include "temp.h"

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

void
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

struct iter_sum
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

void
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

double
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

int64_t
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

void
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
