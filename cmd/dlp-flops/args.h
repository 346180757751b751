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

/* Reads PyProf's argument list, [{"name":..,"type":..,...},...] or the whole
 * marker {"mod":..,"args":[...]}. False if the text is not such a list; then
 * a is empty. a keeps views into s. */
bool args_marker(struct args *a, const char *s, size_t n);

/* Reads sizes, [[64,3,32,32],[],...]: each entry is a tensor, or something
 * else if it is empty. */
bool args_sizes(struct args *a, const char *s, size_t n);

void args_free(struct args *a);

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

/* Sums and products of sizes that may be unknown: -1 if one operand is
 * negative, or if the result does not fit; then size_overflow is set. */
extern bool size_overflow;
int64_t size_mul(int64_t x, int64_t y);
int64_t size_add(int64_t x, int64_t y);

#endif
