/*
 * A table that is read ahead in a thread, some thousand rows. The batches come
 * as they would without it, and so does what goes wrong between them.
 */
#ifndef DLP_PARSE_AHEAD_H
#define DLP_PARSE_AHEAD_H

#include "batch.h"

/* Begins to read batches by fn; NULL if no thread is to be had. *first is an
 * empty batch, as if it had been read. The batches belong to the result. */
struct ahead *ahead_begin(batch_fn *fn, void *ctx, struct batch **first);

/* The next batch; the one before is given up. Not to be called behind the last
 * one. Fatal where reading it was. */
struct batch *ahead_next(struct ahead *a);

void ahead_end(struct ahead *a); /* frees it, wherever it is */

#endif
