/* Unions of time intervals; see ivl.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "ivl.h"
#include "num.h"

/* The first span that ends at or after t. */
static size_t
first_reaching(const struct ivl *u, int64_t t)
{
	if (u->n > 0 && u->v[u->n - 1].hi < t)
		return u->n;
	return t == INT64_MIN ? 0
			      : array_until(u->v, u->n, sizeof(*u->v),
				    offsetof(struct ivl_span, hi), t - 1);
}

/* Makes room for a span before the i-th. The shorter side moves, so that spans
 * can come in the order of time or in the reverse one; where it has no room,
 * all move, to larger memory if more than half of it is in use. */
static void
open_at(struct ivl *u, size_t i)
{
	struct ivl_span *v = u->v != NULL ? u->v - u->head : NULL;
	bool front = 2 * i < u->n;
	size_t room;

	if (front ? u->head == 0 : u->head + u->n == u->cap) {
		if (2 * u->n >= u->cap) {
			u->cap = u->cap > 0 ? u->cap * 2 : 1;
			v = xrealloc(v, u->cap, sizeof(*v));
		}
		room = u->cap - u->n;
		room = front ? room - room / 4 : u->head > 0 ? room / 4 : 0;
		u->v = v + u->head;
		memmove(v + room, u->v, u->n * sizeof(*v));
		u->head = room;
		u->v = v + room;
	}
	if (front) {
		u->v--;
		u->head--;
		memmove(u->v, u->v + 1, i * sizeof(*v));
	} else {
		memmove(u->v + i + 1, u->v + i, (u->n - i) * sizeof(*v));
	}
	u->n++;
}

void
ivl_add(struct ivl *u, int64_t lo, int64_t hi)
{
	size_t i, j;

	if (hi <= lo)
		return;
	i = first_reaching(u, lo);
	if (i == u->n || u->v[i].lo > hi) {
		open_at(u, i);
		u->v[i] = (struct ivl_span){ lo, hi };
		return;
	}
	if (lo < u->v[i].lo)
		u->v[i].lo = lo;
	if (hi <= u->v[i].hi)
		return;
	for (j = i + 1; j < u->n && u->v[j].lo <= hi; j++)
		if (u->v[j].hi > hi)
			hi = u->v[j].hi;
	u->v[i].hi = hi;
	memmove(u->v + i + 1, u->v + j, (u->n - j) * sizeof(*u->v));
	u->n -= j - i - 1;
}

int64_t
ivl_len(const struct ivl *u)
{
	return ivl_len_in(u, INT64_MIN, INT64_MAX);
}

int64_t
ivl_len_in(const struct ivl *u, int64_t lo, int64_t hi)
{
	int64_t sum = 0;
	size_t i;

	for (i = first_reaching(u, lo); i < u->n && u->v[i].lo < hi; i++) {
		int64_t a = u->v[i].lo > lo ? u->v[i].lo : lo;
		int64_t b = u->v[i].hi < hi ? u->v[i].hi : hi;

		if (b > a)
			sum = num_add(sum, num_sub(b, a));
	}
	return sum;
}

int64_t
ivl_drop(struct ivl *u, size_t n, int64_t *end)
{
	int64_t sum = 0;
	size_t i;

	if (n > u->n)
		n = u->n;
	for (i = 0; i < n; i++) {
		sum = num_add(sum, num_sub(u->v[i].hi, u->v[i].lo));
		*end = u->v[i].hi;
	}
	u->n -= n;
	if (n > 0)
		memmove(u->v, u->v + n, u->n * sizeof(*u->v));
	return sum;
}

void
ivl_clear(struct ivl *u)
{
	u->n = 0;
}

void
ivl_free(struct ivl *u)
{
	if (u->v != NULL)
		free(u->v - u->head);
	memset(u, 0, sizeof(*u));
}

/* Flattened time. */

#define ALL_PIECES (4u * 1024 * 1024)
#define FEW_PIECES 1024
#define KEPT_CAP 64 /* first size of an empty union */
#define FEW_KEYS 8  /* are looked through one by one */

