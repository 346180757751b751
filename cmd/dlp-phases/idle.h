/*
 * When the devices idle in an iteration: a gap between two pieces of its work
 * belongs to the phase whose work ends it; what the step lasts before its
 * first work and behind its last, to no phase. So the busy and the idle time
 * of an iteration's phases add up to the step's length on each device of the
 * file, where no two work at the same time.
 */
#ifndef PHASES_IDLE_H
#define PHASES_IDLE_H

#include "phase.h"

/* The row is new: to its iteration. */
void idle_row(struct phases *p, size_t row);

/* A device of a file has work. */
void idle_dev(struct phases *p, struct mview src, int64_t dev);

/* Adds up the gaps of an iteration, once, before its pieces are forgotten. */
void idle_sum(struct phases *p, uint32_t step);

/* The same of all, and what no piece of work ends. */
void idle_end(struct phases *p);

/* Outside of all steps nothing idles for a phase. */
bool idle_known(const struct phases *p, const struct phase *ph);

void idle_clear(struct phases *p);

#endif
