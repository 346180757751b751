/*
 * Kernels whose numbers come later: those of a convolution, whose result's
 * size the next op or its backward tells, and those that share the work of
 * their run. Their lines and all that follow are held (hold.h).
 */
#ifndef FLOPS_WAIT_H
#define FLOPS_WAIT_H

#include "kern_read.h"
#include "rest.h"
#include "stage.h"

/* If the kernel must wait for its size, or for the other kernels of its run,
 * its record is held, and the result is true. */
bool wait_size(struct stage *st, const struct rest *x, struct rec *r,
    const struct kern *k);
bool wait_share(struct stage *st, const struct rest *x, struct rec *r,
    const struct kern *k, const struct result *res);

/* A finished line, without its end: to the output, or after what is held. */
void wait_line(struct stage *st, const struct buf *line, bool is_record);

/* A backward's op brings the size its forward op waits for; text is the
 * framework's name of it, or NULL. */
void wait_op(struct stage *st, const struct op *op, const char *text);

/* A product's result has that size. */
void wait_result(struct stage *st, int64_t prim_run, const char *shape);

void wait_closed(struct stage *st, int64_t inst); /* no more of the run */

/* Writes what is held; what is not known by now stays unknown. */
void wait_drain(struct stage *st);

#endif
