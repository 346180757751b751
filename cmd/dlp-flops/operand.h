/*
 * What a rule's expression can ask about an op: the words and functions of
 * expr.c, and the sizes behind them.
 */
#ifndef FLOPS_OPERAND_H
#define FLOPS_OPERAND_H

#include "work.h"

/* GPUs of a collective; -1: unknown. */
extern int64_t operand_ranks;

/* All results are -1 where they are unknown. */
typedef int64_t operand_fn(const struct work *w, const struct arg *t);
typedef int64_t value_fn(const struct work *w);

/* The function of an argument, numel(A), and the word, n; NULL: none. */
operand_fn *operand_function(const char *name, size_t n);
value_fn *operand_value(const char *name, size_t n);

/* Elements of the broadcast result of all tensors; -1 if they do not fit. */
int64_t operand_out(const struct work *w);

/* Bytes of an element of the op's data, by its first tensor or its kernel. */
int64_t operand_esize(const struct work *w);

/* Bytes of tensor t; where emit_nvtx tells no types, in the op's type. */
int64_t operand_size(const struct work *w, const struct arg *t);

#endif
