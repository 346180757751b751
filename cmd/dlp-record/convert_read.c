/*
 * The first pass: the records of each process, first those that others refer
 * to, then those that have a time.
 */
#include <stdlib.h>

#include "array.h"
#include "convert.h"
#include "mview.h"

static void
keep_text(struct conv *c, struct map *m, uint64_t key, const char *s, size_t n)
{
	*map_put(m, key, NULL) = smap_put(&c->own, s, n, NULL);
}

/* What rows refer to. The ends of start/end ranges can be on other threads than
 * their beginnings. */
static void
read_meaning(struct conv *c, struct conv_proc *p, const struct rspool_rec *r,
    uint64_t at, uint32_t tid)
{
	const struct rspool_text *text = (const void *)r;
	const struct rspool_clock *clock = (const void *)r;
	const struct rspool_window *window = (const void *)r;
	const struct rspool_callname *call = (const void *)r;
	const struct rspool_named *named = (const void *)r;
	const struct rspool_nvtx_event *event = (const void *)r;
	const struct rspool_node *node = (const void *)r;
	int i;

	switch (r->type) {
	case RSPOOL_FACT:
		conv_fact(c, p, text->text, text->len);
		break;
	case RSPOOL_COUNT:
		for (i = CONV_DROPPED; i <= CONV_BAD; i++)
			if (text_is(text->text, text->len, conv_counts[i].name))
				c->count[i] += (uint64_t)text->t;
		break;
	case RSPOOL_NAME:
		keep_text(c, &p->names, text->id, text->text, text->len);
		break;
	case RSPOOL_TASK:
		keep_text(c, &p->tasks, text->id, text->text, text->len);
		break;
	case RSPOOL_CLOCK:
		i = p->n_clocks > 0 && clock->mono >= p->mono[0];
		p->mono[i] = clock->mono;
		p->real[i] = clock->real;
		p->n_clocks += p->n_clocks < 2;
		break;
	case RSPOOL_WINDOW:
		if (window->on == 0) {
			if (p->off == DBW_NULL || window->t < p->off)
				p->off = window->t;
			break;
		}
		p->on = window->t;
		if (c->duration > 0 && p->off == DBW_NULL)
			p->off = window->t + c->duration;
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
		if (event->what != NVTX_IS_END)
			break;
		*map_put(&p->ends, event->id, NULL) = at;
		*map_put(&p->end_tids, event->id, NULL) = tid;
		break;
	case RSPOOL_GRAPH:
		if (node->exec != 0)
			*map_put(&p->graphs, node->exec, NULL) = node->id;
		break;
	case RSPOOL_SCHEMA:
	case RSPOOL_FIELD:
		ARRAY_GROW(p->schemas.at, p->schemas.n, p->schemas.cap);
		p->schemas.at[p->schemas.n++] = at;
		break;
	default:
		break;
	}
}

static void
read_event(struct conv *c, struct conv_proc *p, struct conv_stack *s,
    uint32_t tid, uint64_t at, const struct rspool_rec *r)
{
	struct conv_ref ref = { p->no, tid, at, 0, DBW_NULL, 0, 0 };
	const struct rspool_named *named = (const void *)r;
	enum rec_table t = RT_NVTX;

	switch (r->type) {
	case RSPOOL_PUSH:
	case RSPOOL_POP:
	case RSPOOL_NVTX:
		conv_nvtx(c, p, s, tid, at, r);
		break;
	case RSPOOL_LABEL:
		if (named->what == LABEL_DEVICE)
			t = RT_NVTX_DEVICE;
		else if (named->what == LABEL_STREAM)
			t = RT_NVTX_STREAM;
		else if (named->what != LABEL_THREAD)
			break;
		/* fall through */
	case RSPOOL_DOMAIN:
	case RSPOOL_CATEGORY:
		ref.start = ref.end = named->t;
		conv_put(c, t, &ref);
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

void
conv_again(struct conv *c, struct conv_ref *ref)
{
	if (conv_is_gpu(ref))
		conv_event(c, ref);
	else
		conv_put(c, ref->table, ref);
}

static void
read_meanings(struct conv *c, struct conv_proc *p)
{
	const struct rspool_part *part = p->file->part;
	const struct rspool_rec *r;
	size_t i, at, was;

	for (i = 0; i < p->file->n_parts; i++)
		for (at = was = part[i].begin;
		     (r = rspool_next(p->file, &part[i], &at)) != NULL;
		     was = at)
			read_meaning(c, p, r, was, part[i].tid);
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
conv_read(struct conv *c)
{
	size_t i;
	int64_t on, start;
	const struct conv_proc *p;

	c->count[CONV_DAMAGED] = c->dir.bad;
	for (i = 0; i < c->dir.n; i++)
		read_meanings(c, &c->proc[i]);
	if (!c->has_window) {
		on = DBW_NULL;
		start = DBW_NULL;
		for (i = 0; i < c->dir.n; i++) {
			p = &c->proc[i];
			if (p->on != DBW_NULL && (on == DBW_NULL || p->on < on))
				on = p->on;
			if (p->start != DBW_NULL &&
			    (start == DBW_NULL || p->start < start))
				start = p->start;
		}
		c->has_window = on != DBW_NULL;
		/* the beginning of what was recorded, or of the first process
		 */
		c->t0 = on != DBW_NULL ? on : start != DBW_NULL ? start : 0;
	}
	for (i = 0; i < c->dir.n; i++)
		read_events(c, &c->proc[i]);
}
