/*
 * A question (the work of a kernel in its op), its answer, and the arithmetic
 * of sizes that may be unknown. The families and the rules in text
 * (flops_rules.h) answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"
#include "buf.h"
#include "json_tok.h"
#include "mview.h"
#include "namerule.h"

/*
 * Number types: their names here, in markers and in PyProf's params, and
 * their sizes.
 */

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
	DT_FP6,
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

extern const struct dtype_def {
	const char *name; /* "tf32"; NULL for DT_NONE */
	int size;         /* bytes per element; 0 if unknown or less than one */
	/* The lowest compute capability, times ten, whose Tensor Cores can do
	 * products of this type; 0 if none can. FP32 counts as possible from
	 * Volta on, because autocast can do it in FP16 before Ampere, and
	 * Ampere and later can do it in TF32. */
	int min_cc;
} dtypes[DT_N];

/* The type of that name; DT_NONE if the name is unknown. */
enum dtype dt_named(const char *s, size_t n);

/* A marker's type text: float32, half, int (a Python scalar), ... */
enum dtype dt_marker(const char *s, size_t n);

/* The type of a name in a table of vocab.tab. */
enum dtype dt_find(const char *table, const char *s, size_t n);

/* Appends PyProf's word for a marker's type: fp32. A type that PyProf does not
 * know gets our name; one that we do not know either is left as it is. */
void dt_pyprof(struct buf *b, const char *s, size_t n);

/*
 * The arguments of an op, read from a PyProf marker's JSON (shapes,
 * types and values) or from emit_nvtx's sizes (shapes alone).
 */

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
	bool bad;   /* a shape or list that is not integers >= 0 */
	bool named; /* a keyword argument */
	/* views into the JSON text; s is NULL if unset */
	struct mview name;
	struct mview type_txt; /* "tensor", "int" as in the marker */
	struct mview dtype;
	struct mview str; /* the value, if it is a string */
	int64_t ival;     /* the value of an ARG_INT or ARG_BOOL */
	double fval;      /* the value of an ARG_FLOAT; 0 if it is not a
			     number */
	size_t dim;       /* index of its first dimension in dims */
	size_t nd;        /* number of dimensions */
	enum dtype dt;    /* of a tensor, if known */
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

/* Reads PyProf's argument list, [{"name":..,"type":..,...},...], or the
 * whole marker {"mod":..,"args":[...]}. False if the text is not such a
 * list; then a is empty. a keeps views into s. */
bool args_marker(struct op_args *a, const char *s, size_t n);

/* Reads sizes, [[64,3,32,32],[],...]. Each entry is a tensor; an empty
 * one is another kind of argument, for example a number. False if the
 * text is not such a list. */
bool args_sizes(struct op_args *a, const char *s, size_t n);

/* Sets their types, "float16,-,int64", unless there are more or fewer than
 * sizes, as with lists of tensors. Returns true. */
bool args_types(struct op_args *a, struct mview types);

/* Argument i, or NULL. */
const struct op_arg *arg_at(const struct op_args *a, size_t i);

/* The keyword argument of that name; without one, the positional
 * argument at place i (i < 0: none). NULL if there is neither. */
const struct op_arg *arg_named(
    const struct op_args *a, const char *name, int i);

/* Tensor number i among the tensors, or NULL. */
const struct op_arg *arg_tensor(const struct op_args *a, size_t i);

/* Dimension i of t, from the end if i is negative; -1 if it does not
 * exist. */
int64_t arg_dim(const struct op_args *a, const struct op_arg *t, int i);

/* Number of elements; 1 for a scalar; -1 if unknown or too large. */
int64_t arg_numel(const struct op_args *a, const struct op_arg *t);

enum family {
	FAM_NONE, /* no rule: unknown */
	FAM_GEMM,
	FAM_GEMV,       /* a matrix times a vector, dot: not counted by torch
			 */
	FAM_GEMM_INT,   /* integer products: not counted by torch */
	FAM_GEMM_FUSED, /* Inductor's templates: not counted by torch */
	FAM_CONV,
	FAM_CONV_FUSED,
	FAM_ATTENTION,
	FAM_MOE, /* experts: torch's counter does not know them */
	FAM_RNN,
	FAM_POINTWISE,
	FAM_ACTIVATION,
	FAM_REDUCE,
	FAM_NORM,
	FAM_SOFTMAX,
	FAM_EMBEDDING,
	FAM_DROPOUT,
	FAM_POOL,
	FAM_RESIZE,
	FAM_LOSS,
	FAM_SORT,
	FAM_INDEX,
	FAM_COPY,
	FAM_OPTIMIZER,
	FAM_COLLECTIVE,
	FAM_FUSED,
	FAM_SOLVER,
	FAM_MEMORY, /* copies and sets without a kernel */
	FAM_OTHER,
	FAM_N
};

extern const char *const family_names[FAM_N]; /* NULL for FAM_NONE */

/* FAM_NONE if there is no family of that name. */
enum family family_named(const char *s, size_t n);

