/* Where iterations begin; see cuts.h. */
#include "cuts.h"

#include <string.h>

#include "out.h"

/* iter -1: none, or one that is dropped; start NO_TIME: from the beginning. */
static void
put(int64_t iter, int64_t start, const char *src)
{
	static const char *const names[] = { "iter", "start_ns", "src" };
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[src != NULL];

	if (*t == NULL)
		*t = out_type("cut", names, src != NULL ? 3 : 2);
	out_rec(*t);
	out_opt(iter >= 0, iter);
	out_opt(start != NO_TIME, start);
	if (src != NULL)
		out_raw(src, strlen(src));
	out_end();
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
		if (f->plan.kind == PLAN_STEPS && !f->outside &&
		    (n == 0 || plan_gap(&f->plan, n - 1, now))) {
			put(-1, n > 0 ? f->plan.step[n - 1].hi : NO_TIME,
			    f->name);
			f->outside = true;
		}
		if (!next)
			break;
		put(run_wanted(g, (int64_t)n) ? (int64_t)n : -1,
		    n == 0 && g->dlprof ? 0 : lo, f->name);
		f->outside = false;
		f->n_begun++;
	}
}
