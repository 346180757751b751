/*
 * A profile is one file with its cursors, one per table; the merge takes the
 * first event of all of them, again and again.
 */
#ifndef DLP_PARSE_RUN_H
#define DLP_PARSE_RUN_H

#include "cursor.h"
#include "dialect.h"
#include "keys.h"
#include "names.h"
#include "window.h"

struct profile {
	const char *path;
	struct buf src; /* escaped file name for the src column */
	int no;
	sqlite3 *db;
	sqlite3 *second; /* the same, for another thread; NULL: none */
	const struct dialect *dialect;
	void *ctx;
	struct sources sources;
	struct cursor *cur; /* all; cpu and gpu point into it */
	int ncur;
	struct cursor **cpu, **gpu;
	int ncpu, ngpu;
	struct keys keys;
	struct window window;
	struct heap orphans;
	struct names names;
	bool any_orphans;
	int64_t only_pid; /* the one process with calls, or EV_UNSET */
	uint64_t gpu_rows, range_rows;
	/* --ranks: ranks.h */
	int64_t rank, shift; /* shift: what all times are moved by */
	enum { RANK_ORDER, RANK_FOUND } rank_by;
	const char *clock_by; /* what shift is by; NULL: nothing */
	int64_t n_coll, spread;
	/* the next event: a CPU cursor, or the first orphan if NULL */
	struct cursor *next;
	bool has_next;
};

/* The profile at work: the one that messages, facts and strings are of. */
void profile_current(struct profile *p);
const struct profile *profile_cur(void);

#endif
