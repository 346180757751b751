/*
 * The columns that records of work share: kern, copy, set, graph and sync, and
 * with fewer of them call, inst, range, os, over and iter, read into one
 *struct:
 *
 *	stage_on(st, "kern copy", on_work, .need = "start_ns dur_ns",
 *	    .opt = "dev api_start_ns");
 *
 *	static void
 *	on_work(struct stage *st, struct rec *r)
 *	{
 *		struct workrec w;
 *
 *		work_read(&w, r);
 *		if (w.has_dur && w.has_dev) ...
 */
#pragma once

#include "mview.h"
#include "num.h"
#include "rec.h"

struct workrec {
	int64_t start, end;   /* ns; end is start unless has_dur */
	int64_t api, api_end; /* ns, of its call; api_end equals api if the
			       * call's length is unset */
	int64_t pid, tid, dev, corr; /* -1 if unset */
	struct mview src, iter;      /* the raw text; s is NULL if unset.
				      * Views into the record */
	bool has_start;
	bool has_dur; /* start and dur_ns are set, dur_ns is not negative */
	bool has_api;
	bool has_api_dur; /* as has_dur, for the call */
	bool has_pid, has_tid, has_dev, has_corr;
};

/* The same by ids: reads all columns above that stage_on() or rec_want()
 * requested of the type. */
static inline bool
work_number(const struct rec *r, int col, int64_t *v)
{
	return rec_has(r->type, col) && rec_num(r, col, v);
}

static inline bool
work_end(const struct rec *r, int dur, int64_t start, int64_t *end)
{
	int64_t ns;

	*end = start;
	if (!work_number(r, dur, &ns))
		return false;
	*end = num_add(start, ns);
	return ns >= 0;
}

/* Fills w from the data record r with those of these columns that stage_on() or
 * rec_want() requested of its type. Fatal if a field should be a number and is
 * not. Inline, so that a caller does not pay for members that it does not use.
 */
static inline void
work_read(struct workrec *w, const struct rec *r)
{
	w->start = w->api = 0;
	w->pid = w->tid = w->dev = w->corr = -1;
	w->has_start = work_number(r, COL_start_ns, &w->start);
	w->has_dur = w->has_start && work_end(r, COL_dur_ns, w->start, &w->end);
	if (!w->has_dur)
		w->end = w->start;
	w->has_api = work_number(r, COL_api_start_ns, &w->api);
	w->api_end = w->api;
	w->has_api_dur =
	    w->has_api && work_end(r, COL_api_dur_ns, w->api, &w->api_end);
	w->has_pid = work_number(r, COL_pid, &w->pid);
	w->has_tid = work_number(r, COL_tid, &w->tid);
	w->has_dev = work_number(r, COL_dev, &w->dev);
	w->has_corr = work_number(r, COL_corr, &w->corr);
	w->src = rec_get(r, COL_src);
	w->iter = rec_get(r, COL_iter);
}
