/* The kern records: each gets its columns. */
#ifndef FLOPS_KERN_H
#define FLOPS_KERN_H

#include "stage.h"
#include "state.h"

/* Sets the callback. */
void kern_attach(struct stage *st);

/* A backward's op brings the size its forward op waits for; text is the
 * framework's name of it, or NULL. */
void kern_resolve(struct stage *st, const struct op *op, const char *text);

/* A product's result has that size. */
void kern_result(struct stage *st, int64_t prim_run, const char *shape);

/* Writes what is held; what is not known by now stays unknown. */
void kern_drain(struct stage *st);

#endif
