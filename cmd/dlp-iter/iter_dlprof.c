/*
 * --dlprof: iterations as DLProf makes them. The key is that of -k, otherwise
 * the one that a DLProf database names, otherwise that of the framework:
 * global_step, but PyTorch, JAX and simple mode have none. The mode is known
 * from the database, from the first op of PyTorch, or at the end.
 */
#include <string.h>

#include "array.h"
#include "esc.h"
#include "iter.h"
#include "mview.h"
#include "num.h"

#define DEFAULT_KEY "global_step"

void
dlprof_begin(struct iter_run *g)
{
	const char *key = g->o.key != NULL ? g->o.key : DEFAULT_KEY;

	buf_clear(&g->dl.key);
	g->dl.has = g->plan.by == ITER_BY_OWN ? DL_OPEN : DL_GIVEN;
	key_init(
	    &g->key, g->plan.by == ITER_BY_NONE ? NULL : key, g->o.exact, true);
	g->key.by_name = true;
	if (g->plan.by == ITER_BY_OWN)
		g->plan.by = ITER_BY_KEY;
}

bool
dlprof_meta(struct iter_run *g, const char *line, size_t n)
{
	static const char *const own[] = { "key_op", "key_op_found",
		"iter_start", "iter_stop", "n_iter", "n_iter_aggregated" };
	static const char *const with[] = { "tensorflow1", "tensorflow2",
		"tensorrt" };
	const char *e = line + n, *s, *name = line + 7;
	struct iter_dlprof *dl = &g->dl;
	size_t k, i;
	int64_t x;

	if (!text_starts(line, n, "##info\t"))
		return false;
	s = memchr(name, '\t', (size_t)(e - name));
	if (s == NULL)
		return false;
	k = (size_t)(s++ - name);
	n = (size_t)(e - s);
	if (text_is(name, k, "mode") &&
	    (dl->has == DL_OPEN || dl->has == DL_WITHOUT)) {
		/* only these modes have a key by default */
		dl->has = DL_WITHOUT;
		for (i = 0; i < ARRAY_LEN(with); i++)
			if (text_is(s, n, with[i]))
				dl->has = DL_WITH;
	}
	for (i = 0; i < ARRAY_LEN(own); i++)
		if (text_is(name, k, own[i]))
			break;
	if (i == 0 && dl->has != DL_GIVEN && dl->has != DL_NONE) {
		if (n == 0 || text_is(s, n, "-")) {
			iter_no_key(g);
			return true;
		}
		buf_put(&dl->key, s, n);
		key_init(&g->key, buf_str(&dl->key), false, true);
		g->key.by_name = true;
		dl->has = DL_GIVEN;
	} else if ((i == 2 || i == 3) && g->o.plan.wanted != ITER_RANGE &&
		   g->o.plan.by == ITER_BY_OWN && num_i64(s, n, &x) && x >= 0) {
		/* its range holds if no range and no key is asked for */
		*(i == 2 ? &g->plan.from : &g->plan.to) = x;
		g->plan.wanted = ITER_RANGE;
	}
	return i < ARRAY_LEN(own);
}

/* Ops of PyTorch, and those that only our captures have, have no key by
 * default. */
void
dlprof_op(struct iter_run *g, const char *by)
{
	static const char *const without[] = { "pytorch", "pyprof", "dlprof" };
	bool none = g->dl.has == DL_WITHOUT;
	size_t i;

	if (g->dl.has == DL_GIVEN || g->dl.has == DL_NONE)
		return;
	for (i = 0; by != NULL && i < ARRAY_LEN(without); i++)
		none |= strcmp(by, without[i]) == 0;
	if (none)
		iter_no_key(g);
}

bool
dlprof_has_key(const struct iter_run *g)
{
	return g->plan.by != ITER_BY_NONE &&
	       (g->dl.has == DL_GIVEN || g->dl.has == DL_WITH);
}

/* The key, how many iterations it makes and how many are kept. */
void
dlprof_end(struct iter_run *g, size_t n_iter)
{
	int64_t last = n_iter > 0 ? (int64_t)n_iter - 1 : 0;
	int64_t to = g->plan.to < last ? g->plan.to : last;
	int64_t from = g->plan.wanted == ITER_RANGE ? g->plan.from : 0;
	struct buf key = { 0 };
	bool found = false;
	size_t i;

	for (i = 0; i < g->files.n; i++)
		found |= g->files.v[i].found;
	if (dlprof_has_key(g))
		esc_put(&key, g->key.arg, strlen(g->key.arg));
	out_meta("info", "key_op\t%s", buf_str(&key));
	out_meta("info", "key_op_found\t%s", found ? "yes" : "no");
	out_meta("info", "n_iter\t%zu", n_iter);
	out_meta("info", "n_iter_aggregated\t%lld",
	    (long long)(n_iter > 0 && to >= from ? to - from + 1 : 0));
	out_meta("info", "iter_start\t%lld", (long long)from);
	out_meta("info", "iter_stop\t%lld", (long long)to);
	buf_free(&key);
}
