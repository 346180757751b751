/*
 * The first pass: the records of each process, first those that others refer
 * to, then those that have a time.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "convert.h"

static void
keep_text(struct conv *c, struct map *m, uint64_t key, const char *s, size_t n)
{
	*map_put(m, key, NULL) = smap_put(&c->own, s, n, NULL);
}

static void
read_clock(struct conv_proc *p, const struct rspool_clock *r)
{
	int i = p->n_clocks == 0 || r->mono < p->mono[0] ? 0 : 1;

	p->mono[i] = r->mono;
	p->real[i] = r->real;
	if (p->n_clocks < 2)
		p->n_clocks++;
}

static void
read_window(struct conv *c, struct conv_proc *p, const struct rspool_window *r)
{
	if (r->on == 0) {
		if (p->off == RECDB_NULL || r->t < p->off)
			p->off = r->t;
		return;
	}
	p->on = r->t;
	if (c->duration > 0 && p->off == RECDB_NULL)
		p->off = r->t + c->duration;
}

static void
read_text(struct conv *c, struct conv_proc *p, const struct rspool_text *r)
{
	static const struct {
		const char *name;
		enum conv_counter counter;
	} counts[] = { { "records_lost", CONV_LOST },
		{ "cupti_dropped", CONV_DROPPED },
		{ "cupti_records_bad", CONV_BAD } };
	size_t i;

	switch (r->rec.type) {
	case RSPOOL_FACT:
		conv_fact(c, p, r->text, r->len);
		break;
	case RSPOOL_COUNT:
		for (i = 0; i < ARRAY_LEN(counts); i++)
			if (strlen(counts[i].name) == r->len &&
			    memcmp(counts[i].name, r->text, r->len) == 0)
				c->count[counts[i].counter] += (uint64_t)r->t;
		break;
	case RSPOOL_NAME:
		keep_text(c, &p->names, r->id, r->text, r->len);
		break;
	case RSPOOL_TASK:
		keep_text(c, &p->tasks, r->id, r->text, r->len);
		break;
	default:
		break;
	}
}

/* The ends of start/end ranges can be on other threads than their beginnings.
 */
static void
read_end(struct conv_proc *p, const struct rspool_nvtx_event *r, uint64_t at,
    uint32_t tid)
{
	if (r->what != NVTX_IS_END)
		return;
	*map_put(&p->ends, r->id, NULL) = at;
	*map_put(&p->end_tids, r->id, NULL) = tid;
}

static void
read_graph(struct conv_proc *p, const struct rspool_node *r)
{
	if (r->exec != 0)
		*map_put(&p->graphs, r->exec, NULL) = r->id;
}

/* What rows refer to. */
static void
read_meaning(struct conv *c, struct conv_proc *p, const struct rspool_rec *r,
    uint64_t at, uint32_t tid)
{
	const struct rspool_callname *call = (const void *)r;
	const struct rspool_named *named = (const void *)r;

	switch (r->type) {
	case RSPOOL_CLOCK:
		read_clock(p, (const void *)r);
		break;
	case RSPOOL_WINDOW:
		read_window(c, p, (const void *)r);
		break;
	case RSPOOL_CALLNAME:
		keep_text(c, &p->calls,
		    (uint64_t)call->runtime << 32 | call->cbid, call->text,
		    call->len);
		break;
	case RSPOOL_STRING:
		keep_text(c, &p->strings, named->id, named->text, named->len);
		break;
	case RSPOOL_NVTX:
		read_end(p, (const void *)r, at, tid);
		break;
	case RSPOOL_GRAPH:
		read_graph(p, (const void *)r);
		break;
	case RSPOOL_SCHEMA:
	case RSPOOL_FIELD:
		ARRAY_GROW(p->schemas.at, p->schemas.n, p->schemas.cap);
		p->schemas.at[p->schemas.n++] = at;
		break;
	default:
		read_text(c, p, (const void *)r);
		break;
	}
}

/* Work of the GPU: it is put into the order of its stream first. */
static void
put_gpu(struct conv *c, struct conv_proc *p, struct conv_ref *ref,
    enum recdb_table t, const uint32_t lane[3])
{
	unsigned char key[4 * 4 + 16];
	uint32_t part[4] = { p->no, lane[0], lane[1], lane[2] };
	uint64_t time[2] = { (uint64_t)ref->start, (uint64_t)ref->end };
	int i, k;

