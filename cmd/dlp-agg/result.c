/* The groups as records, in order; see result.h. */
#include "result.h"

#include <stdlib.h>

#include "err.h"
#include "disk.h"
#include "print.h"
#include "stage.h"

/* The groups' numbers in the order of the result. */
static size_t *
order(struct groups *a)
{
	struct smap texts = { 0 };
	const struct sort *o = &a->spec->sort;
	size_t n = a->keys.n, i;
	struct sort_val *v;
	size_t *idx = xcalloc(n + 1, sizeof(*idx));
	int k;

	v = xcalloc(n * (size_t)o->n + 1, sizeof(*v));
	for (i = 0; i < n; i++)
		for (k = 0; k < o->n; k++)
			v[i * (size_t)o->n + (size_t)k] = print_key(a, &a->v[i],
			    smap_str(&a->keys, (uint32_t)i, NULL), &o->key[k],
			    &texts);
	sort_items(o, v, n, idx);
	smap_free(&texts);
	free(v);
	return idx;
}

/* What the groups behind the limit have in common: all but a union, and the
 * first and last value. */
static void
put_rest(struct groups *a, const size_t *idx, size_t from)
{
	struct group g;
	size_t i;
	int k;

	group_new(a, &g);
	for (i = from; i < a->keys.n; i++) {
		g.n += a->v[idx[i]].n;
		for (k = 0; k < a->spec->nfield; k++)
			acc_join(&g.acc[k], &a->v[idx[i]].acc[k], true);
	}
	print_rest(a, &g);
	group_free(a, &g);
}

/* Without -g there is one row, even of nothing. */
static void
one_group(struct groups *a)
{
	if (a->spec->ngroups > 0 || a->keys.n > 0)
		return;
	smap_put(&a->keys, "", 0, NULL);
	if (a->cap == 0) {
		a->cap = 1;
		a->v = xcalloc(1, sizeof(*a->v));
	}
	group_new(a, &a->v[0]);
}

/* The groups up to the limit; how many are behind it. */
static size_t
put_groups(struct groups *a)
{
	size_t *idx = order(a), n = a->keys.n, i;

	if (a->spec->limit >= 0 && (uint64_t)a->spec->limit < n)
		n = (size_t)a->spec->limit;
	for (i = 0; i < n; i++) {
		size_t len;
		const char *s = smap_str(&a->keys, (uint32_t)idx[i], &len);

		print_row(a, &a->v[idx[i]], s, len);
	}
	if (a->spec->rest && n < a->keys.n)
		put_rest(a, idx, n);
	free(idx);
	return a->keys.n - n;
}

void
result_put(struct groups *a)
{
	size_t i;

	if (disk_any(a)) {
		a->n_over = disk_put(a);
		return;
	}
	one_group(a);
	print_total_begin(a);
	for (i = 0; i < a->keys.n; i++)
		print_total(a, &a->v[i]);
	print_legend(a);
	a->n_over = put_groups(a);
	print_total_end(a);
}

void
result_notes(const struct groups *a)
{
	if (!a->spec->rest)
		stage_note("agg_over_limit", a->n_over);
	stage_note("agg_values_rounded", print_rounded());
}

void
result_all_notes(const struct groups *a)
{
	result_notes(a);
	stage_note("join_lost", a->spec->in.join.lost);
}
