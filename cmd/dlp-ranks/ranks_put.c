/*
 * The records that dlp-ranks adds. A collective takes as long as on the rank
 * that came last, which had nobody to wait for: the least of all ranks. What
 * it took longer on another rank was waiting, whatever the clocks say. Who came
 * when can only be said if clocks agree.
 */
#include <stdlib.h>
#include <string.h>

#include "natural.h"
#include "num.h"
#include "out.h"
#include "collective.h"
#include "stage.h"

struct coll_sums {
	const struct arrival *first, *last;
	int64_t start, end_lo, comm, longest, wait, iter;
};

void
ranks_put_open(struct ranks_out *o)
{
	o->coll = out_type_reg("coll", "dlp-ranks");
	o->arrive = out_type_reg("arrive", "dlp-ranks");
	o->comm = out_type_reg("comm", "dlp-ranks");
	o->skew = out_type_reg("skew", "dlp-ranks");
}

static void
put_known(int64_t v)
{
	out_opt(v != PART_NONE, v);
}

static void
put_label(const struct rank_parts *ps, uint32_t part)
{
	out_raw(ps->v[part].label, strlen(ps->v[part].label));
}

static void
put_src(const struct rank_parts *ps, uint32_t part)
{
	size_t n = 0;
	const char *s = NULL;

	if (ps->v[part].src != SMAP_NONE)
		s = smap_str(&ps->srcs, ps->v[part].src, &n);
	out_raw(s, n);
}

/* Whether a came before b: by the clock if clocks agree. Otherwise the kernel
 * that took longer came first, because all of them end together. */
static bool
came_before(bool aligned, const struct arrival *a, const struct arrival *b)
{
	return aligned ? a->start < b->start : a->dur > b->dur;
}

static struct coll_sums
add_up(const struct open_colls *cs, const struct rank_coll *c)
{
	struct coll_sums s = { .start = INT64_MAX,
		.end_lo = INT64_MAX,
		.comm = INT64_MAX,
		.iter = PART_NONE };
	const struct arrival *a;

	for (a = c->v; a < c->v + c->n; a++) {
		if (s.first == NULL || came_before(cs->aligned, a, s.first))
			s.first = a;
		if (s.last == NULL || came_before(cs->aligned, s.last, a))
			s.last = a;
		if (a->start < s.start)
			s.start = a->start;
		if (num_add(a->start, a->dur) < s.end_lo)
			s.end_lo = num_add(a->start, a->dur);
		if (a->dur < s.comm)
			s.comm = a->dur;
		if (a->dur > s.longest)
			s.longest = a->dur;
		if (s.iter == PART_NONE)
			s.iter = a->iter;
	}
	for (a = c->v; a < c->v + c->n; a++)
		s.wait = num_add(s.wait, a->dur - s.comm);
	return s;
}

static void
put_collective(const struct ranks_out *o, const struct open_colls *cs,
    const struct rank_parts *ps, const struct rank_coll *c,
    const struct coll_sums *s)
{
	bool several = c->n > 1, clock = several && cs->aligned;
	bool order = several && (clock || c->type->together);
	const char *name;
	size_t n;

	name = smap_str(&cs->names, c->name, &n);
	out_rec(o->coll);
	out_i64((int64_t)c->id);
	out_raw(c->type->name, strlen(c->type->name));
	out_i64((int64_t)c->nth);
	put_known(s->iter);
	out_text(name, n);
	put_known(c->bytes);
	out_i64((int64_t)c->n);
	out_i64(s->start);
	out_opt(cs->aligned || !several, num_sub(c->end, s->start));
	out_opt(several, s->comm);
	out_opt(several, s->wait);
	out_opt(several, s->longest - s->comm);
	out_opt(clock, clock ? num_sub(s->last->start, s->first->start) : 0);
	out_opt(clock, clock ? num_sub(c->end, s->end_lo) : 0);
	if (order) {
		put_label(ps, s->first->part);
		put_label(ps, s->last->part);
	} else {
		out_raw("-\t-", 3);
	}
	out_end();
}

static void
put_arrival(const struct ranks_out *o, const struct open_colls *cs,
    struct rank_parts *ps, const struct rank_coll *c, const struct coll_sums *s,
    const struct arrival *a)
{
	bool several = c->n > 1, clock = several && cs->aligned;
	int64_t wait = num_sub(a->dur, s->comm);
	struct rank_share *h = part_share(ps, a->part, a->iter);

	h->wait_ns = num_add(h->wait_ns, wait);
	out_rec(o->arrive);
	out_i64((int64_t)c->id);
	out_raw(c->type->name, strlen(c->type->name));
	put_known(a->iter);
	put_label(ps, a->part);
	put_src(ps, a->part);
	out_i64(a->start);
	out_i64(a->dur);
	out_opt(several, wait);
	out_opt(clock, clock ? num_sub(a->start, s->first->start) : 0);
	if (several && (clock || c->type->together))
		out_i64(a == s->last);
	else
		out_unset();
	out_end();
}

