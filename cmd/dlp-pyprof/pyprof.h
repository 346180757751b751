/*
 * PyProf's .dict and its rules for kernels whose op it knew
 * (pyprof/prof/NAME.py). The rules are kept as they were, mistakes included;
 * dlp-flops has the right ones.
 *
 * There were two sets: that of 2019, with which the published tables were made,
 * and the last one, of 2021.
 */
#pragma once

#include "buf.h"
#include "map.h"
#include "mview.h"
#include "pylit.h"

/*
 * pyprof_kern.c: a line of the .dict, the values that it takes from kernels
 * before it, and the arguments in its argument marker
 */

/* The values that a backward kernel takes from the forward one, as written. */
enum pyprof_part { P_MARKER, P_MOD, P_OP, P_LAYER, P_TRACE, P_PARTS };

struct pyprof_kern {
	struct pyrow row; /* views into the line */
	struct buf name;  /* short, blanks as _ */
	int64_t pid;      /* 0 if the line does not tell: PyProf's own */
	int64_t sub;
	int64_t grid[3];
	bool bwd;
	struct mview part[P_PARTS]; /* the kernel's own, or the forward one's */
	struct buf marker;          /* the first argument marker; empty if
				     * none */
	struct buf dir;             /* scratch */
};

struct pyprof_forward { /* the last forward kernels by process and id; zeroed:
			 * none */
	struct smap by_seq, by_alt; /* process, id; val: place in v + 1 */
	struct pyprof_kept *v;
	size_t n, cap;
};

/* Reads a line; false if it is not the dict of a kernel. */
bool pyprof_kern_read(struct pyprof_kern *k, const char *s, size_t n);

/* A backward kernel without arguments of its own takes those of the forward
 * kernel with its sequence id. */
void pyprof_forward_find(const struct pyprof_forward *f, struct pyprof_kern *k);
void pyprof_forward_keep(struct pyprof_forward *f, const struct pyprof_kern *k);

/* Appends the first text of a list; false if it is empty. */
bool pyprof_first_text(struct mview list, struct buf *out);

#define ARG_DIMS 16
#define ARG_MAX 256

struct pyprof_shape {
	int n;
	int64_t v[ARG_DIMS];
};

struct pyprof_arg {              /* views into the marker's text */
	struct mview name, type; /* type: tensor, int, float, tuple, ... */
	struct mview dtype;      /* of a tensor; s is NULL if none */
	struct mview value;      /* of others, as written; s is NULL if none */
	bool has_shape;
	struct pyprof_shape shape;
};

struct pyprof_marker {
	struct mview mod, op;
	struct pyprof_arg arg[ARG_MAX];
	int n;
	struct pyrow row, arg_row; /* scratch */
};

/* False if the text is not an argument marker: a dict with mod, op and args. */
bool pyprof_marker_read(struct pyprof_marker *m, const char *s, size_t n);

/* True if the argument is of that type: tensor, int, ... */
bool arg_is(const struct pyprof_arg *a, const char *type);
bool arg_unnamed(const struct pyprof_arg *a);

/* The argument as a whole number; false if it is not one. */
bool arg_int(const struct pyprof_arg *a, int64_t *v);

/* The numbers of a tuple or list; false if it is not one of whole numbers. */
bool arg_ints(const struct pyprof_arg *a, struct pyprof_shape *v);

int64_t shape_elems(const struct pyprof_shape *s);
bool shape_same(const struct pyprof_shape *a, const struct pyprof_shape *b);

/* The shape of two that are broadcast together; false if they do not fit. */
bool shape_broadcast(const struct pyprof_shape *a, const struct pyprof_shape *b,
    struct pyprof_shape *out);

/* Bytes of a type by PyProf's table, and its word (fp32); 0 and NULL if PyProf
 * does not know it. */
int64_t dtype_size(struct mview dtype);
const char *dtype_word(struct mview dtype);

/*
 * The rules: pyprof_products.c, pyprof_pointwise.c, pyprof_tensors.c.
 * pyprof_rules.c maps ops to rules, and has the functions that rules share.
 */

struct pynum { /* as in PyProf's Python: a whole number, or a float */
	bool is_float;
	int64_t i; /* INT64_MAX or INT64_MIN if it does not fit */
	double d;
};

