/* What threads did lately; see gaps.h. */
#include "gaps.h"

#include <string.h>

#include "array.h"
#include "num.h"

#define FEW 32     /* these are never worth looking through */
#define MANY 65536 /* kept of a process at most */

void
past_add(struct past *p, struct act a)
{
	ARRAY_GROW(p->v, p->n, p->cap);
	p->v[p->n++] = a;
}

bool
past_is_full(const struct past *p)
{
	return p->n >= FEW && p->n >= p->limit;
}

uint64_t
past_forget(struct past *p, int64_t t)
{
	size_t i, n = 0, drop = 0;

	for (i = 0; i < p->n; i++)
		if (p->v[i].end > t)
			p->v[n++] = p->v[i];
	if (n > MANY) {
		drop = n - MANY / 2;
		memmove(p->v, p->v + drop, (n - drop) * sizeof(*p->v));
		n -= drop;
	}
	p->n = n;
	p->limit = n * 2;
	return drop;
}

void
story_init(struct story *s)
{
	memset(s, 0, sizeof(*s));
	s->range = SMAP_NONE;
}

void
story_add(struct story *s, const struct act *a, int64_t lo, int64_t hi)
{
	struct longest *b;
	int64_t ns;

	if (a->did >= D_N)
		return;
	if (a->did == D_SYNC && a->start <= lo && a->end > lo) {
		s->drained = true;
		s->sync = *a;
	}
	if (a->start > lo)
		lo = a->start;
	if (a->end < hi)
		hi = a->end;
	if (hi <= lo)
		return;
	ns = num_sub(hi, lo);
	if (a->did == D_GRAPH && (s->ns[D_GRAPH] == 0 || lo < s->update)) {
		s->update = lo;
		s->update_tid = a->tid;
	}
	b = &s->best[a->did];
	s->ns[a->did] = num_add(s->ns[a->did], ns);
	if (ns > b->ns)
		*b = (struct longest){ ns, a->tid, a->name };
}

/* The time that the story covers, at least; a thread that only waits in the
 * operating system does not say for what. */
static int64_t
told(const struct story *s)
{
	int64_t most = 0;
	int d;

	for (d = 0; d < D_N; d++)
		if (d != D_OS && s->ns[d] > most)
			most = s->ns[d];
	return most;
}

/* The innermost range of the thread that is open for half of [lo, hi); with
 * hi == lo at that moment. */
static uint32_t
range_in(const struct past *p, int64_t tid, int64_t lo, int64_t hi)
{
	const struct act *a, *in = NULL;
	int64_t from, to;
	size_t i;

	for (i = 0; i < p->n; i++) {
		a = &p->v[i];
		if (a->did != D_RANGE || a->tid != tid)
			continue;
		from = a->start > lo ? a->start : lo;
		to = a->end < hi ? a->end : hi;
		if (to < from || num_sub(to, from) < num_sub(hi, lo) / 2)
			continue;
		if (in == NULL || a->start >= in->start)
			in = a;
	}
	return in != NULL ? in->name : SMAP_NONE;
}

static void
add_others(
    const struct past *p, int64_t tid, int64_t lo, int64_t hi, struct story *s)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].tid != tid && p->v[i].did != D_OS)
			story_add(s, &p->v[i], lo, hi);
}

void
past_tell(
    const struct past *p, int64_t tid, int64_t lo, int64_t hi, struct story *s)
{
	struct story own;
	size_t i;

	story_init(s);
	for (i = 0; i < p->n; i++)
		if (p->v[i].tid == tid)
			story_add(s, &p->v[i], lo, hi);
	s->range = range_in(p, tid, lo, hi);
	if (told(s) < num_sub(hi, lo) / 2) {
		own = *s;
		add_others(p, tid, lo, hi, s);
		if (told(s) < num_sub(hi, lo) / 2 && !s->drained &&
		    (told(&own) > 0 || own.ns[D_OS] > 0))
			*s = own;
	}
	if (s->drained && s->sync.where == SMAP_NONE)
		s->sync.where =
		    range_in(p, s->sync.tid, s->sync.start, s->sync.start);
}

enum did
story_did(const struct story *s, int64_t ns)
{
	int d;

	for (d = 0; d < D_N; d++)
		if (s->ns[d] > 0 && s->ns[d] >= ns - s->ns[d])
			return (enum did)d;
	return D_N;
}
