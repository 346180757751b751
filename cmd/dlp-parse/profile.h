/*
 * A run of dlp-parse, and the profiles that it reads. A profile is one file,
 * with a cursor for each of its tables. profile.c opens it and makes the first
 * pass over all rows; launch_order.c writes its events in launch order.
 */
#ifndef DLP_PARSE_PROFILE_H
#define DLP_PARSE_PROFILE_H

#include "cursor.h"
#include "dialect.h"
#include "emit.h"
#include "infile.h"
#include "namecache.h"
#include "scan.h"
#include "selection.h"

struct parse { /* the run: options, and the state that all profiles share */
	struct selection sel;
	struct emit out;
	struct infile in;
	struct profile **prof;
	int nprof;
	bool no_dict;    /* --no-dict */
	bool need_times; /* --need-times */
	bool old_names;  /* --old-names: nvprof's kernels as PyProf's library
			    demangled them */
	uint64_t ranks_by_utc, ranks_unaligned; /* notes of --ranks */
};

struct profile {
	struct parse *run;
	const char *path;
	struct buf src; /* escaped file name for the src column */
	int no;
	sqlite3 *db;
	sqlite3 *second; /* the same, for another thread; NULL: none */
	const struct dialect *dialect;
	void *ctx; /* the dialect's */
	struct ev_sources sources;
	struct cursor *cur; /* all; cpu and gpu point into it */
	int ncur;
	struct cursor **cpu, **gpu;
	int ncpu, ngpu;
	struct keys keys;
	struct window window;
	struct heap orphans;
	struct name_cache names;
	bool any_orphans;
	int64_t only_pid; /* the one process with calls, or EV_UNSET */
	uint64_t gpu_rows, range_rows;
	/* --ranks: ranks.h */
	int64_t rank, shift; /* shift: added to all times */
	enum { RANK_ORDER, RANK_FOUND } rank_by;
	const char *clock_by; /* how shift was found; NULL: it was not */
	int64_t n_coll, spread;
	/* the cursor of the next event, a CPU table's; NULL: the next event is
	 * the first orphan */
	struct cursor *next;
	bool has_next;
	/* launch_order.c */
	struct event *several; /* the activities of one call, while they are
				* written */
	size_t cap_several;
	struct {
		uint64_t twins, before_launch, orphans, late;
	} count;
};

/* path NULL is standard input. */
void profile_open(
    struct profile *p, struct parse *run, const char *path, int no);
void profile_begin(struct profile *p); /* the first pass */
void profile_alone(struct profile *p); /* stops the second thread */
void profile_start(struct profile *p); /* opens the cursors for the merge */
void profile_close(struct profile *p);

/* The merge: peek says whether there is one more event, the others return it
 * and write its records. */
bool merge_peek(struct profile *p);
const struct event *merge_head(const struct profile *p);
void merge_emit(struct profile *p);

#endif
