/* Flattened time; see flat.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "flat.h"
#include "num.h"

#define ALL_PIECES (4u * 1024 * 1024)
#define FEW_PIECES 1024
#define KEPT_CAP 64 /* first size of an empty union */

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
	int i;

	for (i = 0; i < f->n; i++)
		if (f->part[i].key == key)
			return &f->part[i];
	f->part = xrealloc(f->part, (size_t)f->n + 1, sizeof(*f->part));
	f->part[f->n] = (struct flat_part){ .key = key, .from = INT64_MIN };
	return &f->part[f->n++];
}

/* Replaces the n oldest pieces by their sum. */
static void
fold(struct flat_part *p, size_t n)
{
	p->sum = num_add(p->sum, ivl_drop(&p->u, n, &p->from));
	pieces -= n;
}

size_t
flat_pieces(void)
{
	return pieces;
}

void
flat_fold(struct flat *f)
{
	int i;

	for (i = 0; i < f->n; i++) {
		struct flat_part *p = &f->part[i];

		if (p->u.n < 2)
			continue;
		fold(p, p->u.n - 1);
		p->u.v = xrealloc(p->u.v, 1, sizeof(*p->u.v));
		p->u.cap = 1;
	}
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
	if (pieces > ALL_PIECES && p->u.n > FEW_PIECES)
		fold(p, p->u.n / 2);
}

void
flat_join(struct flat *f, const struct flat *from)
{
	const struct flat_part *p;
	int64_t key;
	size_t k;
	int i;

	for (i = 0; i < from->n; i++) {
		p = &from->part[i];
		key = p->key;
		for (k = 0; k < p->u.n; k++)
			flat_add(f, key, p->u.v[k].lo, p->u.v[k].hi);
		flat_late += p->sum > 0 && part(f, key)->sum > 0;
		part(f, key)->sum = num_add(part(f, key)->sum, p->sum);
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

	flat_clear(f);
	for (i = 0; i < f->n; i++)
		ivl_free(&f->part[i].u);
	free(f->part);
	memset(f, 0, sizeof(*f));
}
