/* The time of a device; see lane.h. */
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

#define PIECES 524288 /* kept; the older half is added up at that */

#define BIT(c) (1u << (c))

void
lane_init(struct lane *l, const struct cuts *cuts)
{
	memset(l, 0, sizeof(*l));
	l->cuts = cuts;
	l->base = l->t = INT64_MIN;
}

/* The first piece that reaches behind t; late ones are near the end. */
static size_t
find(const struct lane *l, int64_t t)
{
	size_t lo = 0, hi = l->n, mid, back;

	for (back = 16; back < l->n && l->v[l->n - back].end > t; back *= 2)
		hi = l->n - back + 1;
	if (back < l->n)
		lo = l->n - back;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->v[mid].end <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void
room(struct lane *l)
{
	if (l->n < l->cap)
		return;
	l->cap = l->cap > 0 ? l->cap * 2 : 64;
	l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
}

static void
split(struct lane *l, size_t i, int64_t at)
{
	room(l);
	memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof(*l->v));
	l->n++;
	l->v[i].end = at;
}

/* The pieces in [lo, hi) get the class, which came late. */
static void
mark(struct lane *l, int64_t lo, int64_t hi, enum class c)
{
	size_t i;
	int64_t at;

	if (lo < l->base) {
		at = hi < l->base ? hi : l->base;
		l->late_ns = num_add(l->late_ns, num_sub(at, lo));
		lo = l->base;
	}
	for (i = find(l, lo); i < l->n && lo < hi; i++) {
		at = i > 0 ? l->v[i - 1].end : l->base;
		if (l->v[i].mask & BIT(c)) {
			lo = l->v[i].end;
			continue;
		}
		if (at < lo) {
			split(l, i, lo);
			continue;
		}
		if (l->v[i].end > hi)
			split(l, i, hi);
		l->v[i].mask |= BIT(c);
		lo = l->v[i].end;
	}
}

static void
add_up(struct sums *s, unsigned mask, int64_t ns)
{
	unsigned c;
	int top = C_OTHER;

	for (c = C_OTHER; c-- > 0;)
		if (mask & BIT(c)) {
			top = (int)c;
			s->all[c] = num_add(s->all[c], ns);
		}
	if (top == C_OTHER)
		s->all[C_OTHER] = num_add(s->all[C_OTHER], ns);
	s->dur[top] = num_add(s->dur[top], ns);
}

static struct sums *
sums_at(struct lane *l, size_t i)
{
	if (i >= l->n_sum) {
		l->sum = xrealloc(l->sum, i + 1, sizeof(*l->sum));
		memset(
		    l->sum + l->n_sum, 0, (i + 1 - l->n_sum) * sizeof(*l->sum));
		l->n_sum = i + 1;
	}
	return &l->sum[i];
}

/* What is not yet between two works. */
static void
add_edge(struct lane *l, unsigned mask, int64_t ns)
{
	if (mask & (BIT(C_TC) | BIT(C_KERN) | BIT(C_GRAPH) | BIT(C_MEM))) {
		l->any_gpu = true;
		memset(&l->edge[1], 0, sizeof(l->edge[1]));
	} else {
		add_up(&l->edge[l->any_gpu], mask, ns);
	}
}

/* A piece, cut where iterations begin. */
static void
fold_piece(struct lane *l, int64_t lo, int64_t hi, unsigned mask)
{
	const struct cuts *c = l->cuts;
	size_t i = l->n_sum > 0 ? l->n_sum - 1 : 0;
	int64_t end;

	if (lo < c->from)
		lo = c->from;
	while (lo < hi) {
		while (i + 1 < c->n && c->v[i + 1].at <= lo)
			i++;
		end = i + 1 < c->n && c->v[i + 1].at < hi ? c->v[i + 1].at : hi;
		add_up(sums_at(l, i), mask, num_sub(end, lo));
		if (c->n <= 1)
			add_edge(l, mask, num_sub(end, lo));
		lo = end;
	}
}

static void
fold(struct lane *l, size_t n)
{
	size_t i;

	if (n == 0)
		return;
	for (i = 0; i < n; i++) {
		fold_piece(l, l->base, l->v[i].end, l->v[i].mask);
		l->base = l->v[i].end;
	}
	memmove(l->v, l->v + n, (l->n - n) * sizeof(*l->v));
	l->n -= n;
}

