/* The stream's records to the engine, and back with columns added. */
#ifndef DLP_FEED_H
#define DLP_FEED_H

#include "corr.h"

/* Binds the record types of an open stage to c, which must be zeroed but
 * for its options. */
void feed_start(struct corr *c, struct stage *st);

/* feed_range.c */
void feed_bind_range(struct stage *st);
void feed_bind_node(struct stage *st);

struct corr *feed_corr(struct stage *st);

/* The process of a record; src tells the files of one stream apart. */
struct proc *feed_proc(struct corr *c, const struct rec *r,
    const struct rec_col *pid, const struct rec_col *src);

/* Escaped text of a column; "" if it is unset. */
struct text feed_text(const struct rec *r, const struct rec_col *col);

/* A record that stands at time t. */
void feed_time(struct corr *c, int64_t t);

#endif
