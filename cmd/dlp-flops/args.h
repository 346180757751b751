/*
 * The arguments of an op, from a PyProf marker's JSON (shapes, types and
 * values) or from emit_nvtx's sizes (shapes alone).
 */
#ifndef FLOPS_ARGS_H
#define FLOPS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"

enum arg_type {
	ARG_OTHER,
	ARG_TENSOR,
	ARG_INT,
	ARG_FLOAT,
	ARG_BOOL,
	ARG_NONE,
	ARG_STR,
	ARG_LIST, /* list or tuple: its integers are the dims */
};

struct arg {
	enum arg_type type;
	bool bad;             /* a shape or list that is not integers >= 0 */
	bool named;           /* a keyword argument */
	const char *name;     /* views into the JSON text */
	const char *type_txt; /* "tensor", "int" as the marker has it */
	const char *dtype;
	const char *str; /* the value, if it is a string */
	size_t name_len, type_len, dtype_len, str_len;
	int64_t ival;  /* the value of an ARG_INT or ARG_BOOL */
	double fval;   /* of an ARG_FLOAT; 0 if it is no number */
	size_t dim;    /* its first dimension in dims */
	size_t nd;     /* number of dimensions */
	enum dtype dt; /* of a tensor, if known */
};

struct args {
	struct arg *v;
	size_t n, cap;
	int64_t *dims;
	size_t ndims, dims_cap;
	bool typed; /* from a marker: types and values are known */
};

/* For who reads them (args_json.c): none; one more, all zero, whose dims will
 * begin behind all others; one more dim. */
void args_clear(struct args *a);
struct arg *args_add(struct args *a);
void args_add_dim(struct args *a, int64_t d);

/* Argument i, or NULL. */
const struct arg *arg_at(const struct args *a, size_t i);

/* The keyword argument of that name, else the one at place i (i < 0: none)
 * if it is positional, else NULL. */
const struct arg *arg_named(const struct args *a, const char *name, int i);

/* Tensor number i among the tensors, or NULL. */
const struct arg *arg_tensor(const struct args *a, size_t i);

/* Dimension i of t; from the end if i is negative; -1 if there is none. */
int64_t arg_dim(const struct args *a, const struct arg *t, int i);

/* Number of elements; 1 for a scalar; -1 if unknown or too large. */
int64_t arg_numel(const struct args *a, const struct arg *t);

#endif
