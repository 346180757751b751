/* When the devices of a section idle; see gaps.h. */
#include "gaps.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "stage.h"

#define BEHIND 4096 /* launches, until gaps are written */
#define HELD 32768  /* works of a device that wait for the next step */

struct gap_file *
gaps_file(struct gaps *g, struct mview src)
{
	uint32_t i = src.s != NULL ? smap_put(&g->srcs, src.s, src.n, NULL) : 0;

	if (i >= g->n_file) {
		g->file = xrealloc(g->file, i + 1, sizeof(*g->file));
		memset(&g->file[i], 0, sizeof(*g->file));
		g->n_file = i + 1;
	}
	if (src.s != NULL)
		g->file[i].name = smap_str(&g->srcs, i, NULL);
	return &g->file[i];
}

uint32_t
gaps_name(struct gaps *g, const char *s, size_t n)
{
	return s != NULL ? smap_put(&g->names, s, n, NULL) : SMAP_NONE;
}

static size_t
place(struct map *m, int64_t key, size_t n, bool *fresh)
{
	uint64_t *v = map_put(m, (uint64_t)key, fresh);

	if (*fresh)
		*v = n;
	return (size_t)*v;
}

static struct gap_dev *
device(struct gap_file *f, int64_t no)
{
	bool fresh;
	size_t i = place(&f->devs, no, f->n_dev, &fresh);

	if (fresh) {
		f->dev = xrealloc(f->dev, ++f->n_dev, sizeof(*f->dev));
		memset(&f->dev[i], 0, sizeof(*f->dev));
		f->dev[i].no = no;
		timeline_init(&f->dev[i].time);
		timeline_init(&f->dev[i].lead.time);
		f->dev[i].time.uncut = f->dev[i].lead.time.uncut = true;
	}
	return &f->dev[i];
}

static struct past *
past_of(struct gap_file *f, int64_t pid)
{
	bool fresh;
	size_t i = place(&f->procs, pid, f->n_proc, &fresh);

	if (fresh) {
		f->proc = xrealloc(f->proc, ++f->n_proc, sizeof(*f->proc));
		memset(&f->proc[i], 0, sizeof(*f->proc));
		f->proc[i].pid = pid;
	}
	return &f->proc[i].past;
}

void
gaps_event(struct gap_file *f, int64_t lo, int64_t hi)
{
	if (!f->any_event || lo < f->begin)
		f->begin = lo;
	if (!f->any_event || hi > f->end)
		f->end = hi;
	f->any_event = true;
}

void
gaps_now(struct gaps *g, int64_t t)
{
	if (t > g->now)
		g->now = t;
}

static void
recycle(struct gaps *g, struct gap_work *w)
{
	free(w->story);
	w->story = NULL;
	w->next = g->spare;
	g->spare = w;
}

/* Whether a gap ends when work begins on the idle device: there was work
 * before, or a step has begun, in which there was none so far. */
static bool
idles(const struct gap_file *f, bool any, int64_t *from)
{
	if (any)
		return true;
	if (!f->steps.any_step)
		return false;
	*from = f->steps.first;
	if (*from == INT64_MIN && f->any_event)
		*from = f->begin;
	return *from != INT64_MIN;
}

/* A device's time goes on to t: gaps are written. */
static void
advance(struct gaps *g, struct gap_file *f, struct gap_dev *d, int64_t t)
{
	struct timeline_piece x;
	struct gap_work *w;

	while (timeline_next(&d->time, t, &x)) {
		w = x.what;
		if (x.then == TIMELINE_BEGINS) {
			if (x.mask == 0 && idles(f, d->any, &d->idle_from) &&
			    x.hi > d->idle_from)
				gap_write(g, f, d, x.hi, w);
			d->any = true;
		} else if (x.then == TIMELINE_ENDS) {
			d->last = w->label;
			if (d->time.mask == 0)
				d->idle_from = x.hi;
			recycle(g, w);
		}
	}
}

/* What is known at the newest launch. */
static void
advance_lead(struct gap_lead *l, int64_t t)
{
	struct timeline_piece x;

	while (timeline_next(&l->time, t, &x)) {
		if (x.then != TIMELINE_ENDS)
			continue;
		l->any = true;
		if (l->time.mask == 0)
			l->idle_from = x.hi;
	}
}

/* How far time has come BEHIND launches ago; while it is not known whether
 * another step follows, its work waits. */
static int64_t
frontier(
    const struct gaps *g, const struct gap_file *f, const struct gap_dev *d)
{
	int64_t t = INT64_MIN;

	if (g->n_launch >= BEHIND)
		t = g->past_now[g->n_launch % BEHIND];
	if (steps_open(&f->steps) && d->time.soon.n < HELD &&
	    f->steps.v[f->steps.n - 1].at < t)
		t = f->steps.v[f->steps.n - 1].at;
	return t;
}

