/*
 * The aggregated half: sums over the selected iterations, by op, kernel name
 * and op type; kernels by op and iteration.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "err.h"
#include "tape.h"

#define AGG_CACHE 4096

struct db_agg {
	struct map sums; /* op << 32 | iteration -> struct agg_sum; op 0: all */
	struct store mem;
	struct tape kerns; /* struct agg_kern of each selected kernel */
	struct db_category memory;
	struct smap names, tc_names, mem_names;
	struct agg_metric { /* rows of the table metric that were written
			     * recently; id 0: none */
		struct db_metric m;
		int64_t id;
	} cache[AGG_CACHE];
};

struct agg_kern {
	int64_t id;
	struct agg_sum *sum;
};

static struct agg_sum *
sum_of(struct db_halves *d, int64_t op, int64_t iter)
{
	bool is_new;
	struct agg_sum *s;
	uint64_t *at;

	if (op > UINT32_MAX || iter > UINT32_MAX)
		die("too many ops or iterations");
	at = map_put(
	    &d->agg->sums, (uint64_t)op << 32 | (uint64_t)iter, &is_new);
	if (is_new) {
		s = store_alloc(&d->agg->mem, sizeof(*s));
		*s = (struct agg_sum){ op, iter, 0, 0, 0, 0 };
		*at = (uint64_t)(uintptr_t)s;
	}
	return (struct agg_sum *)(uintptr_t)*at;
}

struct agg_sum
agg_iter(const struct db_halves *d, int64_t iter)
{
	static const struct agg_sum none;
	const uint64_t *at = map_get(&d->agg->sums, (uint64_t)iter);

	return at != NULL ? *(const struct agg_sum *)(uintptr_t)*at : none;
}

static void
put_kernels(struct db_halves *d, int64_t aggr)
{
	struct tape *t = &d->agg->kerns;
	struct agg_kern k;
	const char *p;
	size_t n;

	tape_rewind(t);
	while (p = tape_at(t, sizeof(k), &n), n >= sizeof(k)) {
		memcpy(&k, p, sizeof(k));
		tape_skip(t, sizeof(k));
		DBW_ADD(&d->db, T_KERNEL_ITERATION_NODE, 0, aggr, DOMAIN_ID,
		    k.sum->op, k.id, k.sum->iter, k.sum->n, k.sum->n_tc,
		    k.sum->ns, k.sum->tc_ns);
	}
}

void
agg_start(struct db_halves *d)
{
	d->agg = xcalloc(1, sizeof(*d->agg));
	d->agg->kerns = TAPE_NEW;
}

static void
metric_add(struct db_metric *m, int64_t v)
{
	if (m->n == 0 || v < m->min)
		m->min = v;
	if (m->n == 0 || v > m->max)
		m->max = v;
	m->sum = num_add(m->sum, v);
	m->n++;
}

void
agg_run(const struct db_run *u)
{
	struct db_op *op = u->op;
	int i;

	if (u->iter < 0)
		return;
	op->n_calls++;
	for (i = 0; i < N_METRIC; i++)
		if (u->has[i])
			metric_add(&op->m[i], u->v[i]);
}

static struct kern_sum *
kern_of(struct db_halves *d, struct db_op *op, uint32_t name)
{
	struct kern_sum **link = &op->kerns, *k;

	for (; (k = *link) != NULL; link = &k->next)
		if (k->name == name)
			return k;
	k = *link = store_alloc(&d->agg->mem, sizeof(*k));
	memset(k, 0, sizeof(*k));
	k->name = name;
	return k;
}

