/*
 * A question (the work of a kernel in its op), its answer, and the arithmetic
 * of sizes that may be unknown. The families (families.h) and the rules in text
 * (flops_rules.h) answer.
 */
#ifndef FLOPS_KERN_WORK_H
#define FLOPS_KERN_WORK_H

#include "flops_kname.h"
#include "op_args.h"

enum family {
	FAM_NONE, /* no rule: unknown */
	FAM_GEMM,
	FAM_GEMV,       /* a matrix times a vector, dot: not counted by torch */
	FAM_GEMM_INT,   /* integer products: not counted by torch */
	FAM_GEMM_FUSED, /* Inductor's templates: not counted by torch */
	FAM_CONV,
	FAM_CONV_FUSED,
	FAM_ATTENTION,
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

/* The family by the kernel's name alone, for kernels of NCCL and Inductor
 * (flops_kname.c); FAM_NONE if the name has none. */
enum family kname_family(const struct kname *k);

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
	const char *mod, *op; /* of the op; may be NULL */
	size_t mod_len, op_len;
	const struct op_args *a;    /* the op's arguments, or its forward
				     * op's; of a product inside the op, its
				     * own */
	const struct op_args *grad; /* a backward's own sizes; may be empty */
	const struct op_args *fa;   /* for a product inside the op: the op's
				     * arguments; otherwise NULL */
	bool prim;                  /* it is a product inside the op */
	int first; /* prim: the place of the op's left operand; -1: the op
		    * itself is not a product */
	const struct kname *k;
	const char *brief; /* the kernel's short name */
	bool bprop;
	int64_t sub;       /* number of the kernel in its sequence id */
	const char *grid;  /* "X,Y,Z" or NULL */
	const char *block; /* the block, in the same form; only for gather
			    * kernels */
	const char *repr;  /* of a recurrent module: "10, 20", or NULL */
	int64_t ranks;     /* GPUs of a collective; -1: unknown */
};

/* The answer; -1 is unknown. */
struct answer {
	enum family family;
	enum role role;
	bool role_sure; /* the name shows which gradient it is */
	bool each;      /* each such kernel of a run counts, not only the
			 * first */
	bool one;       /* belongs to a product in the op that has one result */
	bool shared;    /* flop is the run's; all such kernels share it */
	int64_t flop, bytes;
	int64_t bus;    /* of a collective: bytes over the link of each GPU */
	int64_t causal; /* the part of flop that a causal mask leaves; 0 if
			 * unknown */
	enum dtype dt;
	bool eligible; /* the family has Tensor Core kernels */
};

/* The type of the op's data: that of its first tensor, otherwise the kernel's.
 */
enum dtype work_dtype(const struct kern_work *w);

/* n elements of the op's type, in bytes; -1 if unknown. */
int64_t work_bytes(const struct kern_work *w, int64_t n);

/* Elements of the gradient, a backward's own first input; -1 if unknown. */
int64_t work_grad(const struct kern_work *w);

/* Products and sums of sizes: -1 if an operand is negative, which means
 * unknown, or if the result does not fit into 64 bits. */
int64_t size_mul(int64_t x, int64_t y);
int64_t size_add(int64_t x, int64_t y);

/* size_overflowed records that a result did not fit; the other function says if
 * that happened since its last call. One flag per process, like the
 * floating-point status, because it belongs to the arithmetic and not to the
 * values. */
void size_overflowed(void);
bool size_overflow_taken(void);

#endif
