/* Sums by op, and by op and iteration; see agg.h. */
#include "agg.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agg_kern.h"
#include "err.h"
#include "num.h"
#include "ops.h"

void
agg_start(struct dldb *d)
{
	d->agg = xcalloc(1, sizeof(*d->agg));
	d->agg->fd = -1;
	agg_kern_start(d->agg, d->memory);
}

void
agg_free(struct dldb *d)
{
	struct agg *a = d->agg;

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
to_many(struct op *op)
{
	int i;

	op->m = xcalloc(N_METRIC, sizeof(*op->m));
	for (i = 0; i < N_METRIC; i++)
		if (op->has & 1u << i)
			metric_add(&op->m[i], op->v[i]);
}

void
agg_run(struct dldb *d, const struct run *u)
{
	struct op *op = u->op;
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
kern_of(struct op *op, uint32_t name)
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
memory(struct dldb *d, const struct work *w)
{
	struct category *c = &d->agg->memory;
	const char *s;
	size_t n;

	c->gpu = num_add(c->gpu, num_sub(w->end, w->start));
	if (w->own_call)
		c->cpu = num_add(c->cpu, w->api_dur);
	s = rec_raw(w->r, work_cols[w->kind].api, &n);
	if (s != NULL)
		smap_put(&d->agg->mem_names, s, n, NULL);
}

/* Names are counted apart: those that used Tensor Cores, and others. */
static void
name_seen(struct dldb *d, struct kern_sum *k, bool tc)
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
kernel(struct dldb *d, const struct work *w)
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
agg_wants(enum kind kind)
{
	return kind == K_KERN || kind == K_COPY || kind == K_SET;
}

void
agg_work(struct dldb *d, const struct work *w)
{
	if (w->iter < 0)
		return;
	if (w->kind == K_KERN)
		kernel(d, w);
	else if (w->kind == K_COPY || w->kind == K_SET)
		memory(d, w);
}

static void
category_add(struct category *c, const struct op *op)
{
	c->cpu = num_add(c->cpu, op_metric(op, M_CPU).sum);
	c->gpu = num_add(c->gpu, op_metric(op, M_GPU).sum);
	c->overhead = num_add(c->overhead, op_metric(op, M_OVERHEAD).sum);
	c->idle = num_add(c->idle, op_metric(op, M_IDLE).sum);
	c->count++;
}

static void
kern_totals(struct totals *t, const struct op *op)
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
agg_totals(struct dldb *d, struct totals *t)
{
	const struct op *op;
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
