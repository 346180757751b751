/* The gaps of the devices; see gaps.h. */
#include "gaps.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "put.h"

struct file *
gaps_file(struct gaps *g, const char *src, size_t n)
{
	uint32_t i = src != NULL ? smap_put(&g->srcs, src, n, NULL) : 0;

	if (i >= g->n_file) {
		g->file = xrealloc(g->file, i + 1, sizeof(*g->file));
		memset(&g->file[i], 0, sizeof(*g->file));
		g->n_file = i + 1;
	}
	if (src != NULL)
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

static struct dev *
dev_of(struct file *f, int64_t no)
{
	bool fresh;
	size_t i = place(&f->devs, no, f->n_dev, &fresh);

	if (fresh) {
		f->dev = xrealloc(f->dev, ++f->n_dev, sizeof(*f->dev));
		memset(&f->dev[i], 0, sizeof(*f->dev));
		f->dev[i].no = no;
		sweep_init(&f->dev[i].sweep);
	}
	return &f->dev[i];
}

static struct proc *
proc_of(struct file *f, int64_t pid)
{
	bool fresh;
	size_t i = place(&f->procs, pid, f->n_proc, &fresh);

	if (fresh) {
		f->proc = xrealloc(f->proc, ++f->n_proc, sizeof(*f->proc));
		memset(&f->proc[i], 0, sizeof(*f->proc));
		f->proc[i].pid = pid;
	}
	return &f->proc[i];
}

void
gaps_now(struct gaps *g, int64_t t)
{
	if (t > g->now)
		g->now = t;
}

static void
drop(struct gaps *g, struct work *w)
{
	free(w->story);
	w->story = NULL;
	w->next = g->spare;
	g->spare = w;
}

/* Whether a gap ends when work begins: there was work before, or a step has
 * begun, in which there was none so far. */
static bool
idles(const struct file *f, struct dev *d)
{
	return d->any || steps_begin(&f->steps, &d->idle_from);
}

/* A device's time goes on to t. */
static void
advance(struct gaps *g, struct file *f, struct dev *d, int64_t t)
{
	struct sweep_event e;
	struct work *w;

	while (sweep_next(&d->sweep, t, &e)) {
		w = e.what;
		if (e.begin) {
			if (d->active++ == 0 && idles(f, d) &&
			    e.at > d->idle_from)
				put_gap(g, f, d, e.at, w);
			continue;
		}
		d->any = true;
		d->last = w->label;
		if (--d->active == 0)
			d->idle_from = e.at;
		drop(g, w);
	}
}

/* Since when a gap may last that is not written yet. */
static int64_t
open_since(struct gaps *g, struct file *f)
{
	int64_t t, since = g->now;
	struct dev *d;
	size_t i;

	if (f->n_dev == 0 && steps_begin(&f->steps, &t) && t < since)
		since = t;
	for (i = 0; i < f->n_dev; i++) {
		d = &f->dev[i];
		advance(g, f, d, g->now);
		t = d->sweep.t;
		if (d->active == 0 && idles(f, d))
			t = d->idle_from;
		else if (!d->any)
			continue;
		if (t < since)
			since = t;
	}
	return since;
}

void
gaps_did(struct gaps *g, struct file *f, int64_t pid, struct act a)
{
	struct past *p = &proc_of(f, pid)->past;

	if (past_is_full(p))
		g->forgotten += past_forget(p, open_since(g, f));
	past_add(p, a);
}

void
gaps_tell(struct file *f, const struct work *w, int64_t lo, int64_t hi,
    struct story *s)
{
	past_tell(&proc_of(f, w->pid)->past, w->tid, lo, hi, s);
}

void
gaps_work(struct gaps *g, struct file *f, int64_t dev, int64_t start,
    int64_t end, const struct work *x)
{
	struct dev *d = dev_of(f, dev);
	struct work *w = g->spare;

	if (w != NULL)
		g->spare = w->next;
	else
		w = xmalloc(sizeof(*w));
	*w = *x;
	advance(g, f, d, g->now);
	if (x->has_api && d->active == 0 && idles(f, d) &&
	    x->api > d->idle_from) {
		w->story = xmalloc(sizeof(*w->story));
		gaps_tell(f, x, d->idle_from, x->api, w->story);
	}
	g->early += start < d->sweep.t;
	sweep_add(&d->sweep, start, end, w);
}

void
gaps_end(struct gaps *g)
{
	struct file *f;
	size_t i, k;

	for (i = 0; i < g->n_file; i++) {
		f = &g->file[i];
		for (k = 0; k < f->n_dev; k++) {
			advance(g, f, &f->dev[k], INT64_MAX);
			if (f->dev[k].any)
				put_last(g, f, &f->dev[k]);
			f->dev[k].any = false;
		}
	}
}

static void
clear_file(struct file *f)
{
	size_t k;

	for (k = 0; k < f->n_dev; k++)
		sweep_free(&f->dev[k].sweep);
	for (k = 0; k < f->n_proc; k++)
		free(f->proc[k].past.v);
	free(f->dev);
	free(f->proc);
	free(f->steps.v);
	map_free(&f->devs);
	map_free(&f->procs);
}

void
gaps_clear(struct gaps *g)
{
	struct work *w;
	size_t i;

	gaps_end(g);
	for (i = 0; i < g->n_file; i++)
		clear_file(&g->file[i]);
	free(g->file);
	smap_free(&g->srcs);
	smap_free(&g->names);
	while ((w = g->spare) != NULL) {
		g->spare = w->next;
		free(w);
	}
	memset(g, 0, sizeof(*g));
	g->now = INT64_MIN;
}
