/* Sums by op, and their rows; see db_agg.h. */
#include "db_agg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"

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

double
metric_avg(const struct db_metric *m)
{
	return m->n > 0 ? agg_round((double)m->sum / (double)m->n) : 0;
}

/* Writes a row, or shares an equal one that was written recently, as DLProf
 * does. */
int64_t
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
