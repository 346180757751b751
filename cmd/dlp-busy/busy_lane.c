/* The time of a device as one row of pieces; see busy.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "busy.h"
#include "num.h"

#define PIECES 524288 /* kept; the older half is added up at that */

#define BIT(c) (1u << (c))

void
lane_init(struct lane *l, const struct busy_file *f)
{
	memset(l, 0, sizeof(*l));
	l->file = f;
	l->base = INT64_MIN;
	timeline_init(&l->time);
}

/* The first piece that ends after t. What comes late is near the end, so the
 * search begins there. */
static size_t
piece_at(const struct lane *l, int64_t t)
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
split_piece(struct lane *l, size_t i, int64_t at)
{
	ARRAY_GROW(l->v, l->n, l->cap);
	memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof(*l->v));
	l->n++;
	l->v[i].end = at;
}

/* Class c came late: the pieces in [lo, hi) get it. */
static void
mark(struct lane *l, int64_t lo, int64_t hi, enum busy_class c)
{
	size_t i;
	int64_t at;

	if (lo < l->base) {
		at = hi < l->base ? hi : l->base;
		l->late_ns = num_add(l->late_ns, num_sub(at, lo));
		lo = l->base;
	}
	for (i = piece_at(l, lo); i < l->n && lo < hi; i++) {
		at = i > 0 ? l->v[i - 1].end : l->base;
		if (l->v[i].mask & BIT(c)) {
			lo = l->v[i].end;
			continue;
		}
		if (at < lo) {
			split_piece(l, i, lo);
			continue;
		}
		if (l->v[i].end > hi)
			split_piece(l, i, hi);
		l->v[i].mask |= BIT(c);
		lo = l->v[i].end;
	}
}

static void
add_up(struct class_sums *s, unsigned mask, int64_t ns)
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

static struct class_sums *
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

/* Time that is not, or not yet, between two pieces of work. */
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
	const struct steps *c = &l->file->steps;
	size_t i = l->n_sum > 0 ? l->n_sum - 1 : 0;
	int64_t end;

	if (lo < l->file->from)
		lo = l->file->from;
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
append(struct lane *l, int64_t t, unsigned mask)
{
	if (l->n > 0 && l->v[l->n - 1].mask == mask) {
		l->v[l->n - 1].end = t;
		return;
	}
	if (l->n >= PIECES)
		fold(l, l->n / 2);
	ARRAY_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = (struct lane_piece){ t, mask };
}

void
lane_to(struct lane *l, int64_t t)
{
	struct timeline_piece x;

	while (timeline_next(&l->time, t, &x))
		if (x.hi > x.lo)
			append(l, x.hi, x.mask);
}

void
lane_add(struct lane *l, int64_t lo, int64_t hi, enum busy_class c)
{
	int64_t t = l->time.t;

	if (lo < t) {
		mark(l, lo, hi < t ? hi : t, c);
		lo = t;
	}
	if (hi > lo)
		timeline_add(&l->time, lo, hi, (int)c, NULL);
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
	timeline_copy(&l->time, &from->time);
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

static void
merge_timed(struct lane *l, int64_t start, const struct timed *x)
{
	lane_add(l, start, x->end, (enum busy_class)x->kind);
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
	for (i = 0; i < from->time.on.n; i++)
		merge_timed(l, from->time.t, &from->time.on.v[i]);
	for (i = 0; i < from->time.soon.n; i++)
		merge_timed(l, from->time.soon.v[i].at, &from->time.soon.v[i]);
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
subtract(struct class_sums *s, const struct class_sums *part)
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
	subtract(&l->sum[0], &l->edge[0]);
	subtract(&l->sum[0], &l->edge[1]);
}

void
lane_free(struct lane *l)
{
	free(l->v);
	free(l->sum);
	timeline_free(&l->time);
	memset(l, 0, sizeof(*l));
}
