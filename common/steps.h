/*
 * The selected steps in time, from the cut records of dlp-iter --cuts. Time
 * that spans several steps is cut at their borders. Time between two
 * consecutive steps belongs to the loop; time before the first step and after
 * the last is outside.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ivl.h"
#include "rec.h"
#include "workrec.h"

enum steps_where {
	STEPS_OUT,   /* before the first step, after the last, or in one that
		      * is not selected */
	STEPS_AFTER, /* a step and its work are over; the next cut is not
		      * known yet */
	STEPS_IN
};

struct steps { /* zeroed: no cuts, all time is one part */
	struct steps_cut {
		int64_t at;   /* ns; INT64_MIN: from the beginning */
		int64_t iter; /* STEPS_AFTER: the step before; STEPS_OUT: -1 */
		enum steps_where where;
	} * v; /* ascending; each is valid until the next one */
	size_t n, cap;
	int64_t work_end; /* end of the work of the steps so far, if any_work */
	bool any_work;
	int64_t first; /* start of the first step, selected or not, if
			* any_step; INT64_MIN: it begins with the profile */
	bool any_step;
};

/* Adds a cut record and returns it; it is valid until the next one is added.
 * *dropped: a step begins there that dlp-iter was told to leave out. */
const struct steps_cut *steps_read(
    struct steps *s, const struct rec *r, bool *dropped);

/* The columns that it reads, of which start_ns is needed. */
#define STEPS_COLS "iter dropped src"

/* The same without a record: step iter, or none (-1), begins at `at`. */
const struct steps_cut *steps_add(
    struct steps *s, int64_t at, int64_t iter, bool dropped);

/* Work of a step ends at t. */
void steps_work(struct steps *s, int64_t t);

struct steps_part { /* the part of time that a moment belongs to */
	enum steps_where where;
	int64_t iter, end; /* iter as in steps_cut; end: the part lasts at
			    * least until then */
};

/* The part at t, as far as is known, because more cuts may follow. */
struct steps_part steps_at(const struct steps *s, int64_t t);

/* Whether a selected step and its work are over and nothing is known of the
 * time after it: another step may follow, or its own work may last longer. */
bool steps_open(const struct steps *s);

/* The end of the last step and its work; false if it is the end of the profile,
 * or if there is no step. Of a step that is not selected only its own end is
 * known. */
bool steps_end(const struct steps *s, int64_t *t);

void steps_free(struct steps *s);

/*
 * The work from before the recording. A GPU that is behind its program works on
 * it when the first step has begun already. It may not be recorded: then the
 * first work that is waits in its queue, and nothing else runs.
 */
struct steps_earlier {      /* zeroed: none */
	struct extent work; /* all GPU work so far */
	int64_t end;        /* the GPU is done with it, if any */
	bool any;
};

/* GPU work, in launch order; launched: false if it was before the recording. */
void steps_earlier_add(
    struct steps_earlier *e, const struct workrec *w, bool launched);
/* Whether the first step, whose work takes gpu_ns and ends at gpu_end, had to
 * wait for that: otherwise it could not have done its own work before. */
bool steps_earlier_delays(
    const struct steps_earlier *e, int64_t gpu_ns, int64_t gpu_end);

/*
 * Finds the steps of a sequence that show what the program does all the time:
 * without warm-up and outliers.
 */

/* an even step differs from the median by at most this */
#define STEADY_PCT 10
/* the mean of those that count differs from that of all after warm-up by at
 * most this, where no outlier is left out */
#define STEADY_MEAN_PCT 3
#define STEADY_NONE INT64_MIN /* an unknown length */
/* So many steps without ranges of ops are needed for those with them, which
 * took longer, not to count. */
#define STEADY_UNMARKED_LEAST 3

struct steady_step {
	int64_t ns;       /* its length, or STEADY_NONE */
	int64_t load_ns;  /* of it: calls that load or compile code, */
	int64_t alloc_ns; /* calls of the driver's allocators */
	bool once;        /* out: it is left out for them */
	bool alone;       /* out: it is left out as an outlier */
};

enum steady_by {
	STEADY_BY_NONE,   /* there is no range: no length is known */
	STEADY_BY_ALONE,  /* one step, because there is no other one */
	STEADY_BY_ALL,    /* all after warm-up, which differ */
	STEADY_BY_MEDIAN, /* all after warm-up, near their median */
};

/* The median of the known lengths; 0 if none is known. */
double steady_median(const struct steady_step *v, size_t n);

/* Whether the step's length is near the median, and it is not left out. */
bool steady_even(const struct steady_step *s, double median);

/* Which steps count: from *from to *to, both included; -1 and -1 if none do.
 * First, steps are left out in which more than 2 % of the time goes into
 * loading of code, if others remain; then those in which more than 5 % goes
 * into allocation, if two others or more remain. Then those at the beginning
 * that are longer than all later ones: *n_warm steps warm up. Of the rest, the
 * longest sequence without an outlier counts, the later one of equals: a step
 * that is far from the median, and unlike all others that are. If its mean is
 * not that of all the others, all count from the first to the last. Marks what
 * is left out, and why. */
enum steady_by steady_range(struct steady_step *v, size_t n, int64_t *from,
    int64_t *to, size_t *n_warm);

/* What a call (its name, with a version or without) does once in a program. */
enum steady_call {
	STEADY_CALL_OTHER,
	STEADY_CALL_LOADS,
	STEADY_CALL_ALLOCATES
};
enum steady_call steady_call(const char *api, size_t n);
