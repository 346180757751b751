/* Answers, found once; see result.h. */
#include <string.h>

#include "err.h"
#include "fill.h"
#include "map.h"
#include "num.h"
#include "result.h"
#include "spill.h"

static struct map by_key;  /* op, name, sub class -> index + 1 */
static struct map by_grid; /* index, first number of the grid -> index + 1 */
static struct result **results;
static struct store mem;
static size_t nresults, results_cap;
static struct smap contexts; /* op, product, shape of its result */

void
result_forget(void)
{
	store_free(&mem);
	nresults = 0;
	map_clear(&by_key);
	map_clear(&by_grid);
	smap_clear(&contexts);
}

/* PyProf's params depend on whether sub is 0, 1 or more, and for cells on
 * its remainder by 3; the rest of it is no news. */
static unsigned
sub_class(int64_t sub)
{
	if (sub < 0)
		sub = 0;
	return (unsigned)(sub > 2 ? 2 : sub) << 2 | (unsigned)(sub % 3);
}

static struct result *
result_new(void)
{
	size_t was = results_cap;
	struct result *res = store_alloc(&mem, sizeof(*res));

	if (nresults == was) {
		results_cap = was == 0 ? 256 : was * 2;
		results = spill_realloc(
		    results, was, results_cap, sizeof(struct result *));
	}
	memset(res, 0, sizeof(*res));
	return results[nresults++] = res;
}

/* How many blocks a kernel has tells which of an op's sizes an element-wise
 * one works on: it has an answer for each number of them. */
static const struct result *
grid_result(uint64_t base, const struct subject *s, const struct kname *k,
    int64_t sub, const char *grid)
{
	int64_t blocks;
	uint64_t *slot;
	const char *by = k->gather > 0 ? fill_block(grid) : grid;

	if (!num_i64(by, strcspn(by, ","), &blocks))
		blocks = -1;
	if (results[base - 1]->blocks == 0)
		results[base - 1]->blocks = blocks;
	if (results[base - 1]->blocks == blocks)
		return results[base - 1];
	slot = map_put(
	    &by_grid, base << 32 | ((uint64_t)blocks & UINT32_MAX), NULL);
	if (*slot == 0) {
		fill(result_new(), s, k, sub, grid);
		*slot = nresults;
	}
	return results[*slot - 1];
}

/* A number for what the kernel belongs to; of products apart from those of
 * ops alone. */
static uint64_t
context(const struct subject *s)
{
	struct {
		uint64_t op, prim;
		const char *shape;
	} key = { s->op == NULL ? 0 : (uint64_t)s->op_idx + 1, s->prim_idx,
		s->shape };

	if (s->prim == NULL)
		return key.op << 1;
	return (uint64_t)smap_put(&contexts, (char *)&key, sizeof(key), NULL)
		   << 1 |
	       1;
}

const struct result *
result_of(const struct subject *s, const struct kname *k, uint32_t name_idx,
    int64_t sub, const char *grid, size_t ngrid)
{
	static struct result once;
	static struct buf g;
	struct op *op = s->op;
	const struct rule *rule = fill_rule(op);
	uint64_t key, *slot;
	bool cell = op != NULL && rule_by_grid(rule),
	     elem = op != NULL &&
		    (k->elem.is || (k->gather > 0 && grid != NULL &&
				       memchr(grid, ';', ngrid) != NULL));
	const char *gs = NULL;

	if ((cell || elem) && grid != NULL) {
		buf_clear(&g);
		buf_put(&g, grid, ngrid);
		gs = buf_str(&g);
	}
	if ((cell && op->bprop) || name_idx >= 1 << 24) {
		memset(&once, 0, sizeof(once));
		fill(&once, s, k, sub, gs);
		return &once;
	}
	key = context(s) << 29 | (uint64_t)name_idx << 5 | sub_class(sub) << 1;
	key |= op != NULL && op->grad != NULL; /* it makes a difference */
	slot = map_put(&by_key, key, NULL);
	if (*slot == 0) {
		fill(result_new(), s, k, sub, gs);
		*slot = nresults;
	}
	return elem && gs != NULL ? grid_result(*slot, s, k, sub, gs)
				  : results[*slot - 1];
}