	c->has_cuda = true;
	if (ref->start <= 0 || ref->end <= 0 || ref->end < ref->start) {
		c->count[CONV_UNTIMED]++;
		return;
	}
	ref->table = t;
	if (conv_holds(c)) {
		conv_hold(c, t, ref);
		return;
	}
	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++)
			key[4 * i + k] =
			    (unsigned char)(part[i] >> 8 * (3 - k));
	for (i = 0; i < 2; i++)
		for (k = 0; k < 8; k++)
			key[16 + 8 * i + k] =
			    (unsigned char)(time[i] >> 8 * (7 - k));
	xsort_put(&c->gpu, key, sizeof(key), ref, sizeof(*ref));
}

static void
set_times(
    const struct conv_proc *p, struct conv_ref *ref, int64_t start, int64_t end)
{
	ref->start = start > 0 ? conv_time(p, start) : 0;
	ref->end = end > 0 ? conv_time(p, end) : 0;
}

/* Records of work on the GPU. Returns false if r is none. */
static bool
read_gpu(struct conv *c, struct conv_proc *p, struct conv_ref *ref,
    const struct rspool_rec *r)
{
	const struct rspool_kernel *k = (const void *)r;
	const struct rspool_copy *y = (const void *)r;
	const struct rspool_set *s = (const void *)r;
	const struct rspool_graphrun *g = (const void *)r;

	switch (r->type) {
	case RSPOOL_KERNEL:
		set_times(p, ref, k->start, k->end);
		put_gpu(c, p, ref, RT_KERNEL,
		    (uint32_t[]){ k->dev, k->ctx, k->stream });
		return true;
	case RSPOOL_COPY:
		set_times(p, ref, y->start, y->end);
		put_gpu(c, p, ref, RT_MEMCPY,
		    (uint32_t[]){ y->dev, y->ctx, y->stream });
		return true;
	case RSPOOL_SET:
		set_times(p, ref, s->start, s->end);
		put_gpu(c, p, ref, RT_MEMSET,
		    (uint32_t[]){ s->dev, s->ctx, s->stream });
		return true;
	case RSPOOL_GRAPHRUN:
		set_times(p, ref, g->start, g->end);
		put_gpu(c, p, ref, RT_GRAPH_TRACE,
		    (uint32_t[]){ g->dev, g->ctx, g->stream });
		return true;
	default:
		return false;
	}
}

/* Other records with one or two times: t and, if end is set, its end. */
static void
read_timed(struct conv *c, struct conv_proc *p, struct conv_ref *ref,
    const struct rspool_rec *r)
{
	const struct rspool_call *k = (const void *)r;
	const struct rspool_sync *s = (const void *)r;
	const struct rspool_overhead *o = (const void *)r;
	const struct rspool_memory *m = (const void *)r;
	const struct rspool_pool *l = (const void *)r;
	const struct rspool_node *n = (const void *)r;

	switch (r->type) {
	case RSPOOL_CALL:
		set_times(p, ref, k->start, k->end);
		conv_put(c, RT_CALLS, ref);
		break;
	case RSPOOL_SYNC:
		set_times(p, ref, s->start, s->end);
		conv_put(c, RT_SYNC, ref);
		break;
	case RSPOOL_OVERHEAD:
		set_times(p, ref, o->start, o->end);
		conv_put(c, RT_OVERHEAD, ref);
		break;
	case RSPOOL_MEMORY:
		set_times(p, ref, m->t, m->t);
		conv_put(c, RT_MEMORY, ref);
		break;
	case RSPOOL_POOL:
		set_times(p, ref, l->t, l->t);
		conv_put(c, RT_POOLS, ref);
		break;
	case RSPOOL_NODE:
	case RSPOOL_GRAPH:
		ref->start = ref->end = n->t;
		conv_put(c, r->type == RSPOOL_NODE ? RT_NODES : RT_GRAPHS, ref);
		break;
	default:
		break;
	}
}

/* Rows without a time come in the order of their table only. */
static void
read_untimed(struct conv *c, struct conv_ref *ref, const struct rspool_rec *r)
{
	static const struct {
		uint16_t type;
		enum recdb_table table;
	} map[] = { { RSPOOL_EVENT, RT_CUDA_EVENT },
		{ RSPOOL_CONTEXT, RT_CONTEXT }, { RSPOOL_STREAM, RT_STREAM } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(map); i++)
		if (map[i].type == r->type) {
			ref->start = ref->end = c->t0;
			conv_put(c, map[i].table, ref);
		}
}

/* Names of domains, categories, threads, streams. */
static void
read_named(struct conv *c, struct conv_ref *ref, const struct rspool_named *r)
{
	ref->start = ref->end = r->t;
	if (r->rec.type == RSPOOL_LABEL && r->what == LABEL_DEVICE)
		conv_put(c, RT_NVTX_DEVICE, ref);
	else if (r->rec.type == RSPOOL_LABEL && r->what == LABEL_STREAM)
		conv_put(c, RT_NVTX_STREAM, ref);
	else if (r->rec.type != RSPOOL_STRING &&
		 (r->rec.type != RSPOOL_LABEL || r->what == LABEL_THREAD))
		conv_put(c, RT_NVTX, ref);
}

