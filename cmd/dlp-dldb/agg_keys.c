/*
 * The index of kernel_iteration_node, which has the kernels by op: they are
 * counted by op, and then each finds its place.
 */
#include <stdlib.h>

#include "agg_kern.h"
#include "err.h"

static const struct agg_pair *by_op;

static int
cmp_op(const void *a, const void *b)
{
	int64_t x = by_op[*(const uint32_t *)a].op;
	int64_t y = by_op[*(const uint32_t *)b].op;

	return x < y ? -1 : x > y;
}

/* For each pair, the number of its op among all, and in from[] how many
 * kernels come before those of each op. */
static uint32_t *
rank_ops(const struct agg *a, size_t *from)
{
	uint32_t *idx = xcalloc(a->n_pairs + 1, sizeof(*idx));
	uint32_t *rank = xcalloc(a->n_pairs + 1, sizeof(*rank));
	size_t i, r = 0;

	for (i = 0; i < a->n_pairs; i++)
		idx[i] = (uint32_t)i;
	by_op = a->pairs;
	qsort(idx, a->n_pairs, sizeof(*idx), cmp_op);
	for (i = 0; i < a->n_pairs; i++) {
		if (i > 0 && cmp_op(&idx[i - 1], &idx[i]) != 0) {
			r++;
			from[r + 1] = from[r];
		}
		rank[idx[i]] = (uint32_t)r;
		from[r + 1] += (size_t)a->pairs[idx[i]].s.n;
	}
	free(idx);
	return rank;
}

void
agg_keys(struct dldb *d, int64_t aggr, int64_t first)
{
	const struct agg *a = d->agg;
	const struct agg_kern *k = a->held;
	size_t *from = xcalloc(a->n_pairs + 2, sizeof(*from)), i, n = a->n_held;
	uint32_t *rank = rank_ops(a, from), *order;
	const struct agg_pair *p;

	order = xcalloc(n + 1, sizeof(*order));
	for (i = 0; i < n; i++)
		order[from[rank[k[i].pair]]++] = (uint32_t)i;
	for (i = 0; i < n; i++) {
		p = &a->pairs[k[order[i]].pair];
		db_add_key(&d->db, &agg_node,
		    (const int64_t[]){ aggr, DOMAIN_ID, p->op, k[order[i]].id,
			p->iter, first + order[i] },
		    6);
	}
	free(order);
	free(rank);
	free(from);
}
