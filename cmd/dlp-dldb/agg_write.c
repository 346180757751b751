/* The rows of ops, kernel names and op types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "agg_kern.h"
#include "err.h"
#include "map.h"
#include "ops.h"

double
round6(double v)
{
	char s[64];

	snprintf(s, sizeof(s), "%.6f", v);
	return strtod(s, NULL);
}

double
metric_avg(const struct metric *m)
{
	return m->n > 0 ? round6((double)m->sum / (double)m->n) : 0;
}

/* Rows that are equal to one of late are shared, as DLProf shares them. */
int64_t
put_metric(struct dldb *d, const struct metric *m, double avg)
{
	static struct ins in = { .table = "metric" };
	static struct {
		struct metric m;
		double avg;
		int64_t id;
	} cache[4096], *c;

	c = &cache[hash_mix((uint64_t)m->sum * 3 + (uint64_t)m->max) & 4095];
	if (c->id != 0 && memcmp(&c->m, m, sizeof(*m)) == 0 &&
	    !(c->avg < avg) && !(c->avg > avg))
		return c->id;
	c->m = *m;
	c->avg = avg;
	c->id =
	    db_put(&d->db, &in, 0, "iiiif", m->n, m->max, m->min, m->sum, avg);
	return c->id;
}

int64_t
put_metrics(struct dldb *d, const struct metric m[N_METRIC])
{
	static struct ins in = { .table = "node_time_metrics" };
	int64_t id[N_METRIC];
	int i;

	for (i = 0; i < N_METRIC; i++)
		id[i] = put_metric(d, &m[i], metric_avg(&m[i]));
	return db_put(
	    &d->db, &in, 0, "iiiii", id[0], id[1], id[2], id[3], id[4]);
}

static void
put_kerns(struct dldb *d, int64_t aggr, const struct op *op)
{
	static struct ins in = { .table = "kernel_summaries" };
	const struct kern_sum *k;
	int64_t api, gpu;

	for (k = op->kerns; k != NULL; k = k->next) {
		api = put_metric(d, &k->api, metric_avg(&k->api));
		gpu = put_metric(d, &k->gpu, metric_avg(&k->gpu));
		db_put(&d->db, &in, 0, "iiiiiii", aggr, DOMAIN_ID, op->id,
		    word_id(d, k->name), api, gpu, (int64_t)k->tc);
	}
}

static int64_t
put_kern_times(struct dldb *d, const struct op *op)
{
	static struct ins in = { .table = "kernel_time_metrics" };
	struct metric api = { 0 }, gpu = { 0 };
	const struct kern_sum *k;
	int64_t id;

	for (k = op->kerns; k != NULL; k = k->next) {
		metric_merge(&api, &k->api);
		metric_merge(&gpu, &k->gpu);
	}
	id = put_metric(d, &api, metric_avg(&api));
	return db_put(
	    &d->db, &in, 0, "ii", id, put_metric(d, &gpu, metric_avg(&gpu)));
}

static void
put_op(struct dldb *d, int64_t aggr, const struct op *op)
{
	static struct ins in = { .table = "op_nodes" };
	struct metric m[N_METRIC];
	int64_t times, kerns;
	bool half;
	int i;

	for (i = 0; i < N_METRIC; i++)
		m[i] = op_metric(op, i);
	half = strcmp(word_text(d, op->dtype), "float16") == 0;
	times = put_metrics(d, m);
	kerns = put_kern_times(d, op);
	db_put(&d->db, &in, 0, "iiiiiiiii", aggr, op->id, times, kerns,
	    op->n_calls, op->n_kern, (int64_t)op->eligible,
	    (int64_t)op->used_tc, (int64_t)(op->eligible && !half));
	put_kerns(d, aggr, op);
}

struct type_sum {
	struct metric m[N_METRIC];
	int64_t n_ops, n_calls;
	bool any;
};

static void
put_types(struct dldb *d, int64_t aggr, const struct type_sum *t, size_t n)
{
	static struct ins in = { .table = "op_type_metrics" };
	int64_t type;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!t[i].any)
			continue;
		type = word_id(d, (uint32_t)i);
		db_put(&d->db, &in, 0, "iiiiii", aggr, DOMAIN_ID, type,
		    put_metrics(d, t[i].m), t[i].n_ops, t[i].n_calls);
	}
}

void
agg_write(struct dldb *d, int64_t aggr)
{
	size_t n = d->words.n, i;
	struct type_sum *types = xcalloc(n + 1, sizeof(*types)), *t;
	const struct op *op;
	struct metric m;
	int k;

	for (i = 0; i < ops_count(d); i++) {
		op = ops_nth(d, i);
		if (op->n_calls == 0 && op->n_kern == 0)
			continue;
		put_op(d, aggr, op);
		t = &types[op->type];
		t->any = true;
		t->n_ops++;
		t->n_calls += op->n_calls;
		for (k = 0; k < N_METRIC; k++) {
			m = op_metric(op, k);
			metric_merge(&t->m[k], &m);
		}
	}
	put_types(d, aggr, types, n);
	free(types);
	agg_kern_write(d, aggr);
}
