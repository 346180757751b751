/*
 * Where the steps that count lie, by dlp-iter's cut records: gaps are cut at
 * the borders of all of them together. Time between two steps is theirs.
 */
#ifndef GAPS_STEPS_H
#define GAPS_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum where {
	W_OUT,    /* before the first of the steps, or behind the last */
	W_BEHIND, /* after a step and its work; the next is not known yet */
	W_STEP
};

struct steps { /* zeroed: none, all is one */
	struct step {
		int64_t at;
		int64_t iter; /* of W_BEHIND the step before */
		enum where where;
	} * v;
	size_t n, cap;
	int64_t work_end; /* of the work of steps so far */
	bool any_work;
};

struct part { /* from a moment on */
	enum where where;
	int64_t iter, end;
};

/* A cut record: iter -1 is none; at INT64_MIN is the beginning. */
void steps_cut(struct steps *s, int64_t at, int64_t iter, bool dropped);

/* Work of a step ends at t. */
void steps_work(struct steps *s, int64_t t);

/* What holds at t, and until when, at least. */
struct part steps_at(const struct steps *s, int64_t t);

/* Where the first step begins; false where none has, or not by a range. */
bool steps_begin(const struct steps *s, int64_t *t);

/* Where the last one ends, with its work; false where that is not known. */
bool steps_end(const struct steps *s, int64_t *t, int64_t *iter);

#endif
