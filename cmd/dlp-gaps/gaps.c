/* When the devices of a section idle; see gaps.h. */
#include "gaps.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "stage.h"

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
		f->dev[i].time.uncut = true;
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
gaps_tell(struct gap_file *f, const struct gap_work *w, int64_t lo, int64_t hi,
    struct story *s)
{
	past_tell(past_of(f, w->pid), w->tid, lo, hi, s);
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
idles(const struct gap_file *f, struct gap_dev *d)
{
	return d->any || steps_begin(&f->steps, &d->idle_from);
}

/* A device's time goes on to t. */
static void
advance(struct gaps *g, struct gap_file *f, struct gap_dev *d, int64_t t)
{
	struct timeline_piece x;
	struct gap_work *w;

	while (timeline_next(&d->time, t, &x)) {
		w = x.what;
		if (x.then == TIMELINE_BEGINS) {
			if (x.mask == 0 && idles(f, d) && x.hi > d->idle_from)
				gap_write(g, f, d, x.hi, w);
		} else if (x.then == TIMELINE_ENDS) {
			d->any = true;
			d->last = w->label;
			if (d->time.mask == 0)
				d->idle_from = x.hi;
			recycle(g, w);
		}
	}
}

/* Since when a gap may last that is not written yet. */
static int64_t
open_since(struct gaps *g, struct gap_file *f)
{
	int64_t t, since = g->now;
	struct gap_dev *d;
	size_t i;

	if (f->n_dev == 0 && steps_begin(&f->steps, &t) && t < since)
		since = t;
	for (i = 0; i < f->n_dev; i++) {
		d = &f->dev[i];
		advance(g, f, d, g->now);
		t = d->time.t;
		if (d->time.mask == 0 && idles(f, d))
			t = d->idle_from;
		else if (!d->any)
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

void
gaps_work(struct gaps *g, struct gap_file *f, int64_t dev, int64_t start,
    int64_t end, const struct gap_work *x)
{
	struct gap_dev *d = device(f, dev);
	struct gap_work *w = g->spare;

	if (w != NULL)
		g->spare = w->next;
	else
		w = xmalloc(sizeof(*w));
	*w = *x;
	advance(g, f, d, g->now);
	if (x->has_api && d->time.mask == 0 && idles(f, d) &&
	    x->api > d->idle_from) {
		w->story = xmalloc(sizeof(*w->story));
		gaps_tell(f, x, d->idle_from, x->api, w->story);
	}
	timeline_add(&d->time, start, end, 0, w);
}

/* The last gap of each device; returns how much work began too early. */
static uint64_t
finish_devices(struct gaps *g)
{
	struct gap_file *f;
	struct gap_dev *d;
	uint64_t early = 0;
	size_t i, k;

	for (i = 0; i < g->n_file; i++) {
		f = &g->file[i];
		for (k = 0; k < f->n_dev; k++) {
			d = &f->dev[k];
			early += d->time.early;
			advance(g, f, d, INT64_MAX);
			if (d->any)
				gap_write_last(g, f, d);
			d->any = false;
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
}

static void
free_file(struct gap_file *f)
{
	size_t k;

	for (k = 0; k < f->n_dev; k++)
		timeline_free(&f->dev[k].time);
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
	smap_free(&g->srcs);
	smap_free(&g->names);
	*g = (struct gaps){ .now = INT64_MIN, .type = g->type };
}
