/* The columns that records of work share; see workrec.h. */
#include "workrec.h"

#include "array.h"
#include "num.h"

static const struct rec_col absent = { "", REC_OPT, -1 };

void
workrec_bind(
    struct workrec_cols *c, struct rec_type *t, unsigned need, unsigned opt)
{
	const struct {
		const struct rec_col **to;
		unsigned bit;
		const char *name;
	} all[] = {
		{ &c->start, WORKREC_START, "start_ns" },
		{ &c->dur, WORKREC_DUR, "dur_ns" },
		{ &c->api_start, WORKREC_API_START, "api_start_ns" },
		{ &c->api_dur, WORKREC_API_DUR, "api_dur_ns" },
		{ &c->pid, WORKREC_PID, "pid" },
		{ &c->tid, WORKREC_TID, "tid" },
		{ &c->dev, WORKREC_DEV, "dev" },
		{ &c->corr, WORKREC_CORR, "corr" },
		{ &c->src, WORKREC_SRC, "src" },
		{ &c->iter, WORKREC_ITER, "iter" },
	};
	size_t i;

	c->type = t;
	for (i = 0; i < ARRAY_LEN(all); i++)
		if (need & all[i].bit)
			*all[i].to = rec_col(t, all[i].name, REC_NEED);
		else if (opt & all[i].bit)
			*all[i].to = rec_col(t, all[i].name, REC_OPT);
		else
			*all[i].to = &absent;
}

/* Most callers ask for few of the columns: the others cost no call. */
static inline bool
number(const struct rec *r, const struct rec_col *c, int64_t *v)
{
	return c->pos >= 0 && rec_i64(r, c, v);
}

/* The end of what lasts so long, which may be before its start in a broken
 * profile; false there, and where the length is unset. */
static bool
read_end(
    const struct rec *r, const struct rec_col *dur, int64_t start, int64_t *end)
{
	int64_t ns;

	*end = start;
	if (!number(r, dur, &ns))
		return false;
	*end = num_add(start, ns);
	return ns >= 0;
}

void
workrec_read(
    struct workrec *w, const struct workrec_cols *c, const struct rec *r)
{
	w->start = w->api = 0;
	w->pid = w->tid = w->dev = w->corr = -1;
	w->has_start = number(r, c->start, &w->start);
	w->has_dur = w->has_start && read_end(r, c->dur, w->start, &w->end);
	if (!w->has_dur)
		w->end = w->start;
	w->has_api = number(r, c->api_start, &w->api);
	w->api_end = w->api;
	w->has_api_dur =
	    w->has_api && read_end(r, c->api_dur, w->api, &w->api_end);
	w->has_pid = number(r, c->pid, &w->pid);
	w->has_tid = number(r, c->tid, &w->tid);
	w->has_dev = number(r, c->dev, &w->dev);
	w->has_corr = number(r, c->corr, &w->corr);
	w->src = rec_view(r, c->src);
	w->iter = rec_view(r, c->iter);
}

bool
workrec_span(const struct rec *r, const struct rec_col *start,
    const struct rec_col *dur, int64_t *lo, int64_t *hi)
{
	return rec_i64(r, start, lo) && read_end(r, dur, *lo, hi);
}
