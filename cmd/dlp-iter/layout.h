/* Where the iterations of a file lie in time. */
#ifndef ITER_LAYOUT_H
#define ITER_LAYOUT_H

#include "ivl.h"
#include "map.h"
#include "spool.h"

/* A thread of a process, and its step ranges. */
struct layout_lane {
	uint32_t proc;
	struct layout_span {
		int64_t lo, hi;
		uint32_t n; /* the iteration */
	} * v;              /* ascending, disjoint */
	size_t nv, cap;
	size_t at; /* the range that was found last */
};

struct layout_proc {
	uint32_t *lane; /* its lanes that have step ranges */
	size_t n, cap;
};

struct layout_step { /* an iteration made of step ranges */
	int64_t lo, hi;
	struct ivl cpu;
	uint32_t text;
};

struct layout {
	enum {
		LAYOUT_ONE,   /* all of the file is one iteration */
		LAYOUT_STEPS, /* each is made of step ranges */
		LAYOUT_CUTS,  /* one ends where the next begins */
		LAYOUT_KEPT   /* as an earlier dlp-iter made them */
	} kind;
	struct smap lanes, procs, texts;
	struct layout_lane *lane;
	struct layout_proc *proc;
	struct layout_proc all; /* all lanes that have step ranges */
	struct layout_step *step;
	size_t nstep, step_cap;
	int64_t *cut; /* ascending; iteration n begins at cut[n - 1] */
	size_t ncut, cut_cap;
	uint64_t nested; /* step ranges inside of step ranges */
};

#define OPEN_ITERS 8 /* iterations that are open at the same time */

uint32_t layout_lane(struct layout *p, int64_t pid, int64_t tid);
void layout_step(
    struct layout *p, uint32_t lane, int64_t lo, int64_t hi, uint32_t text);
/* The next iteration of an earlier run, of all lanes. */
void layout_kept(struct layout *p, int64_t lo, int64_t hi);
void layout_cut(struct layout *p, int64_t t);
void layout_cuts_done(struct layout *p);

/* The iteration of time t (NO_TIME: unknown) on a lane, or -1. */
int64_t layout_where(struct layout *p, uint32_t lane, int64_t t);

/* When iteration n begins; false if there is none yet. */
bool layout_begin(const struct layout *p, size_t n, int64_t *lo);
/* Whether step n has ended by now, and none begins before it ends. */
bool layout_gap(const struct layout *p, size_t n, int64_t now);
size_t layout_count(const struct layout *p);
void layout_clear(struct layout *p);

#endif
