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
		if (p->off == DBW_NULL || r->t < p->off)
			p->off = r->t;
		return;
	}
	p->on = r->t;
	if (c->duration > 0 && p->off == DBW_NULL)
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
	struct conv_ref ref = { p->no, tid, at, 0, DBW_NULL, 0, 0 };

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
		conv_event(c, &ref);
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

void
conv_again(struct conv *c, struct conv_ref *ref)
{
	if (conv_is_gpu(ref))
		conv_event(c, ref);
	else
		conv_put(c, ref->table, ref);
}

static void
find_zero(struct conv *c)
{
	int64_t on = DBW_NULL, start = DBW_NULL;
	const struct conv_proc *p;
	size_t i;

	for (i = 0; i < c->dir.n; i++) {
		p = &c->proc[i];
		if (p->on != DBW_NULL && (on == DBW_NULL || p->on < on))
			on = p->on;
		if (p->start != DBW_NULL &&
		    (start == DBW_NULL || p->start < start))
			start = p->start;
	}
	c->has_window = on != DBW_NULL;
	/* the beginning of what was recorded, or of the first process */
	c->t0 = on != DBW_NULL ? on : start != DBW_NULL ? start : 0;
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
