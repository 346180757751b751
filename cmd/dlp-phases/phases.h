/* The rows of phases: made, added to, and written at the end. */
#ifndef PHASES_PHASES_H
#define PHASES_PHASES_H

#include "phase.h"

/* The phase's row; made if it is new. */
struct phase *phases_get(struct phases *p, struct mview src, struct mview iter,
    struct mview word, bool by_op);

/* A range names the phase. */
void phases_ranged(struct phases *p, struct phase *ph);

/* An iteration has that length: what its phases leave of it idles. */
void phases_step(
    struct phases *p, struct mview src, struct mview iter, int64_t len);

/* GPU work from lo to hi. */
void phase_gpu(struct phase *ph, int64_t dev, int64_t lo, int64_t hi);

void phases_end(struct phases *p); /* writes the records and notes */
void phases_clear(struct phases *p);

#endif
