/* What all records have in common. */
#include "feed_read.h"

#include "corr.h"
#include "engine.h"

struct corr *
feed_corr(struct stage *st)
{
	return st->ctx;
}

struct proc *
feed_proc(struct corr *c, const struct rec *r, const struct rec_col *pid,
    const struct rec_col *src)
{
	int64_t v = -1;
	size_t n = 0;
	const char *s = rec_raw(r, src, &n);

	rec_i64(r, pid, &v);
	return proc_of(&c->threads, s, s != NULL ? n : 0, v);
}

struct text
feed_text(const struct rec *r, const struct rec_col *col)
{
	struct text t;

	t.s = rec_raw(r, col, &t.n);
	if (t.s == NULL)
		t = (struct text){ "", 0 };
	return t;
}

void
feed_time(struct corr *c, int64_t t)
{
	if (t < c->threads.now)
		c->n.late++;
	else
		corr_now(c, t);
}
