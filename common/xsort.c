/* Sorting in bounded memory; see xsort.h. */
#include <stdlib.h>

#include "array.h"
#include "err.h"
#include "textsort.h"
#include "xsort.h"

#define FEW 12   /* with fewer entries insertion is faster */
#define MANY 256 /* with more entries another array pays */

struct xsort_ent {
	size_t at; /* place of the key, which the value follows */
	uint32_t nkey, nval;
};

static bool
by_bytes(const struct xsort *x)
{
	return x->runs.cmp == runs_bytes;
}

/* The memory of an entry while it is sorted. */
static size_t
entry_bytes(const struct xsort *x)
{
	size_t more = by_bytes(x) ? 2 * sizeof(struct text_ref) : 0;

	return 2 * sizeof(struct xsort_ent) + more;
}

void
xsort_open(struct xsort *x, runs_cmp *cmp, const void *ctx, size_t bound)
{
	memset(x, 0, sizeof(*x));
	runs_open(&x->runs, cmp, ctx);
	x->bound = bound;
}

static const char *
key_of(const struct xsort *x, const struct xsort_ent *e)
{
	return x->text.s + e->at;
}

static int
cmp_ent(
    const struct xsort *x, const struct xsort_ent *a, const struct xsort_ent *b)
{
	return x->runs.cmp(
	    x->runs.ctx, key_of(x, a), a->nkey, key_of(x, b), b->nkey);
}

/* Merges two sorted halves, [0, k) and [k, n); tmp has room for the first. */
static void
merge(const struct xsort *x, struct xsort_ent *v, size_t k, size_t n,
    struct xsort_ent *tmp)
{
	size_t i = 0, j = k, to = 0;

	memcpy(tmp, v, k * sizeof(*v));
	while (i < k && j < n)
		if (cmp_ent(x, &v[j], &tmp[i]) < 0)
			v[to++] = v[j++];
		else
			v[to++] = tmp[i++];
	memcpy(v + to, tmp + i, (k - i) * sizeof(*v));
}

/* Stable, because equal items must stay in the order of arrival. */
static void
merge_sort(
    const struct xsort *x, struct xsort_ent *v, size_t n, struct xsort_ent *tmp)
{
	struct xsort_ent e;
	size_t i, k = n / 2;

	if (n > FEW) {
		merge_sort(x, v, k, tmp);
		merge_sort(x, v + k, n - k, tmp);
		if (cmp_ent(x, &v[k - 1], &v[k]) > 0)
			merge(x, v, k, n, tmp);
		return;
	}
	for (i = 1; i < n; i++) {
		e = v[i];
		for (k = i; k > 0 && cmp_ent(x, &v[k - 1], &e) > 0; k--)
			v[k] = v[k - 1];
		v[k] = e;
	}
}

/* Sorts by the keys' bytes: the sort for texts is several times as fast. */
static void
sort_bytes(struct xsort *x)
{
	struct xsort_ent *to = xcalloc(x->n, sizeof(*to));
	struct text_ref *ref = xcalloc(x->n, 2 * sizeof(*ref));
	size_t i;

	for (i = 0; i < x->n; i++)
		ref[i] = (struct text_ref){ .s = key_of(x, &x->ent[i]),
			.n = x->ent[i].nkey,
			.id = (uint32_t)i };
	textsort(ref, ref + x->n, x->n);
	for (i = 0; i < x->n; i++)
		to[i] = x->ent[ref[i].id];
	free(ref);
	free(x->ent);
	x->ent = to;
	x->cap = x->n;
}

static void
sort(struct xsort *x)
{
	struct xsort_ent *tmp;

	if (x->n > MANY && by_bytes(x)) {
		sort_bytes(x);
	} else if (x->n > 1) {
		tmp = xcalloc(x->n / 2 + 1, sizeof(*tmp));
		merge_sort(x, x->ent, x->n, tmp);
		free(tmp);
	}
	x->sorted = true;
}

static void
spill(struct xsort *x)
{
	size_t i;

	sort(x);
	runs_begin(&x->runs);
	for (i = 0; i < x->n; i++) {
		const struct xsort_ent *e = &x->ent[i];
		const char *s = x->text.s + e->at;

		runs_put(&x->runs, s, e->nkey, s + e->nkey, e->nval);
	}
	runs_end(&x->runs);
	x->n = 0;
	buf_clear(&x->text);
	x->sorted = false;
}

void
xsort_put(
    struct xsort *x, const void *key, size_t nkey, const void *val, size_t nval)
{
	ARRAY_GROW(x->ent, x->n, x->cap);
	if (nkey >= UINT32_MAX || nval >= UINT32_MAX)
		die("a record of 4 GB");
	x->ent[x->n++] =
	    (struct xsort_ent){ x->text.len, (uint32_t)nkey, (uint32_t)nval };
	buf_put(&x->text, key, nkey);
	buf_put(&x->text, val, nval);
	if (x->text.len + x->n * entry_bytes(x) > x->bound ||
	    x->n == UINT32_MAX)
		spill(x);
}

static void
drop(struct xsort *x)
{
	free(x->ent);
	buf_free(&x->text);
	x->ent = NULL;
	x->n = x->cap = 0;
}

bool
xsort_next(struct xsort *x, struct runs_rec *rec)
{
	const struct xsort_ent *e;

	if (x->runs.n > 0) {
		if (x->n > 0)
			spill(x);
		if (x->ent != NULL) /* everything is on disk */
			drop(x);
		return runs_next(&x->runs, rec);
	}
	if (!x->sorted)
		sort(x);
	if (x->pos == x->n)
		return false;
	e = &x->ent[x->pos++];
	rec->key = x->text.s + e->at;
	rec->val = rec->key + e->nkey;
	rec->nkey = e->nkey;
	rec->nval = e->nval;
	return true;
}

void
xsort_again(struct xsort *x)
{
	x->pos = 0;
	runs_again(&x->runs);
}

void
xsort_close(struct xsort *x)
{
	runs_close(&x->runs);
	drop(x);
	xsort_open(x, x->runs.cmp, x->runs.ctx, x->bound);
}
