/* Where iterations lie in time: from step ranges, from cuts, or one. */
#ifndef ITER_PLAN_H
#define ITER_PLAN_H

#include "item.h"
#include "ivl.h"
#include "map.h"

/* A thread of a process, and its step ranges. */
struct lane {
	uint32_t proc;
	struct span {
		int64_t lo, hi;
		uint32_t n; /* the iteration */
	} * v;              /* ascending, disjoint */
	size_t nv, cap;
	size_t at; /* the range that was found last */
};

struct proc {
	uint32_t *lane; /* its lanes that have step ranges */
	size_t n, cap;
};

struct step { /* an iteration made of step ranges */
	int64_t lo, hi;
	struct ivl cpu;
	uint32_t text;
};

struct plan {
	enum { PLAN_ONE, PLAN_STEPS, PLAN_CUTS, PLAN_KEPT } kind;
	struct smap lanes, procs, texts;
	struct lane *lane;
	struct proc *proc;
	struct proc all; /* all lanes that have step ranges */
	struct step *step;
	size_t nstep, step_cap;
	int64_t *cut; /* ascending; iteration n begins at cut[n - 1] */
	size_t ncut, cut_cap;
	uint64_t nested; /* step ranges inside of step ranges */
};

#define OPEN_ITERS 8 /* iterations that are open at the same time */

uint32_t plan_lane(struct plan *p, int64_t pid, int64_t tid);
void plan_step(
    struct plan *p, uint32_t lane, int64_t lo, int64_t hi, uint32_t text);
/* The next iteration of an earlier run, of all lanes. */
void plan_kept(struct plan *p, int64_t lo, int64_t hi);
void plan_cut(struct plan *p, int64_t t);
void plan_cuts_done(struct plan *p);

/* The iteration of time t (NO_TIME: unknown) on a lane, or -1. */
int64_t plan_where(struct plan *p, uint32_t lane, int64_t t);

/* When iteration n begins; false if there is none yet. */
bool plan_begin(const struct plan *p, size_t n, int64_t *lo);
/* Whether step n has ended by now, and none begins before it ends. */
bool plan_gap(const struct plan *p, size_t n, int64_t now);
size_t plan_count(const struct plan *p);
void plan_clear(struct plan *p);

#endif
