/* Where iterations begin; see cuts.h. */
#include "cuts.h"

#include <string.h>

#include "out.h"

/* iter -1: none; start NO_TIME: from the beginning. Where some are dropped a
 * column tells which ones. */
static void
put(const struct run *g, const struct source *f, int64_t iter, int64_t start)
{
	static const char *const names[] = { "iter", "start_ns", "src",
		"dropped" };
	static const char *const without[] = { "iter", "start_ns", "dropped" };
	/* with src or without; with dropped or without */
	static struct out_type *types[2][2];
	const char *src = f->name;
	bool wanted = iter < 0 || run_wanted(g, f, iter);
	bool kept = (g->filter && !g->dlprof) || f->cut_down;
	struct out_type **t = &types[src != NULL][kept];

	if (*t == NULL)
		*t = out_type("cut", src != NULL ? names : without,
		    2 + (src != NULL) + kept);
	out_rec(*t);
	out_opt(iter >= 0 && wanted, iter);
	out_opt(start != NO_TIME, start);
	if (src != NULL)
		out_raw(src, strlen(src));
	if (kept)
		out_opt(!wanted, iter);
	out_end();
}

/* A step begins when the one before is over, on the GPU too: t, or later. */
static int64_t
over(const struct run *g, struct source *f, size_t n, int64_t t)
{
	const struct line *x = NULL;

	if (f->plan.kind == PLAN_KEPT && n > 0)
		x = &f->kept.v[n - 1].line;
	if (x != NULL && x->has_gpu &&
	    (!f->accs.has_gpu || x->gpu_hi > f->accs.gpu_hi)) {
		f->accs.gpu_hi = x->gpu_hi;
		f->accs.has_gpu = true;
	}
	if (n == 0 || g->dlprof || !f->accs.has_gpu || f->accs.gpu_hi < t)
		return t;
	return f->accs.gpu_hi;
}

void
cuts_write(struct run *g, struct source *f, int64_t now)
{
	size_t n;
	int64_t lo = now;
	bool next;

	for (;;) {
		n = f->n_begun;
		next = plan_begin(&f->plan, n, &lo) && lo <= now;
		if (f->plan.kind != PLAN_CUTS && f->plan.kind != PLAN_ONE &&
		    !f->outside && (n == 0 || plan_gap(&f->plan, n - 1, now))) {
			put(g, f, -1,
			    n > 0 ? over(g, f, n, f->plan.step[n - 1].hi)
				  : NO_TIME);
			f->outside = true;
		}
		if (!next)
			break;
		put(g, f,
		    f->plan.kind == PLAN_KEPT ? f->kept.v[n].line.iter
					      : (int64_t)n,
		    n == 0 && g->dlprof ? 0 : over(g, f, n, lo));
		f->outside = false;
		f->n_begun++;
	}
}
