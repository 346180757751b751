/*
 * Iterations that an earlier dlp-iter made, as its records tell them: without
 * a key they stay as they are.
 */
#ifndef ITER_KEPT_H
#define ITER_KEPT_H

#include "source.h"

struct rec;
struct rec_type;

/* The columns of an iter record. */
void kept_bind(struct rec_type *t);

/* Notes an iter record of file f. */
void kept_add(struct source *f, const struct rec *r);

/* At the section's end: whether they can stay; then f's plan is made of them.
 * One iteration without a key is one for want of steps. */
bool kept_take(struct source *f);

/* The iteration that a record was given, or that its time lies in; -1: none. */
int64_t kept_where(struct source *f, const struct item *m, const char *line);

/* Iteration i of the plan, as it was written. */
void kept_line(struct line *x, const struct source *f, size_t i);

/* The first number of all files that there is; 0 where one is cut anew. */
int64_t kept_first(const struct sources *f);

void kept_clear(struct source *f);

/* Whether r is a note of an earlier run that this one writes anew, if need be
 * from these sums. iter_dropped is none: what is gone is gone. */
struct kept_notes {
	uint64_t outside, nested, late;
};
bool kept_note(struct kept_notes *sums, const struct rec *r);

#endif
