/* Ops that ran: their types, and whether they could use Tensor Cores. */
#ifndef ADVISE_OPS_H
#define ADVISE_OPS_H

#include "facts.h"
#include "stage.h"

/* Sets the callbacks of op and inst records. */
void ops_bind(struct stage *st);

/* A kernel of the op has that type (or NULL), used Tensor Cores, could have. */
void ops_kernel(struct facts *f, int64_t id, const char *dtype, size_t n,
    bool tc, bool eligible);

/* At the end: counts those of a file. */
void ops_end(struct facts *f);
void ops_forget(void);

#endif
