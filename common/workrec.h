/*
 * The columns that records of work share: kern, copy, set, graph and sync,
 * and with fewer of them call, inst, range, os, over and iter. They are bound
 * once for each type, and read into one struct:
 *
 *	struct gaps_type {
 *		struct workrec_cols cols;
 *		struct rec_col *layer;	what only this command reads
 *	} kern;
 *
 *	t = stage_on(st, "kern", on_kern, NULL, &kern);
 *	workrec_bind(&kern.cols, t, WORKREC_START | WORKREC_DUR,
 *	    WORKREC_DEV | WORKREC_CALL);
 *	kern.layer = rec_col(t, "layer", REC_OPT);
 *
 *	static void
 *	on_kern(struct stage *st, struct rec *r)
 *	{
 *		struct gaps_type *k = rec_arg(r);
 *		struct workrec w;
 *
 *		workrec_read(&w, &k->cols, r);
 *		if (w.has_dur && w.has_dev) ...
 */
#ifndef DLP_WORKREC_H
#define DLP_WORKREC_H

#include "mview.h"
#include "num.h"
#include "rec.h"

enum {                              /* which columns, a bit each */
	WORKREC_START = 1 << 0,     /* start_ns */
	WORKREC_DUR = 1 << 1,       /* dur_ns */
	WORKREC_API_START = 1 << 2, /* api_start_ns: when its call begins */
	WORKREC_API_DUR = 1 << 3,   /* api_dur_ns */
	WORKREC_PID = 1 << 4,
	WORKREC_TID = 1 << 5,
	WORKREC_DEV = 1 << 6,
	WORKREC_CORR = 1 << 7,
	WORKREC_SRC = 1 << 8,
	WORKREC_ITER = 1 << 9,

	WORKREC_SPAN = WORKREC_START | WORKREC_DUR,
	WORKREC_CALL = WORKREC_API_START | WORKREC_API_DUR,
	WORKREC_THREAD = WORKREC_PID | WORKREC_TID,
};

/* Of a record type. A column that was not requested is treated as missing. */
struct workrec_cols {
	struct rec_type *type;
	const struct rec_col *start, *dur, *api_start, *api_dur, *pid, *tid,
	    *dev, *corr, *src, *iter;
};

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

/* Binds the columns of `need` as REC_NEED and those of `opt` as REC_OPT; both
 * are bits of the enum above. The caller owns c, which must live as long as the
 * reader. */
void workrec_bind(
    struct workrec_cols *c, struct rec_type *t, unsigned need, unsigned opt);

/* As rec_i64(), but inline for a column that the legend does not have. */
static inline bool
workrec_number(const struct rec *r, const struct rec_col *c, int64_t *v)
{
	return c->pos >= 0 && rec_i64(r, c, v);
}

/* The end (ns) of an interval that begins at start and has the length in the
 * column. False if the length is unset or, in a broken profile, negative. */
static inline bool
workrec_end(
    const struct rec *r, const struct rec_col *dur, int64_t start, int64_t *end)
{
	int64_t ns;

	*end = start;
	if (!workrec_number(r, dur, &ns))
		return false;
	*end = num_add(start, ns);
	return ns >= 0;
}

/* Fills w from the data record r. Fatal if a field should be a number and is
 * not, as in rec_i64(). Inline, so that a caller does not pay for members that
 * it does not use. */
static inline void
workrec_read(
    struct workrec *w, const struct workrec_cols *c, const struct rec *r)
{
	w->start = w->api = 0;
	w->pid = w->tid = w->dev = w->corr = -1;
	w->has_start = workrec_number(r, c->start, &w->start);
	w->has_dur = w->has_start && workrec_end(r, c->dur, w->start, &w->end);
	if (!w->has_dur)
		w->end = w->start;
	w->has_api = workrec_number(r, c->api_start, &w->api);
	w->api_end = w->api;
	w->has_api_dur =
	    w->has_api && workrec_end(r, c->api_dur, w->api, &w->api_end);
	w->has_pid = workrec_number(r, c->pid, &w->pid);
	w->has_tid = workrec_number(r, c->tid, &w->tid);
	w->has_dev = workrec_number(r, c->dev, &w->dev);
	w->has_corr = workrec_number(r, c->corr, &w->corr);
	w->src = rec_view(r, c->src);
	w->iter = rec_view(r, c->iter);
}

/* The same by ids: reads all columns above that stage_reads() or rec_want()
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

#endif
