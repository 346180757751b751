/* The values of rule expressions: numbers that may be unknown. */
#ifndef FLOPS_EXPR_VAL_H
#define FLOPS_EXPR_VAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VAL_ARGS 8 /* arguments that a function takes at most */

struct val {
	bool known;
	int64_t v;
};

extern const struct val unknown;

/* A size: one below 0 is unknown. */
struct val val(int64_t v);

/* a op b; unknown if one of them is, if the result is none (a division by 0,
 * a remainder of a negative number), or beyond 64 bits, which sets
 * size_overflow. op: + - * / % */
struct val val_apply(char op, struct val a, struct val b);

struct val_fn {
	const char *name;
	int least, most; /* arguments */
	struct val (*call)(const struct val *v, int n);
};

/* min, max, or, cdiv, if, eq; NULL if it is none of them. */
const struct val_fn *val_function(const char *s, size_t n);

#endif