static void
read_event(struct conv *c, struct conv_proc *p, struct conv_stack *s,
    uint32_t tid, uint64_t at, const struct rspool_rec *r)
{
	struct conv_ref ref = { p->no, tid, at, 0, RECDB_NULL, 0, 0 };

	switch (r->type) {
	case RSPOOL_PUSH:
	case RSPOOL_POP:
	case RSPOOL_NVTX:
		conv_push(c, p, s, tid, at, r);
		break;
	case RSPOOL_DOMAIN:
	case RSPOOL_CATEGORY:
	case RSPOOL_LABEL:
		read_named(c, &ref, (const void *)r);
		break;
	case RSPOOL_NOTE:
		ref.start = ref.end = ((const struct rspool_text *)r)->t;
		conv_put(c, RT_DIAGNOSTIC, &ref);
		break;
	default:
		if (read_gpu(c, p, &ref, r))
			break;
		read_timed(c, p, &ref, r);
		read_untimed(c, &ref, r);
		break;
	}
}

static void
read_meanings(struct conv *c, struct conv_proc *p)
{
	const struct rspool_rec *r;
	size_t i, at, was;

	for (i = 0; i < p->file->n_parts; i++)
		for (at = was = p->file->part[i].begin;
		     (r = rspool_next(p->file, &p->file->part[i], &at)) != NULL;
		     was = at)
			read_meaning(c, p, r, was, p->file->part[i].tid);
}

static void
read_events(struct conv *c, struct conv_proc *p)
{
	struct conv_stack own = { 0 }, *stack = &own;
	const struct rspool_part *part = p->file->part;
	const struct rspool_rec *r;
	size_t i, at, was;

	for (i = 0; i < p->file->n_parts; i++) {
		if (c->live != NULL)
			stack = conv_live_stack(c, p, part[i].tid);
		for (at = was = part[i].begin;
		     (r = rspool_next(p->file, &part[i], &at)) != NULL;
		     was = at)
			read_event(c, p, stack, part[i].tid, was, r);
		if (c->live == NULL && (i + 1 == p->file->n_parts ||
					   part[i + 1].tid != part[i].tid))
			conv_end_thread(c, p, stack, part[i].tid);
	}
	free(own.open);
}

bool
conv_is_gpu(const struct conv_ref *ref)
{
	return ref->table == RT_KERNEL || ref->table == RT_MEMCPY ||
	       ref->table == RT_MEMSET || ref->table == RT_GRAPH_TRACE;
}

/* 0 if it has none. */
uint32_t
conv_corr(const struct conv *c, const struct conv_ref *ref)
{
	const void *r = conv_rec(c, ref);

	switch (((const struct rspool_rec *)r)->type) {
	case RSPOOL_KERNEL:
		return ((const struct rspool_kernel *)r)->corr;
	case RSPOOL_COPY:
		return ((const struct rspool_copy *)r)->corr;
	case RSPOOL_SET:
		return ((const struct rspool_set *)r)->corr;
	case RSPOOL_GRAPHRUN:
		return ((const struct rspool_graphrun *)r)->corr;
	case RSPOOL_CALL:
		return ((const struct rspool_call *)r)->corr;
	default:
		return 0;
	}
}

void
conv_again(struct conv *c, struct conv_ref *ref)
{
	if (conv_is_gpu(ref))
		read_gpu(c, &c->proc[ref->proc], ref, conv_rec(c, ref));
	else
		conv_put(c, ref->table, ref);
}

static void
find_zero(struct conv *c)
{
	int64_t on = RECDB_NULL, start = RECDB_NULL;
	const struct conv_proc *p;
	size_t i;

	for (i = 0; i < c->dir.n; i++) {
		p = &c->proc[i];
		if (p->on != RECDB_NULL && (on == RECDB_NULL || p->on < on))
			on = p->on;
		if (p->start != RECDB_NULL &&
		    (start == RECDB_NULL || p->start < start))
			start = p->start;
	}
	c->has_window = on != RECDB_NULL;
	/* the beginning of what was recorded, or of the first process */
	c->t0 = on != RECDB_NULL ? on : start != RECDB_NULL ? start : 0;
}

void
conv_read(struct conv *c)
{
	size_t i;

	c->count[CONV_DAMAGED] = c->dir.bad;
	for (i = 0; i < c->dir.n; i++)
		read_meanings(c, &c->proc[i]);
	if (!c->has_window)
		find_zero(c);
	for (i = 0; i < c->dir.n; i++)
		read_events(c, &c->proc[i]);
}
