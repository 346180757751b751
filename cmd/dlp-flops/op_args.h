/*
 * The arguments of an op, read from a PyProf marker's JSON (shapes, types and
 * values) or from emit_nvtx's sizes (shapes alone).
 */
#ifndef FLOPS_OP_ARGS_H
#define FLOPS_OP_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "json_tok.h"

enum op_arg_type {
	ARG_OTHER,
	ARG_TENSOR,
	ARG_INT,
	ARG_FLOAT,
	ARG_BOOL,
	ARG_NONE,
	ARG_STR,
	ARG_LIST, /* list or tuple: its integers are the dims */
};

struct op_arg {
	enum op_arg_type type;
	bool bad;             /* a shape or list that is not integers >= 0 */
	bool named;           /* a keyword argument */
	const char *name;     /* views into the JSON text */
	const char *type_txt; /* "tensor", "int" as in the marker */
	const char *dtype;
	const char *str; /* the value, if it is a string */
	size_t name_len, type_len, dtype_len, str_len;
	int64_t ival;  /* the value of an ARG_INT or ARG_BOOL */
	double fval;   /* the value of an ARG_FLOAT; 0 if it is not a number */
	size_t dim;    /* index of its first dimension in dims */
	size_t nd;     /* number of dimensions */
	enum dtype dt; /* of a tensor, if known */
};

struct op_args { /* zeroed: no arguments */
	struct op_arg *v;
	size_t n, cap;
	int64_t *dims;
	size_t ndims, dims_cap;
	bool typed;          /* from a marker: types and values are known */
	struct json_doc doc; /* private: the text while it is read */
};

void args_clear(struct op_args *a);

/* Reads PyProf's argument list, [{"name":..,"type":..,...},...], or the whole
 * marker {"mod":..,"args":[...]}. False if the text is not such a list; then
 * a is empty. a keeps views into s. */
bool args_marker(struct op_args *a, const char *s, size_t n);

/* Reads sizes, [[64,3,32,32],[],...]. Each entry is a tensor; an empty one is
 * another kind of argument, for example a number. False if the text is not such
 * a list. */
bool args_sizes(struct op_args *a, const char *s, size_t n);

/* Argument i, or NULL. */
const struct op_arg *arg_at(const struct op_args *a, size_t i);

/* The keyword argument of that name; without one, the positional argument at
 * place i (i < 0: none). NULL if there is neither. */
const struct op_arg *arg_named(
    const struct op_args *a, const char *name, int i);

/* Tensor number i among the tensors, or NULL. */
const struct op_arg *arg_tensor(const struct op_args *a, size_t i);

/* Dimension i of t, from the end if i is negative; -1 if it does not exist. */
int64_t arg_dim(const struct op_args *a, const struct op_arg *t, int i);

/* Number of elements; 1 for a scalar; -1 if unknown or too large. */
int64_t arg_numel(const struct op_args *a, const struct op_arg *t);

#endif