/*
 * Facts from a kernel's name, found once per name: Tensor Core use,
 * number type, and its part in an op that launches several kernels.
 */

enum tc { TC_UNKNOWN = YNU_UNKNOWN, TC_NO = YNU_NO, TC_YES = YNU_YES };

struct tc_rule {         /* the rule of tc.rules that decided */
	const char *id;  /* shown in column tc_rule; NULL if no rule decided */
	enum tc verdict; /* TC_UNKNOWN: the name does not show it */
	enum dtype dt;   /* type of the operands, if the rule implies it */
};

#define ELEM_MAX_IN 6

/* An element-wise kernel of aten, whose template holds the function
 * with the types of its operands (flops_kname.c). */
struct elem {
	bool is;      /* it is such a kernel, and its function was found */
	bool casts;   /* converts when it loads and stores, so that
		       * elements   in memory have other sizes than the name
		       * says */
	bool strided; /* operands can be broadcast or have gaps */
	int n_in;
	enum dtype dt;       /* of the first operand that is not a mask */
	int in[ELEM_MAX_IN]; /* bytes per element; 0 if unknown */
	int out;             /* bytes per element of the result */
	int flop;            /* operations per element; -1 if unknown */
	int full;            /* number of inputs with all elements; 0: all of
			      * them */
	int block;           /* elements per block of the grid; 0: 512, 1024 or
				2048 */
};

/* The part of a kernel in an op that is a product or convolution. */
enum kpart {
	KP_MAIN,   /* does the op's arithmetic: the default */
	KP_ELEM,   /* element-wise: adds a bias */
	KP_REDUCE, /* a sum: the gradient of a bias */
	KP_AUX,    /* copies, transposes, offsets, sums of parts */
};

/* The method that computes a product, unless it is the plain one. */
enum { METHOD_FFT = 1, METHOD_WINOGRAD = 2, METHOD_GEMV = 4, METHOD_SMALL = 8 };

enum kdir { KD_NONE, KD_DGRAD, KD_WGRAD };

struct kname {
	struct tc_rule tc;
	enum dtype dt;
	bool dt_sure; /* dt is the type of a product's operands, written
		       * by the product's builder; if false, it is the
		       * first type in the template */
	enum kpart part;
	enum kdir dir;
	bool dir_sure;    /* if false, only the layout suggests dir */
	unsigned method;  /* of a product, bits of METHOD_ */
	struct elem elem; /* if it is element-wise */
	bool copies;      /* it copies or converts, whatever launched it */
	bool product;     /* the name is that of a product, not of a helper
			   */
	int align;        /* elements that it moves at once; 0 if not in the
			     name */
	int arch;         /* compute capability, times ten, that it was built
			   * for,    from Volta on; 0 if not in the name */
	int esize;        /* bytes of an element, if the type has no name */
	int gather;       /* a copy of rows (operand.c): bytes that each
			   * thread  copies; 0 for other kernels */
	char *lower;      /* the name, lower case */
	size_t len;
	char *last; /* the short name, unchanged; may be NULL */
	/* by the name alone, for kernels of NCCL and Inductor whose op
	 * has no rule; FAM_NONE if the name has none */
	enum family family;
};

struct kname_rules {
	struct namerules tc;    /* tc.rules, or the user's file */
	struct namerules facts; /* kernels.rules */
};

/* Reads the rules; tc_path NULL: the shipped tc.rules. Errors are
 * fatal. */
void kname_open(struct kname_rules *r, const char *tc_path);

/* Finds the facts in a name, whose texts go to mem. full: demangled name;
 * brief: short name, may be NULL. */
void kname_set(struct kname *k, struct store *mem, const struct kname_rules *r,
    const char *full, size_t n, const char *brief, size_t nbrief);

/* A kernel's part in its op. */
enum role {
	ROLE_NONE,
	ROLE_MAIN,  /* carries the op's arithmetic */
	ROLE_DGRAD, /* carries the gradient of the input */
	ROLE_WGRAD, /* carries the gradient of the weight */
	ROLE_GRAD,  /* one of the two; the order of launches decides */
	ROLE_PART,  /* a further kernel of work that has been counted */
	ROLE_BIAS,  /* adds the bias, or sums its gradient */
	ROLE_AUX,   /* copies, transposes, sums of parts */
	ROLE_N
};

extern const char *const role_names[ROLE_N];

/* The question: this kernel in this op. */
struct kern_work {
	struct mview mod, op;       /* of the op; s may be NULL */
	const struct op_args *a;    /* the op's arguments, or its forward
				     * op's; of a product inside the op,
				     * its own */
	const struct op_args *grad; /* a backward's own sizes; may be empty */
	const struct op_args *fa;   /* for a product inside the op: the
				     * op's arguments; otherwise NULL */
	bool prim;                  /* it is a product inside the op */
	bool causal;                /* prim: attention, with a causal mask */
	int first; /* prim: the place of the op's left operand; -1: the
		    * op itself is not a product */
	const struct kname *k;
	bool bprop;
	int64_t sub;       /* number of the kernel in its sequence id */
	const char *grid;  /* "X,Y,Z" or NULL */
	const char *block; /* the block, in the same form; only for
			    * gather kernels */
	enum dtype moved;  /* type of the op's first tensor, if it tells */
	const char *repr;  /* of a recurrent module: "10, 20"; of paged
			    * attention the ranges around it; or NULL */
	int64_t ranks;     /* GPUs of a collective; -1: unknown */
};

