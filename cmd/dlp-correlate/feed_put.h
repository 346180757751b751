/* The records of work, with the columns of their places added. */
#ifndef DLP_FEED_PUT_H
#define DLP_FEED_PUT_H

#include "out.h"
#include "rec.h"
#include "work.h"

struct corr;

/* The columns that are added; one for each type of work. */
struct out_ext *put_ext(enum work_type type);

/* Write r with them: a kernel, and any other work. */
void put_kern(struct out_ext *x, const struct corr *c, const struct work *w,
    const struct place *pl, struct rec *r);
void put_other(struct out_ext *x, const struct corr *c, const struct place *pl,
    struct rec *r);

#endif
