/*
 * The expressions of rules: integer arithmetic over the sizes of an op's
 * arguments. dlp-flops-rules(7) tells the language.
 */
#ifndef FLOPS_EXPR_H
#define FLOPS_EXPR_H

#include "work.h"

/* The value of the expression s[0..n) for the question w, or -1 where it is
 * unknown: an argument that is not there, a type, a division by zero, a
 * negative result; where it does not fit, size_overflow is set. */
int64_t expr_eval(const char *s, size_t n, const struct work *w);

/* What is wrong with it, and where from its beginning; NULL: nothing. */
const char *expr_check(const char *s, size_t n, size_t *at);

#endif
