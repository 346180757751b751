/* The comparison as diff records. */
#ifndef DIFF_PRINT_H
#define DIFF_PRINT_H

#include "match.h"

/* A mean per step, rounded to that many decimals; what is whole then has
 * none. has: or it is unset. */
void print_mean(bool has, double v, int decimals);

/* What the sides take in all, before their rows: the step first. */
void print_totals(
    const struct model *m, double floor, struct pair *step, struct pair *idle);

/* The first n pairs (0: all of them), and the others as one. */
void print_pairs(
    const struct model *m, const struct pairs *p, size_t n, double floor);

/* Iterations by their number. */
void print_iters(const struct model *m, double floor);

#endif
