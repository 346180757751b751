/* What the files of the stage itself share. */
#ifndef FLOPS_IMPL_H
#define FLOPS_IMPL_H

#include "stage.h"
#include "state.h"

/* The part this kernel plays in its run, now that the run's other kernels
 * so far are known. */
enum role role_now(const struct answer *a, bool has_inst, int64_t inst);

/* Appends the columns to out_buf, without the line's end. */
void put_columns(const struct result *res, const struct kname *k,
    enum role role, int64_t dev);

/* Counts what becomes a note. */
void count_notes(const struct answer *a, const struct kname *k, int64_t dev);

void kern_attach(struct stage *st);

/* A backward's op brings the size its forward op waits for; text is the
 * framework's name of it, or NULL. */
void flops_resolve(struct stage *st, const struct op *op, const char *text);

/* Writes what is held; what is not known by now stays unknown. */
void flops_drain(struct stage *st);

#endif