static void
append(struct lane *l, int64_t t)
{
	if (l->n > 0 && l->v[l->n - 1].mask == l->mask) {
		l->v[l->n - 1].end = t;
	} else {
		if (l->n >= PIECES)
			fold(l, l->n / 2);
		room(l);
		l->v[l->n++] = (struct piece){ t, l->mask };
	}
	l->t = t;
}

static void
begin(struct lane *l)
{
	struct timed x = timeheap_pop(&l->soon);

	if (l->active[x.kind]++ == 0)
		l->mask |= BIT(x.kind);
	x.at = x.end;
	timeheap_push(&l->on, x);
}

static void
finish(struct lane *l)
{
	struct timed x = timeheap_pop(&l->on);

	if (--l->active[x.kind] == 0)
		l->mask &= ~BIT(x.kind);
}

void
lane_to(struct lane *l, int64_t t)
{
	int64_t next;

	while (l->t < t) {
		while (l->soon.n > 0 && l->soon.v[0].at <= l->t)
			begin(l);
		next = t;
		if (l->soon.n > 0 && l->soon.v[0].at < next)
			next = l->soon.v[0].at;
		if (l->on.n > 0 && l->on.v[0].at < next)
			next = l->on.v[0].at;
		append(l, next);
		while (l->on.n > 0 && l->on.v[0].at <= l->t)
			finish(l);
	}
}

void
lane_add(struct lane *l, int64_t lo, int64_t hi, enum class c)
{
	if (lo < l->t) {
		mark(l, lo, hi < l->t ? hi : l->t, c);
		lo = l->t;
	}
	if (hi > lo)
		timeheap_push(&l->soon,
		    (struct timed){ .at = lo, .end = hi, .kind = (int)c });
}

static void *
copy_of(const void *p, size_t n, size_t size)
{
	void *q;

	if (n == 0)
		return NULL;
	q = xmalloc(n * size);
	memcpy(q, p, n * size);
	return q;
}

void
lane_copy(struct lane *l, const struct lane *from)
{
	*l = *from;
	l->cap = l->n;
	l->v = copy_of(from->v, l->n, sizeof(*l->v));
	timeheap_copy(&l->soon, &from->soon);
	timeheap_copy(&l->on, &from->on);
	l->sum = copy_of(from->sum, l->n_sum, sizeof(*l->sum));
}

static void
merge_piece(struct lane *l, int64_t lo, int64_t hi, unsigned mask)
{
	unsigned c;

	for (c = C_DATA; c <= C_CPU; c++)
		if (mask & BIT(c))
			lane_add(l, lo, hi, c);
}

void
lane_merge(struct lane *l, const struct lane *from)
{
	int64_t lo = from->base;
	size_t i;

	for (i = 0; i < from->n; i++) {
		merge_piece(l, lo, from->v[i].end, from->v[i].mask);
		lo = from->v[i].end;
	}
	for (i = 0; i < from->on.n; i++)
		lane_add(l, from->t, from->on.v[i].end,
		    (enum class)from->on.v[i].kind);
	for (i = 0; i < from->soon.n; i++)
		lane_add(l, from->soon.v[i].at, from->soon.v[i].end,
		    (enum class)from->soon.v[i].kind);
	for (i = 0; i < from->n_sum; i++)
		l->late_ns = num_add(l->late_ns, from->sum[i].dur[C_CPU]);
}

void
lane_end(struct lane *l, int64_t t)
{
	lane_to(l, t);
	while (l->n > 1 && l->v[l->n - 2].end >= t)
		l->n--;
	if (l->n > 0 && l->v[l->n - 1].end > t)
		l->v[l->n - 1].end = t;
	fold(l, l->n);
}

static void
take(struct sums *s, const struct sums *part)
{
	int c;

	for (c = 0; c < C_N; c++) {
		s->dur[c] = num_sub(s->dur[c], part->dur[c]);
		s->all[c] = num_sub(s->all[c], part->all[c]);
	}
}

void
lane_between(struct lane *l)
{
	if (!l->any_gpu || l->n_sum == 0)
		return;
	take(&l->sum[0], &l->edge[0]);
	take(&l->sum[0], &l->edge[1]);
}

void
lane_free(struct lane *l)
{
	free(l->v);
	free(l->sum);
	timeheap_free(&l->soon);
	timeheap_free(&l->on);
	memset(l, 0, sizeof(*l));
}
