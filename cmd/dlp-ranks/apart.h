/*
 * Ranks that are of another run: only UTC aligns them with the first, no
 * collective does, and nothing of them runs while the first one works. Their
 * rank records are kept until that is known, and say then that the clock is
 * not aligned.
 */
#ifndef RANKS_APART_H
#define RANKS_APART_H

#include "part.h"
#include "rec.h"

/* The record of a rank that UTC aligned; clock, shift: columns that it may
 * lack. */
void apart_keep(const struct rec *r, const char *src, size_t n,
    const struct rec_col *clock, const struct rec_col *shift);

/* The first rank's file. */
void apart_first(const char *src, size_t n);

/* Marks the participants of other runs, says so, and writes the records. */
void apart_end(struct parts *ps);

#endif