static void
add_kernel(struct db_halves *d, const struct db_work *w)
{
	struct kern_sum *k = kern_of(d, w->op, w->name);
	int64_t api = w->own_call ? w->api_dur : 0;
	struct agg_kern kern = { w->id, sum_of(d, w->op->id, w->iter) };
	struct agg_sum *sums[2] = { kern.sum, sum_of(d, 0, w->iter) };
	const char *s;
	int64_t gpu;
	size_t n;
	int i;

	metric_add(&k->gpu, num_sub(w->end, w->start));
	metric_add(&k->api, api);
	if (w->tc) {
		k->tc_gpu = num_add(k->tc_gpu, num_sub(w->end, w->start));
		k->tc_api = num_add(k->tc_api, api);
	}
	/* names are counted twice: those that used Tensor Cores, the others */
	if (w->tc ? !k->tc : !k->no_tc) {
		s = smap_str(&d->words, k->name, &n);
		smap_put(
		    w->tc ? &d->agg->tc_names : &d->agg->names, s, n, NULL);
	}
	k->tc |= w->tc;
	k->no_tc |= !w->tc;
	w->op->used_tc |= w->tc;
	w->op->n_kern++;
	for (i = 0; i < 2; i++) {
		gpu = num_sub(w->end, w->start);
		sums[i]->n++;
		sums[i]->ns = num_add(sums[i]->ns, gpu);
		sums[i]->n_tc += w->tc;
		if (w->tc)
			sums[i]->tc_ns = num_add(sums[i]->tc_ns, gpu);
	}
	tape_put(&d->agg->kerns, (const char *)&kern, sizeof(kern));
}

bool
agg_wants(enum db_kind kind)
{
	return kind == K_KERN || kind == K_COPY || kind == K_SET;
}

void
agg_work(struct db_halves *d, const struct db_work *w)
{
	struct db_category *c = &d->agg->memory;
	struct mview s;

	if (w->iter < 0 || !agg_wants(w->kind))
		return;
	if (w->kind == K_KERN) {
		add_kernel(d, w);
		return;
	}
	c->gpu = num_add(c->gpu, num_sub(w->end, w->start));
	if (w->own_call)
		c->cpu = num_add(c->cpu, w->api_dur);
	s = rec_get(w->r, COL_api);
	if (s.s != NULL)
		smap_put(&d->agg->mem_names, s.s, s.n, NULL);
}

static void
category_add(struct db_category *c, int64_t cpu, int64_t gpu)
{
	c->cpu = num_add(c->cpu, cpu);
	c->gpu = num_add(c->gpu, gpu);
}

static void
add_op(struct db_category *c, const struct db_op *op)
{
	category_add(c, op->m[M_CPU].sum, op->m[M_GPU].sum);
	c->overhead = num_add(c->overhead, op->m[M_OVERHEAD].sum);
	c->idle = num_add(c->idle, op->m[M_IDLE].sum);
	c->count++;
}

/* Ops without a run or kernel in the selected iterations do not count. */
static bool
is_idle(const struct db_op *op)
{
	return op->n_calls == 0 && op->n_kern == 0;
}

void
agg_totals(struct db_halves *d, struct db_totals *t)
{
	struct db_category *c = t->category;
	const struct kern_sum *k;
	const struct db_op *op;

	memset(t, 0, sizeof(*t));
	for (op = d->op; op < d->op + d->n_ops; op++) {
		if (is_idle(op))
			continue;
		add_op(&c[CAT_ALL], op);
		add_op(&c[op->used_tc     ? CAT_TC
			   : op->eligible ? CAT_ELIGIBLE
					  : CAT_OTHER],
		    op);
		for (k = op->kerns; k != NULL; k = k->next) {
			category_add(&c[CAT_KERNS_TC], k->tc_api, k->tc_gpu);
			category_add(&c[CAT_KERNS_OTHER],
			    num_sub(k->api.sum, k->tc_api),
			    num_sub(k->gpu.sum, k->tc_gpu));
			category_add(&c[CAT_KERNS], k->api.sum, k->gpu.sum);
			if (op->eligible)
				t->eligible_kern_ns =
				    num_add(t->eligible_kern_ns, k->gpu.sum);
		}
	}
	c[CAT_MEMORY] = d->agg->memory;
	c[CAT_MEMORY].count = (int64_t)d->agg->mem_names.n;
	c[CAT_KERNS_TC].count = (int64_t)d->agg->tc_names.n;
	c[CAT_KERNS_OTHER].count = (int64_t)d->agg->names.n;
	c[CAT_KERNS].count = c[CAT_KERNS_TC].count + c[CAT_KERNS_OTHER].count;
}

double
agg_round(double v)
{
	char s[64];

	snprintf(s, sizeof(s), "%.6f", v);
	return strtod(s, NULL);
}

