/* Matching kernels into collectives; see coll.h. */
#include <stdlib.h>
#include <string.h>

#include "coll.h"
#include "err.h"
#include "num.h"

#define OPEN_MAX_COLLS 65536 /* collectives that may wait for ranks */
#define LATE_NS 1000000000   /* for how long, with clocks that agree */
#define ENDS_NS 1000000      /* how far ends of one may differ */

static bool
has_part(const struct coll *c, uint32_t part)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->v[i].part == part)
			return true;
	return false;
}

/* Ends that differ by more than a millisecond, and a twentieth of the
 * length, are not those of one collective. */
static bool
ends_fit(const struct coll *c, const struct arrival *a)
{
	int64_t end = num_add(a->start, a->dur), d, most = ENDS_NS;

	d = end > c->end ? num_sub(end, c->end) : num_sub(c->end, end);
	if (a->dur / 20 > most)
		most = a->dur / 20;
	return d <= most;
}

static struct coll *
find(struct colls *cs, const struct comm_type *type, const struct arrival *a)
{
	struct coll *c;

	for (c = cs->open; c < cs->open + cs->n; c++)
		if (c->type->name == type->name && !has_part(c, a->part) &&
		    (!cs->aligned || !type->together || ends_fit(c, a)))
			return c;
	return NULL;
}

static struct coll *
add(struct colls *cs, const struct comm_type *type)
{
	struct coll *c;

	if (cs->n == cs->cap) {
		cs->cap = cs->cap > 0 ? cs->cap * 2 : 64;
		cs->open = xrealloc(cs->open, cs->cap, sizeof(*cs->open));
	}
	c = &cs->open[cs->n++];
	memset(c, 0, sizeof(*c));
	c->type = type;
	c->id = cs->ids++;
	c->nth =
	    (*map_put(&cs->count, (uint64_t)(uintptr_t)type->name, NULL))++;
	c->bytes = PART_NONE;
	c->end = INT64_MIN;
	return c;
}

void
coll_put(struct colls *cs, const struct comm_type *type, uint32_t name,
    int64_t bytes, struct arrival a)
{
	int64_t end = num_add(a.start, a.dur);
	struct coll *c = find(cs, type, &a);

	if (c == NULL) {
		c = add(cs, type);
		c->name = name;
	}
	if (bytes != PART_NONE && bytes > c->bytes)
		c->bytes = bytes;
	if (end > c->end)
		c->end = end;
	if (c->n == c->cap) {
		c->cap = c->cap > 0 ? c->cap * 2 : 8;
		c->v = xrealloc(c->v, c->cap, sizeof(*c->v));
	}
	c->v[c->n++] = a;
}

/* A rank launches its part before the collective ends. */
static bool
whole(const struct colls *cs, const struct coll *c, int64_t now)
{
	if (now == INT64_MAX || (cs->ranks > 0 && c->n >= cs->ranks))
		return true;
	return cs->aligned && num_add(c->end, LATE_NS) < now;
}

void
coll_flush(struct colls *cs, int64_t now)
{
	size_t i = 0;

	if (cs->n > OPEN_MAX_COLLS) {
		cs->overfull++;
		now = cs->n > 0 ? INT64_MAX : now;
	}
	while (i < cs->n && whole(cs, &cs->open[i], now)) {
		cs->done(cs->ctx, &cs->open[i]);
		free(cs->open[i++].v);
	}
	cs->n -= i;
	if (i > 0)
		memmove(cs->open, cs->open + i, cs->n * sizeof(*cs->open));
}

void
coll_forget(struct colls *cs)
{
	smap_free(&cs->names);
	map_free(&cs->count);
	free(cs->open);
	cs->open = NULL;
	cs->n = cs->cap = 0;
	cs->ids = cs->overfull = 0;
}