/* Since when a gap may last whose reason is not known yet. */
static int64_t
open_since(struct gaps *g, struct gap_file *f)
{
	int64_t t, since = g->now;
	struct gap_lead *l;
	size_t i;

	if (f->n_dev == 0 && idles(f, false, &t) && t < since)
		since = t;
	for (i = 0; i < f->n_dev; i++) {
		l = &f->dev[i].lead;
		advance_lead(l, g->now);
		t = l->time.t;
		if (l->time.mask == 0 && idles(f, l->any, &l->idle_from))
			t = l->idle_from;
		else if (!l->any)
			continue;
		if (t < since)
			since = t;
	}
	return since;
}

void
gaps_did(struct gaps *g, struct gap_file *f, int64_t pid, struct act a)
{
	struct past *p = past_of(f, pid);

	if (past_is_full(p))
		g->forgotten += past_forget(p, open_since(g, f));
	past_add(p, a);
}

/* What was done until the launch. If its thread only waited, and the newest
 * launch was another thread's (the autograd thread waits for the one of the
 * forward pass), it is what that one did, unless it waited too. */
static struct story *
story_of(struct gap_file *f, const struct gap_lead *l, const struct gap_work *x)
{
	struct past *p = past_of(f, x->pid);
	struct story *s = xmalloc(sizeof(*s)), other;
	int64_t ns = num_sub(x->api, l->idle_from);

	past_tell(p, x->tid, l->idle_from, x->api, s);
	if (!l->has_tid || l->pid != x->pid || l->tid == x->tid ||
	    story_did(s, ns) != D_OS)
		return s;
	past_tell(p, l->tid, l->idle_from, x->api, &other);
	if (story_did(&other, ns) != D_OS)
		*s = other;
	return s;
}

static void
remember_launch(struct gaps *g)
{
	if (g->past_now == NULL)
		g->past_now = xmalloc(BEHIND * sizeof(*g->past_now));
	g->past_now[g->n_launch++ % BEHIND] = g->now;
}

void
gaps_work(struct gaps *g, struct gap_file *f, int64_t dev, int64_t start,
    int64_t end, const struct gap_work *x)
{
	struct gap_dev *d = device(f, dev);
	struct gap_lead *l = &d->lead;
	struct gap_work *w = g->spare;

	if (w != NULL)
		g->spare = w->next;
	else
		w = xmalloc(sizeof(*w));
	*w = *x;
	advance_lead(l, g->now);
	if (x->has_api && l->time.mask == 0 &&
	    idles(f, l->any, &l->idle_from) && x->api > l->idle_from)
		w->story = story_of(f, l, x);
	l->pid = x->pid;
	l->tid = x->tid;
	l->has_tid = x->has_tid;
	timeline_add(&l->time, start, end, 0, NULL);
	advance(g, f, d, frontier(g, f, d));
	timeline_add(&d->time, start, end, 0, w);
	remember_launch(g);
}

/* The last gaps of each device; returns how much work began too early. */
static uint64_t
finish_devices(struct gaps *g)
{
	struct gap_file *f;
	uint64_t early = 0;
	size_t i, k;

	for (i = 0; i < g->n_file; i++) {
		f = &g->file[i];
		for (k = 0; k < f->n_dev; k++) {
			early += f->dev[k].time.early;
			advance(g, f, &f->dev[k], INT64_MAX);
			gap_write_edges(g, f, &f->dev[k]);
		}
	}
	return early;
}

void
gaps_end(struct gaps *g)
{
	uint64_t early = finish_devices(g);

	stage_note("gaps_started_early", early);
	stage_note("gaps_past_forgotten", g->forgotten);
	stage_note("gaps_undecided", g->undecided);
}

static void
free_file(struct gap_file *f)
{
	size_t k;

	for (k = 0; k < f->n_dev; k++) {
		timeline_free(&f->dev[k].time);
		timeline_free(&f->dev[k].lead.time);
		free(f->dev[k].first);
	}
	for (k = 0; k < f->n_proc; k++)
		free(f->proc[k].past.v);
	free(f->dev);
	free(f->proc);
	steps_free(&f->steps);
	map_free(&f->devs);
	map_free(&f->procs);
}

void
gaps_clear(struct gaps *g)
{
	struct gap_work *w;
	size_t i;

	for (i = 0; i < g->n_file; i++)
		free_file(&g->file[i]);
	while ((w = g->spare) != NULL) {
		g->spare = w->next;
		free(w);
	}
	free(g->file);
	free(g->past_now);
	smap_free(&g->srcs);
	smap_free(&g->names);
	*g = (struct gaps){ .now = INT64_MIN, .type = g->type };
}
