/*
 * A section's way: items wait until the key is known, then each gets its
 * iteration and goes out; an iteration's own record follows when it can no
 * longer change.
 */
#ifndef ITER_RUN_H
#define ITER_RUN_H

#include "state.h"

struct rec;

/* A section begins, ends. */
void run_section(struct run *g);
void run_end(struct run *g);

/* An item: kept while the key is not known. Of --list it needs no line. */
void run_keep(struct run *g, struct item *m, const char *line);

/* A line that nothing is added to. */
void run_pass(struct run *g, const char *line, size_t n, bool meta);

/* An op came that by tells of (may be NULL). */
void run_op(struct run *g, const char *by);

/* An iteration of an earlier run. */
void run_iter(struct run *g, uint32_t src, const struct rec *r);

/* A range came that may be a step. */
void run_range(struct run *g, uint32_t src, uint32_t lane, const char *s,
    size_t n, int64_t lo, int64_t hi);

#endif
