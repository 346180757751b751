/* The gaps of the devices; see gaps.h. */
#include "gaps.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "put.h"

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
	struct past *p = &state_proc(f, pid)->past;

	if (past_is_full(p))
		g->forgotten += past_forget(p, open_since(g, f));
	past_add(p, a);
}

void
gaps_work(struct gaps *g, struct file *f, int64_t dev, int64_t start,
    int64_t end, const struct work *x)
{
	struct dev *d = state_dev(f, dev);
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
		state_tell(f, x, d->idle_from, x->api, w->story);
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

void
gaps_clear(struct gaps *g)
{
	struct work *w;

	gaps_end(g);
	while ((w = g->spare) != NULL) {
		g->spare = w->next;
		free(w);
	}
	state_free(g);
	memset(g, 0, sizeof(*g));
	g->now = INT64_MIN;
}
