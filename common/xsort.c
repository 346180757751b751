/* Sorting in bounded memory; see xsort.h. */
#include <stdlib.h>

#include "err.h"
#include "xsort.h"

struct xsort_ent {
	size_t at; /* the key, the value behind it */
	uint32_t nkey, nval;
};

static const struct xsort *sorting; /* what qsort's comparison looks at */

void
xsort_open(struct xsort *x, runs_cmp *cmp, const void *ctx, size_t bound)
{
	memset(x, 0, sizeof(*x));
	runs_open(&x->runs, cmp, ctx);
	x->bound = bound;
}

static int
cmp_ent(const void *a, const void *b)
{
	const struct xsort_ent *x = a, *y = b;
	const char *s = sorting->text.s;
	int c = sorting->runs.cmp(
	    sorting->runs.ctx, s + x->at, x->nkey, s + y->at, y->nkey);

	return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

static void
sort(struct xsort *x)
{
	sorting = x;
	if (x->n > 1)
		qsort(x->ent, x->n, sizeof(*x->ent), cmp_ent);
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
	if (x->n == x->cap) {
		x->cap = x->cap > 0 ? x->cap * 2 : 256;
		x->ent = xrealloc(x->ent, x->cap, sizeof(*x->ent));
	}
	if (nkey >= UINT32_MAX || nval >= UINT32_MAX)
		die("a record of 4 GB");
	x->ent[x->n++] =
	    (struct xsort_ent){ x->text.len, (uint32_t)nkey, (uint32_t)nval };
	buf_put(&x->text, key, nkey);
	buf_put(&x->text, val, nval);
	/* qsort has a copy of the entries */
	if (x->text.len + 2 * x->n * sizeof(*x->ent) > x->bound)
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
		if (x->ent != NULL) /* all is on disk */
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
