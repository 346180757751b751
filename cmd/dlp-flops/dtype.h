/*
 * Number types: their names here, in markers and in PyProf's params, and
 * their sizes.
 */
#ifndef FLOPS_DTYPE_H
#define FLOPS_DTYPE_H

#include <stddef.h>

#include "buf.h"

enum dtype {
	DT_NONE, /* unknown */
	DT_FP64,
	DT_FP32,
	DT_TF32,
	DT_FP16,
	DT_BF16,
	DT_16BIT, /* one of the next two */
	DT_FP8E4,
	DT_FP8E5,
	DT_FP4,
	DT_INT64,
	DT_INT32,
	DT_INT16,
	DT_INT8,
	DT_UINT8,
	DT_INT4,
	DT_BOOL,
	DT_C64,
	DT_C128,
	DT_N
};

/* "tf32"; NULL for DT_NONE. */
const char *dt_name(enum dtype t);

/* The type of that name; DT_NONE if the name is unknown. */
enum dtype dt_named(const char *s, size_t n);

/* Bytes per element; 0 if unknown or less than one. */
int dt_size(enum dtype t);

/* A marker's type text: float32, half, int (a Python scalar), ... */
enum dtype dt_marker(const char *s, size_t n);

/* A C++ type name in a demangled kernel name: __half, double2, ... */
enum dtype dt_cpp(const char *s, size_t n);

/* The same, including integers and bool, which a kernel uses to count and mask.
 */
enum dtype dt_cpp_any(const char *s, size_t n);

/* Appends PyProf's word for a marker's type: fp32. A type that PyProf does not
 * know gets our name; one that we do not know either is left as it is. */
void dt_pyprof(struct buf *b, const char *s, size_t n);

/* The lowest compute capability, times ten, whose Tensor Cores can do products
 * of this type; 0 if none can. FP32 counts as possible from Volta on, because
 * autocast can do it in FP16 before Ampere, and Ampere and later can do it in
 * TF32. */
int dt_tc_min_cc(enum dtype t);

#endif
