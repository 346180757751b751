/*
 * Where the steps that count lie, by the cut records of dlp-iter --cuts: what
 * lasts longer than one step is cut at their borders. Time between two steps
 * that follow each other belongs to the loop; time before the first one and
 * after the last one is outside.
 */
#ifndef DLP_STEPS_H
#define DLP_STEPS_H

#include "rec.h"

enum steps_where {
	STEPS_OUT,   /* before the first step, after the last, or in one that
			does not count */
	STEPS_AFTER, /* a step and its work are over; what follows is not
			known yet */
	STEPS_IN
};

struct steps { /* zeroed: no cut was seen, all time is one */
	struct steps_cut {
		int64_t at;   /* ns; INT64_MIN: from the beginning */
		int64_t iter; /* STEPS_AFTER: of the step before; OUT: -1 */
		enum steps_where where;
	} * v; /* ascending; each holds until the next one */
	size_t n, cap;
	int64_t work_end; /* of the work of steps so far, if any_work */
	bool any_work;
};

struct steps_cols { /* of the cut records */
	struct rec_col *start, *iter, *dropped, *src;
};

void steps_bind(struct steps_cols *c, struct rec_type *cut);

/* Adds a cut record, and returns it; it holds until the next one is added.
 * *dropped: a step begins there that dlp-iter was told to leave out. */
const struct steps_cut *steps_read(struct steps *s, const struct steps_cols *c,
    const struct rec *r, bool *dropped);

/* The same without a record: from `at` on is step iter, or none (-1). */
const struct steps_cut *steps_add(
    struct steps *s, int64_t at, int64_t iter, bool dropped);

/* Work of a step ends at t. */
void steps_work(struct steps *s, int64_t t);

struct steps_part { /* what holds from a moment on */
	enum steps_where where;
	int64_t iter, end; /* iter as in steps_cut; until when, at least */
};

/* What holds at t, as far as is known: more cuts may follow. */
struct steps_part steps_at(const struct steps *s, int64_t t);

/* Where the first step begins; false if there is none yet, or if it begins
 * with the profile. */
bool steps_begin(const struct steps *s, int64_t *t);

/* Where the last step and its work are over; false where that is not known. */
bool steps_end(const struct steps *s, int64_t *t, int64_t *iter);

void steps_free(struct steps *s);

#endif
