/*
 * The rules of ops. ops.tab maps an op to the function of its family. Most
 * families are rules in text (flops.rules, and a user's own file), which
 * flops_rules_text.c reads and applies. pyprof_params.c prints PyProf's params
 * column.
 */
#pragma once

#include "buf.h"
#include "kern_work.h"
#include "map.h"

/*
 * The families of ops whose arithmetic is written in C, a file each.
 * ops.tab maps ops to these functions.
 */

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
count_fn paged_count; /* arg is not used; repr: the ranges around the op */

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

struct rule_row {       /* a rule in text; dlp-flops-rules(7) */
	const char *op; /* name or pattern of names */
	unsigned dirs;  /* DIR_* */
	enum family family;
	char *kern;         /* pattern of kernel names (pat.h); NULL: any */
	bool once;          /* the first such kernel of a run carries all the
			     * work */
	bool aux;           /* such kernels are helpers */
	char *flop, *bytes; /* expressions; NULL if unknown */
	char *least;        /* of bytes, where that is the most */
	char *bus;          /* of a collective */
	bool tc;            /* Tensor Cores can do it */
	char *waits; /* part of the name of the backward that brings the size
		      * of the result */
	struct rule_row *next; /* next row of the same op */
};

/* Appends PyProf's params of an op; false if PyProf prints none. */
typedef bool params_fn(const struct kern_work *w, struct buf *b);

struct flops_rule {
	enum family family;
	count_fn *count; /* NULL: rows count, or nothing does */
	int arg;         /* of count */
	/* PyProf's way to print the params: a pattern, or a function. */
	const char *spec;
	params_fn *params;
	/* Set if emit_nvtx's sizes are not enough: part of the name of the
	 * backward whose gradient brings the rest. */
	const char *bwd;
	/* Rules in text: the user's are tried before count, the shipped ones
	 * after it. NULL if there are none. */
	const struct rule_row *user, *rows;
};

struct rule_set {          /* rules in text from one source */
	struct smap by_op; /* names and patterns: val is a list's number */
	struct rule_list *lists;
	size_t n, cap;
	char **text; /* texts of the rules, which point into them */
	size_t ntext;
};

struct flops_rules {             /* zeroed: nothing is read or looked up yet */
	struct rule_set user;    /* of the files that the user gave */
	struct rule_set shipped; /* of flops.rules, read at the first use */
	bool has_shipped;
	/* ops.tab, read at the first use: val is the row's address */
	struct smap table;
	char *text;        /* of the table */
	struct smap by_op; /* modules and ops: val is a number in found, + 1 */
	struct flops_rule **found; /* NULL: the op has no rule */
	size_t nfound, cap;
	struct buf key, name; /* scratch */
};

/* The rule of an op; NULL if it has none. It lives as long as rules. */
const struct flops_rule *rule_find(
    struct flops_rules *rules, struct mview mod, struct mview op);

/* Reads a user's file of rules, which precede all others. Errors are fatal:
 * "FILE:LINE: what". An option of the command: to is a struct flops_rules. */
void rows_load(void *to, const char *path);

/* The first row of an op, of the user's rules or of the shipped ones; NULL if
 * there is none. */
const struct rule_row *rows_of(
    struct flops_rules *rules, bool users, const char *op, size_t n);

/* The first row of the list that applies to this kernel, or NULL. */
const struct rule_row *rows_match(
    const struct rule_row *list, const struct kern_work *w);

/* Fills in the answer by one row. */
void row_apply(
    const struct rule_row *row, const struct kern_work *w, struct answer *r);

/* Fills in the answer: by a row for this kernel, by the kernel's name, or by a
 * row for the op. list may be NULL. */
void rows_count(
    const struct rule_row *list, const struct kern_work *w, struct answer *r);

/* Appends PyProf's params; false if PyProf prints none (then b is unchanged).
 * rule may be NULL. */
bool rule_params(
    const struct flops_rule *rule, const struct kern_work *w, struct buf *b);

/* PyProf's params of the ops that have a format of their own. */
params_fn linear_params, mm_params, addmm_params, bmm_params, conv_params,
    cell_params;