static inline struct pynum
pynum_float(double d)
{
	return (struct pynum){ true, 0, d };
}

/* Products and sums that do not wrap around. */
int64_t pynum_mul(int64_t a, int64_t b);
int64_t pynum_add(int64_t a, int64_t b);

struct pyprof_call { /* a kernel and the op that launched it */
	const struct pyprof_marker *m;
	const char *name; /* of the kernel: PyProf's short one */
	bool bwd;
	int64_t sub;
	int64_t grid[3];
	bool last; /* the rules of 2021 */
	const struct pyprof_rule *rule;
};

struct pyprof_result {
	struct pynum flops, bytes;
	const char *tc; /* "1", "0" or "-" */
	const char *op; /* NULL: the marker's op */
	struct buf params;
};

/* False if PyProf stopped with an error. */
typedef bool rule_fn(const struct pyprof_call *c, struct pyprof_result *r);

struct pyprof_rule {
	const char *ops; /* a list of words */
	rule_fn *apply;
	bool last; /* only the rules of 2021 have it */
	/* of rule_tensor, which counts by one argument: */
	int flops, flops_last;  /* per element, by the rules of 2019 and 2021 */
	int tensors, tensors_b; /* read and written, forward and backward */
	enum { ARG_FIRST, ARG_INPUT, ARG_UNNAMED } by;
	int most; /* arguments; 0: any number */
	bool norm;
	bool sizes; /* of rule_fill: from a list, the type from a value */
	enum {
		LATER_ALL,
		LATER_FLOPS,
		LATER_NONE
	} later; /* what kernels after
		  * an op's first
		  * count in 2021 */
};

rule_fn rule_linear, rule_cell, rule_conv, rule_pointwise, rule_convert,
    rule_matmul, rule_embedding, rule_mean, rule_masked_scatter, rule_nonzero,
    rule_index_select, rule_masked_select, rule_addmm, rule_mm, rule_bmm,
    rule_mse_loss, rule_adam, rule_randperm, rule_copy, rule_cat, rule_tensor,
    rule_gather, rule_any, rule_fill, rule_other;

/* Applies the rule of an op, by the names in the kernel's lists of modules and
 * ops, which c->rule becomes. */
bool pyprof_rule_apply(struct pyprof_call *c, struct mview mod, struct mview op,
    struct pyprof_result *r);

/* True if the text is one of the words in the list, or contains one. */
bool is_word_of(struct mview v, const char *words);
bool has_word_of(const char *s, const char *words);

/* Tensor Core use of a product by the kernel's name: "1" or "0". */
const char *call_tc_gemm(const struct pyprof_call *c);

/* True if the kernel is in the list of Tensor Core kernels of 2021. */
bool call_tc_known(const struct pyprof_call *c);

/* The arguments without a name, at most max of them; returns how many there
 * are. */
int call_unnamed(
    const struct pyprof_call *c, const struct pyprof_arg **v, int max);
const struct pyprof_arg *call_named(
    const struct pyprof_call *c, const char *name);

/* True if the argument is a tensor of a type that PyProf knows. */
bool arg_is_tensor(const struct pyprof_arg *a);

/* Append parts of the parameters: "KEY=VALUE,"; only the shape, in the brackets
 * of ends; a type's word and a comma; shape and type, [35,20,200]fp32. */
void params_int(struct pyprof_result *r, const char *key, int64_t v);
void params_shape(
    struct pyprof_result *r, const char *key, const struct pyprof_shape *s);
void params_sizes(
    struct buf *b, const struct pyprof_shape *s, const char *ends);
bool params_type(struct pyprof_result *r, struct mview dtype);
void params_tensor(
    struct buf *b, const struct pyprof_shape *s, struct mview dtype);

/* The rule of many ops: params "T=SHAPE,TYPE,", flops_per FLOPs per element,
 * and the bytes of that many tensors of this size. False if a is not a tensor.
 */
bool count_plain(struct pyprof_result *r, const struct pyprof_arg *a,
    int64_t flops_per, int64_t tensors);

/* The group of PyProf's element-wise ops that an op is in; 0 if it took the op
 * for none. */
unsigned pointwise_group(struct mview op);
