/* The time of a device as a row of pieces; see timeline.h. */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

#define BEHIND 4096 /* launches */

void
timeline_init(struct timeline *tl)
{
	memset(tl, 0, sizeof(*tl));
	tl->t = tl->from = INT64_MIN;
}

void
timeline_add(
    struct timeline *tl, int64_t start, int64_t end, int kind, void *what)
{
	struct timed x = { .at = start, .end = end, .kind = kind, .p = what };

	if (x.at < tl->t) {
		tl->early++;
		x.at = tl->t;
	}
	if (x.end < x.at)
		x.end = x.at;
	timeheap_push(&tl->soon, x);
}

bool
timeline_next(struct timeline *tl, int64_t to, struct timeline_piece *x)
{
	bool begins = tl->soon.n > 0 &&
		      (tl->on.n == 0 || tl->soon.v[0].at <= tl->on.v[0].at);
	struct timed e;

	x->lo = tl->from;
	x->mask = tl->mask;
	if (begins ? tl->soon.v[0].at >= to
		   : tl->on.n == 0 || tl->on.v[0].at >= to) {
		/* nothing happens before `to` */
		if (to <= tl->t)
			return false;
		tl->t = to;
		if (tl->uncut)
			return false;
		tl->from = x->hi = to;
		x->then = TIMELINE_STOPS;
		x->what = NULL;
		return true;
	}
	e = timeheap_pop(begins ? &tl->soon : &tl->on);
	tl->t = tl->from = x->hi = e.at;
	x->what = e.p;
	x->then = begins ? TIMELINE_BEGINS : TIMELINE_ENDS;
	if (!begins) {
		if (--tl->active[e.kind] == 0)
			tl->mask &= ~(1u << e.kind);
		return true;
	}
	if (tl->active[e.kind]++ == 0)
		tl->mask |= 1u << e.kind;
	e.at = e.end;
	timeheap_push(&tl->on, e);
	return true;
}

void
timeline_free(struct timeline *tl)
{
	timeheap_free(&tl->soon);
	timeheap_free(&tl->on);
	timeline_init(tl);
}

int64_t
launches_put(struct launches *l, int64_t now)
{
	int64_t *at, t;

	if (l->at == NULL)
		l->at = xmalloc(BEHIND * sizeof(*l->at));
	at = &l->at[l->n++ % BEHIND];
	t = l->n > BEHIND ? *at : INT64_MIN;
	*at = now;
	return t;
}

void
launches_free(struct launches *l)
{
	free(l->at);
	memset(l, 0, sizeof(*l));
}