/* Writes a row, or shares an equal one that was written recently, as DLProf
 * does. */
static int64_t
put_metric(struct db_halves *d, const struct db_metric *m)
{
	double avg = m->n > 0 ? agg_round((double)m->sum / (double)m->n) : 0;
	struct agg_metric *c;

	c = &d->agg->cache[hash_mix((uint64_t)m->sum * 3 + (uint64_t)m->max) %
			   AGG_CACHE];
	if (c->id == 0 || memcmp(&c->m, m, sizeof(*m)) != 0) {
		c->m = *m;
		c->id = dbw_put(&d->db, T_METRIC, 0, "iiiif", m->n, m->max,
		    m->min, m->sum, avg);
	}
	return c->id;
}

int64_t
agg_put_metrics(struct db_halves *d, const struct db_metric m[N_METRIC])
{
	int64_t id[N_METRIC];
	int i;

	for (i = 0; i < N_METRIC; i++)
		id[i] = put_metric(d, &m[i]);
	return dbw_put(&d->db, T_NODE_TIME_METRICS, 0, "iiiii", id[0], id[1],
	    id[2], id[3], id[4]);
}

static void
metric_merge(struct db_metric *m, const struct db_metric *of)
{
	if (of->n == 0)
		return;
	if (m->n == 0 || of->min < m->min)
		m->min = of->min;
	if (m->n == 0 || of->max > m->max)
		m->max = of->max;
	m->sum = num_add(m->sum, of->sum);
	m->n += of->n;
}

static void
put_op(struct db_halves *d, int64_t aggr, const struct db_op *op)
{
	bool half = strcmp(db_word_text(d, op->dtype), "float16") == 0;
	struct db_metric all_api = { 0 }, all_gpu = { 0 };
	int64_t times = agg_put_metrics(d, op->m), kerns, api, gpu;
	const struct kern_sum *k;

	for (k = op->kerns; k != NULL; k = k->next) {
		metric_merge(&all_api, &k->api);
		metric_merge(&all_gpu, &k->gpu);
	}
	api = put_metric(d, &all_api);
	gpu = put_metric(d, &all_gpu);
	kerns = dbw_put(&d->db, T_KERNEL_TIME_METRICS, 0, "ii", api, gpu);
	dbw_put(&d->db, T_OP_NODES, 0, "iiiiiiiii", aggr, op->id, times, kerns,
	    op->n_calls, op->n_kern, (int64_t)op->eligible,
	    (int64_t)op->used_tc, (int64_t)(op->eligible && !half));
	for (k = op->kerns; k != NULL; k = k->next) {
		api = put_metric(d, &k->api);
		gpu = put_metric(d, &k->gpu);
		dbw_put(&d->db, T_KERNEL_SUMMARIES, 0, "iiiiiii", aggr,
		    DOMAIN_ID, op->id, db_word_id(d, k->name), api, gpu,
		    (int64_t)k->tc);
	}
}

void
agg_write(struct db_halves *d, int64_t aggr)
{
	struct type_sum {
		struct db_metric m[N_METRIC];
		int64_t n_ops, n_calls;
	} * types, *t;
	size_t n = d->words.n;
	const struct db_op *op;
	int64_t metrics, op_type;
	int k;

	types = xcalloc(n + 1, sizeof(*types));
	for (op = d->op; op < d->op + d->n_ops; op++) {
		if (is_idle(op))
			continue;
		put_op(d, aggr, op);
		t = &types[op->type];
		t->n_ops++;
		t->n_calls += op->n_calls;
		for (k = 0; k < N_METRIC; k++)
			metric_merge(&t->m[k], &op->m[k]);
	}
	for (t = types; t < types + n; t++) {
		if (t->n_ops == 0)
			continue;
		op_type = db_word_id(d, (uint32_t)(t - types));
		metrics = agg_put_metrics(d, t->m);
		dbw_put(&d->db, T_OP_TYPE_METRICS, 0, "iiiiii", aggr, DOMAIN_ID,
		    op_type, metrics, t->n_ops, t->n_calls);
	}
	free(types);
	put_kernels(d, aggr);
}
