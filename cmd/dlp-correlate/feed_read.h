/* What the records that are read have in common. */
#ifndef DLP_FEED_READ_H
#define DLP_FEED_READ_H

#include "stage.h"
#include "text.h"

struct corr;
struct proc;

struct corr *feed_corr(struct stage *st);

/* The process of a record; src tells the files of one stream apart. */
struct proc *feed_proc(struct corr *c, const struct rec *r,
    const struct rec_col *pid, const struct rec_col *src);

/* Escaped text of a column; "" if it is unset. */
struct text feed_text(const struct rec *r, const struct rec_col *col);

/* A record that stands at time t. */
void feed_time(struct corr *c, int64_t t);

#endif
