/*
 * The families of ops whose arithmetic is written in C, a file each.
 * flops_rules.c maps ops to these functions.
 */
#ifndef FLOPS_FAMILIES_H
#define FLOPS_FAMILIES_H

#include "kern_work.h"

/* Fills in flop, bytes and role of the answer, which are -1 and zero before.
 * arg distinguishes the ops of a family; its meaning is given below. */
typedef void count_fn(const struct kern_work *w, struct answer *r, int arg);

/* gemm.c: matrix products, einsum, and the code that all products share */
enum { GEMM_LINEAR = -1 }; /* arg: this, or the place of the left operand */
count_fn gemm_count, grouped_count;
count_fn einsum_count; /* arg is not used */

struct gemm_sizes {
	int64_t b, m, n, k;
	int64_t n_a, n_b, n_c, n_out; /* elements; n_c: of an added matrix */
};

/* The sizes of a product; false if the shapes do not fit. */
bool gemm_sizes(const struct kern_work *w, int first, struct gemm_sizes *g);

/* Sets the role of a helper kernel in a product or convolution whose result has
 * n_out elements and whose bias has n_bias, or NO_BIAS; false if the kernel is
 * the product itself. If the product's FLOPs are unknown, those of its helpers
 * are unknown too, because 0 would be a known value. */
#define NO_BIAS (-2)
bool product_helper(const struct kern_work *w, struct answer *r, bool known,
    int64_t n_out, int64_t n_bias);

/* Sets the role of a product's kernel in the given direction. */
void product_role(const struct kern_work *w, struct answer *r);

/* elementwise.c: element-wise kernels of aten, for any op */

/* False if the kernel is not one, or if its number of elements fits nothing in
 * the op. */
bool elem_count(const struct kern_work *w, struct answer *r);

/*
 * triton.c: templates of Inductor; arg is not used
 */
count_fn triton_count;

/*
 * conv.c: convolutions; arg: bits of CONV_
 */
enum {
	CONV_TRANSPOSED = 1, /* if unset, the op's name can still say so */
	CONV_BACKWARD = 2    /* the gradient of the result comes first */
};
count_fn conv_count;

#define CONV_SPATIAL 3 /* the most dimensions */

struct conv_sizes {
	int nsp;            /* spatial dimensions */
	int64_t n, c, k, g; /* k, g: -1 if only a marker would have them */
	int64_t w01;        /* product of the weight's first two dimensions */
	int64_t in[CONV_SPATIAL], r[CONV_SPATIAL], out[CONV_SPATIAL];
	int64_t stride[CONV_SPATIAL], pad[CONV_SPATIAL], dil[CONV_SPATIAL];
	bool same;     /* padding 'same' */
	bool has_args; /* stride, pad and dil are known */
	bool has_out;
};

/* The sizes of a convolution; false if the shapes are not those of one. */
bool conv_sizes(const struct kern_work *w, int flags, struct conv_sizes *c);

/*
 * attention.c: fused attention; arg: bits of ATTN_
 */
enum {
	ATTN_BACKWARD = 1, /* the gradient of the result comes first */
	ATTN_ROWS = 2      /* tensors are (b, s, h, d), not (b, h, s, d) */
};
count_fn attention_count;

/*
 * rnn.c: recurrent layers (arg is not used) and their cells (arg: the place of
 * the first weight among the tensors; 0 with a marker's arguments)
 */
count_fn rnn_count, cell_count;

struct cell_sizes {
	int64_t x, h, b; /* input and hidden size, batch */
	int64_t mult;    /* gates: rows of the weight per hidden unit */
};

/* The sizes of a cell from a marker's arguments and the module around it; false
 * if they are unknown. */
bool cell_sizes(const struct kern_work *w, struct cell_sizes *c);

#endif
