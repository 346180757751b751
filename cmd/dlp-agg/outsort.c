/*
 * Lines in order, and sorted runs of them on disk; see outsort.h. Runs are in
 * the order of arrival, so the first of equals comes from the first of the
 * runs.
 */
#include "outsort.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

/* Each key's place among the keys, and how many lines come before each
 * place. */
static void
places(const struct lines *l, size_t *rank, size_t *before)
{
	size_t *order = xcalloc(l->n_keys + 1, sizeof(*order));
	size_t nk = (size_t)l->sort->n, i, r = 0;

	sort_items(l->sort, l->val, l->n_keys, order);
	for (i = 0; i < l->n_keys; i++) {
		if (i > 0 && sort_cmp(l->sort, l->val + order[i - 1] * nk,
				 l->val + order[i] * nk) != 0)
			r++;
		rank[order[i]] = r;
	}
	for (i = 0; i < l->n; i++)
		before[rank[l->line[i].key] + 1]++;
	for (i = 1; i <= r; i++)
		before[i] += before[i - 1];
	free(order);
}

void
outsort_order(const struct lines *l, size_t *idx)
{
	size_t *rank = xcalloc(l->n_keys + 1, sizeof(*rank));
	size_t *next = xcalloc(l->n_keys + 2, sizeof(*next)), i;

	places(l, rank, next);
	for (i = 0; i < l->n; i++)
		idx[next[rank[l->line[i].key]]++] = i;
	free(rank);
	free(next);
}

void
outsort_run(struct lines *l, const size_t *idx)
{
	size_t nk = (size_t)l->sort->n, i, last = SIZE_MAX;
	struct buf key = { 0 }, val = { 0 };

	if (l->n == 0)
		return;
	if (l->runs.cmp == NULL)
		runs_open(&l->runs, sort_cmp_packed, l->sort);
	runs_begin(&l->runs);
	for (i = 0; i < l->n; i++) {
		const struct line *x = &l->line[idx[i]];

		if (x->key != last) {
			buf_clear(&key);
			sort_pack(&key, l->val + x->key * nk, l->sort->n);
		}
		last = x->key;
		buf_clear(&val);
		buf_put(&val, (const char *)&x->legend, sizeof(x->legend));
		buf_put(&val, l->text.s + x->at, x->len);
		runs_put(&l->runs, key.s, key.len, val.s, val.len);
	}
	runs_end(&l->runs);
	buf_free(&key);
	buf_free(&val);
}

void
outsort_merge(struct lines *l,
    void (*fn)(void *ctx, int legend, const char *s, size_t len), void *ctx)
{
	struct runs_rec r;
	int legend;

	while (runs_next(&l->runs, &r)) {
		memcpy(&legend, r.val, sizeof(legend));
		fn(ctx, legend, r.val + sizeof(legend),
		    r.nval - sizeof(legend));
	}
	runs_close(&l->runs);
}