/* The answer; -1 is unknown. */
struct answer {
	enum family family;
	enum role role;
	bool role_sure; /* the name shows which gradient it is */
	bool each;      /* each such kernel of a run counts, not only the
			 * first */
	bool one;       /* belongs to a product in the op that has one result
			 */
	bool shared;    /* flop is the run's; all such kernels share it */
	int64_t flop, bytes;
	int64_t least;  /* bytes are between this and bytes; 0: unknown */
	int64_t tiles;  /* of a product, by the kernel's name; 0: unknown */
	int64_t bus;    /* of a collective: bytes over the link of each GPU */
	int64_t causal; /* the part of flop that a causal mask leaves; 0
			 * if unknown */
	enum dtype dt;
	bool eligible; /* the family has Tensor Core kernels */
};

/* The type of the op's data: that of its first tensor, otherwise the
 * kernel's.
 */
enum dtype work_dtype(const struct kern_work *w);

/* n elements of the op's type, in bytes; -1 if unknown. */
int64_t work_bytes(const struct kern_work *w, int64_t n);

/* Elements of the gradient, a backward's own first input; -1 if
 * unknown. */
int64_t work_grad(const struct kern_work *w);

/* Products and sums of sizes: -1 if an operand is negative, which means
 * unknown, or if the result does not fit into 64 bits. */
int64_t size_mul(int64_t x, int64_t y);
int64_t size_add(int64_t x, int64_t y);

/* size_overflowed records that a result did not fit; the other function
 * says if that happened since its last call. One flag per process, like
 * the floating-point status, because it belongs to the arithmetic and
 * not to the values. */
void size_overflowed(void);
bool size_overflow_taken(void);

/*
 * The expressions of rules: integer arithmetic (expr.c) with words and
 * functions for the sizes of an op's arguments (operand.c).
 * dlp-flops-rules(7) describes the language.
 */

/* The value of the expression s[0..n) for the question w. -1 if it is
 * unknown: an argument or type is missing, a divisor is zero, the
 * result is negative or does not fit (size_overflowed() is called
 * then). */
int64_t expr_eval(const char *s, size_t n, const struct kern_work *w);

/* The error in the expression, or NULL; *at is its place, from the
 * beginning.
 */
const char *expr_check(const char *s, size_t n, size_t *at);

/* The number of a function of an argument, such as numel in numel(A),
 * and of a word, such as n; -1 if the name is unknown. And their
 * values; -1 if those are unknown. */
int operand_function(const char *name, size_t n);
int operand_word(const char *name, size_t n);
int64_t operand_of(const struct kern_work *w, const struct op_arg *t, int fn);
int64_t operand_value(const struct kern_work *w, int word);

/* An argument that is one number for all dimensions, or one for each: the
 * number for dimension i; unset if the argument is missing or empty; -1 if it
 * is not a number. */
int64_t operand_spatial(const struct kern_work *w, const char *name, int place,
    size_t i, int64_t unset);

/* Elements of the broadcast result of all tensors; -1 if they do not
 * fit. */
int64_t operand_out(const struct kern_work *w);

/* Bytes of all tensors among the arguments; -1 if unknown. */
int64_t operand_in(const struct kern_work *w);

/* Bytes of an element of the op's data, by its first tensor or its
 * kernel. */
int64_t operand_esize(const struct kern_work *w);

/*
 * Tensor Cores: whether a kernel used them, by its name; whether it
 * could have; and why it did not, or was slow.
 */

/* The bits of an op's arguments, and of the answer's work; 0 where they are
 * unknown. */
unsigned tc_shape(const struct kern_work *w, const struct answer *r);

struct tc_device {
	int cc;    /* compute capability times ten; 0 if unknown */
	bool none; /* no Tensor Cores, although cc suggests them */
};

struct tc_kernel {
	const struct kname *k;
	enum family family;
	enum dtype dt;
	unsigned shape; /* result of tc_shape() */
	bool sized;     /* the op's sizes are known */
	bool eligible;  /* the family has Tensor Core kernels */
	enum tc told;   /* by the profile itself; TC_UNKNOWN: by nothing */
	struct tc_device dev;
};

/* Facts that a file's kernels have shown so far, in the order of
 * launches. */
struct tc_seen {
	bool tf32[2]; /* TF32 is on, for convolutions [1] and other
		       * products [0]: the newest kernel that shows the
		       * setting used it */
	int arch;     /* the newest generation in names of kernels */
};

/* Writes the columns tc, tc_rule, tc_eligible and tc_why. Facts that a
 * product shows are added to seen first. True if it is known whether the
 * kernel used them. */
bool tc_put(struct tc_seen *seen, const struct tc_kernel *t);