void
ranks_put_coll(struct ranks_out *o, const struct open_colls *cs,
    struct rank_parts *ps, const struct rank_coll *c)
{
	struct coll_sums s = add_up(cs, c);
	size_t i;

	if (c->n < (cs->ranks > 0 ? cs->ranks : ps->n))
		o->incomplete++;
	put_collective(o, cs, ps, c, &s);
	for (i = 0; i < c->n; i++)
		put_arrival(o, cs, ps, c, &s, &c->v[i]);
}

static int
by_place(const void *va, const void *vb)
{
	const struct rank_share *a = va, *b = vb;

	if (a->iter != b->iter)
		return a->iter < b->iter ? -1 : 1;
	return natural_cmp(a->label, b->label);
}

static void
put_share(const struct ranks_out *o, const struct rank_parts *ps,
    const struct rank_share *h)
{
	const struct rank_part *p = &ps->v[h->part];

	out_rec(o->comm);
	put_known(h->iter);
	put_label(ps, h->part);
	put_src(ps, h->part);
	put_known(p->pid);
	put_known(p->dev);
	out_i64((int64_t)h->n);
	out_i64(h->comm_ns);
	out_i64(h->exposed_ns);
	out_i64(h->wait_ns);
	out_i64(h->first);
	out_i64(h->end);
	out_end();
}

/* Ranks in one iteration, shares h[0..n): how far apart they are. */
static void
put_skew(const struct ranks_out *o, const struct open_colls *cs,
    const struct rank_parts *ps, const struct rank_share *h, size_t n)
{
	int64_t first = INT64_MAX, first_hi = INT64_MIN, end = INT64_MIN;
	int64_t end_lo = INT64_MAX, len = INT64_MAX, len_hi = 0, wait = 0;
	const struct rank_share *least = h;
	size_t i;

	for (i = 0; i < n; i++) {
		int64_t ns = num_sub(h[i].end, h[i].first);

		first = h[i].first < first ? h[i].first : first;
		first_hi = h[i].first > first_hi ? h[i].first : first_hi;
		end = h[i].end > end ? h[i].end : end;
		end_lo = h[i].end < end_lo ? h[i].end : end_lo;
		len = ns < len ? ns : len;
		len_hi = ns > len_hi ? ns : len_hi;
		wait = num_add(wait, h[i].wait_ns);
		if (h[i].wait_ns < least->wait_ns)
			least = &h[i];
	}
	out_rec(o->skew);
	put_known(h->iter);
	out_i64((int64_t)n);
	out_opt(cs->aligned, num_sub(first_hi, first));
	out_opt(cs->aligned, num_sub(end, end_lo));
	out_i64(num_sub(len_hi, len));
	out_i64(wait);
	if (n > 1 && wait > 0)
		put_label(ps, least->part);
	else
		out_unset();
	out_end();
}

/* Moves the first of h[0..n) that is of this run to the front. */
static void
swap_near(const struct rank_parts *ps, struct rank_share *h, size_t n)
{
	struct rank_share t = *h;
	size_t i = 0;

	while (i + 1 < n && ps->v[h[i].part].apart)
		i++;
	*h = h[i];
	h[i] = t;
}

void
ranks_put_shares(const struct ranks_out *o, const struct open_colls *cs,
    struct rank_parts *ps)
{
	size_t i, n, k, some;

	if (ps->nshare > 0)
		qsort(ps->share, ps->nshare, sizeof(*ps->share), by_place);
	for (i = 0; i < ps->nshare; i++)
		put_share(o, ps, &ps->share[i]);
	for (i = 0; i < ps->nshare; i += n) {
		for (n = some = 0; i + n < ps->nshare &&
				   ps->share[i + n].iter == ps->share[i].iter;
		     n++)
			some += !ps->v[ps->share[i + n].part].apart;
		/* those of other runs go to the end: nobody needs their order
		 */
		for (k = 0; some < n && k < some; k++)
			swap_near(ps, &ps->share[i + k], n - k);
		if (some > 1 || ps->n_apart == 0)
			put_skew(o, cs, ps, &ps->share[i], some);
	}
}

void
ranks_put_notes(struct ranks_out *o, const struct open_colls *cs)
{
	stage_note("coll_incomplete", o->incomplete);
	stage_note("coll_overfull", cs->overfull);
	o->incomplete = 0;
}