struct flat_part {
	int64_t key;
	struct ivl u;
	int64_t sum;  /* of the pieces that are no longer kept */
	int64_t from; /* end of those */
};

uint64_t flat_late;
static size_t pieces; /* of all unions */

static struct flat_part *
part(struct flat *f, int64_t key)
{
	uint64_t *at;
	bool fresh;
	int i;

	for (i = 0; i < f->n && i < FEW_KEYS; i++)
		if (f->part[i].key == key)
			return &f->part[i];
	if (i == FEW_KEYS) {
		at = map_put(&f->at, (uint64_t)key, &fresh);
		if (!fresh)
			return &f->part[*at];
		*at = (uint64_t)f->n;
	}
	f->part = xrealloc(f->part, (size_t)f->n + 1, sizeof(*f->part));
	f->part[f->n] = (struct flat_part){ .key = key, .from = INT64_MIN };
	return &f->part[f->n++];
}

void
flat_add(struct flat *f, int64_t key, int64_t lo, int64_t hi)
{
	struct flat_part *p = part(f, key);
	size_t n = p->u.n;

	if (lo < p->from) {
		flat_late++;
		lo = p->from;
	}
	ivl_add(&p->u, lo, hi);
	pieces += p->u.n - n;
	if (pieces > ALL_PIECES && p->u.n > FEW_PIECES) {
		/* the older half becomes its sum */
		n = p->u.n / 2;
		p->sum = num_add(p->sum, ivl_drop(&p->u, n, &p->from));
		pieces -= n;
	}
}

int64_t
flat_len(const struct flat *f)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < f->n; i++) {
		sum = num_add(sum, f->part[i].sum);
		sum = num_add(sum, ivl_len(&f->part[i].u));
	}
	return sum;
}

void
flat_each(const struct flat *f,
    void (*fn)(void *ctx, int64_t key, int64_t lo, int64_t hi), void *ctx)
{
	size_t k;
	int i;

	for (i = 0; i < f->n; i++)
		for (k = 0; k < f->part[i].u.n; k++)
			fn(ctx, f->part[i].key, f->part[i].u.v[k].lo,
			    f->part[i].u.v[k].hi);
}

void
flat_clear(struct flat *f)
{
	int i;

	if (f->n > FEW_KEYS) {
		flat_free(f);
		return;
	}
	for (i = 0; i < f->n; i++) {
		struct flat_part *p = &f->part[i];

		pieces -= p->u.n;
		ivl_clear(&p->u);
		if (p->u.cap > KEPT_CAP)
			ivl_free(&p->u);
		p->sum = 0;
		p->from = INT64_MIN;
	}
}

void
flat_free(struct flat *f)
{
	int i;

	for (i = 0; i < f->n; i++) {
		pieces -= f->part[i].u.n;
		ivl_free(&f->part[i].u);
	}
	map_free(&f->at);
	free(f->part);
	memset(f, 0, sizeof(*f));
}

/* Unions by key. */

void
ivl_by_add(struct ivl_by *u, int64_t key, int64_t lo, int64_t hi)
{
	size_t i;

	if (u->all.n == 0)
		u->key = key;
	if (!u->many && u->key != key) {
		u->many = true;
		for (i = 0; i < u->all.n; i++)
			flat_add(
			    &u->by, u->key, u->all.v[i].lo, u->all.v[i].hi);
	}
	if (u->many)
		flat_add(&u->by, key, lo, hi);
	ivl_add(&u->all, lo, hi);
}

int64_t
ivl_by_len(const struct ivl_by *u)
{
	return u->many ? flat_len(&u->by) : ivl_len(&u->all);
}

void
ivl_by_clear(struct ivl_by *u)
{
	ivl_clear(&u->all);
	if (u->many)
		flat_free(&u->by);
	u->many = false;
}

void
ivl_by_free(struct ivl_by *u)
{
	ivl_by_clear(u);
	ivl_free(&u->all);
}
