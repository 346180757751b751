/*
 * The expressions of rules: integer arithmetic (expr.c) with words and
 * functions for the sizes of an op's arguments (operand.c). dlp-flops-rules(7)
 * describes the language.
 */
#ifndef FLOPS_EXPR_H
#define FLOPS_EXPR_H

#include "kern_work.h"

/* The value of the expression s[0..n) for the question w. -1 if it is unknown:
 * an argument or type is missing, a divisor is zero, the result is negative or
 * does not fit (size_overflowed() is called then). */
int64_t expr_eval(const char *s, size_t n, const struct kern_work *w);

/* The error in the expression, or NULL; *at is its place, from the beginning.
 */
const char *expr_check(const char *s, size_t n, size_t *at);

/* Functions and words of expressions. All results are -1 if unknown. */
typedef int64_t operand_fn(const struct kern_work *w, const struct op_arg *t);
typedef int64_t operand_word_fn(const struct kern_work *w);

/* The function of an argument, such as numel in numel(A), and the word, such as
 * n; NULL if the name is unknown. */
operand_fn *operand_function(const char *name, size_t n);
operand_word_fn *operand_word(const char *name, size_t n);

/* Elements of the broadcast result of all tensors; -1 if they do not fit. */
int64_t operand_out(const struct kern_work *w);

/* Bytes of an element of the op's data, by its first tensor or its kernel. */
int64_t operand_esize(const struct kern_work *w);

#endif
