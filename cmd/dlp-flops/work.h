/* One question, a kernel in an op, and its answer; families answer it. */
#ifndef FLOPS_WORK_H
#define FLOPS_WORK_H

#include "args.h"
#include "kname.h"

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

/* A kernel's part in its op. */
enum role {
	ROLE_NONE,
	ROLE_MAIN,  /* carries the op's arithmetic */
	ROLE_DGRAD, /* ... of the gradient of the input */
	ROLE_WGRAD, /* ... of the weight */
	ROLE_GRAD,  /* one of the two, told by order */
	ROLE_PART,  /* a further kernel of work that is counted already */
	ROLE_BIAS,  /* adds the bias, or sums its gradient */
	ROLE_AUX,   /* copies, transposes, sums of parts */
	ROLE_N
};

extern const char *const role_names[ROLE_N];

/* One question: this kernel in this op. */
struct work {
	const char *mod, *op; /* of the op; may be NULL */
	size_t mod_len, op_len;
	const struct args *a;    /* the op's arguments, or its forward
				    op's; a product's own (prim) */
	const struct args *grad; /* a backward's own sizes; may be empty */
	const struct args *fa;   /* prim: the op's, else NULL */
	bool prim;               /* of a product inside the op */
	int first; /* prim: where the op's left operand is; -1: the
		      op itself is no product */
	const struct kname *k;
	const char *brief; /* the kernel's short name */
	bool bprop;
	int64_t sub;       /* number of the kernel in its sequence id */
	const char *grid;  /* "X,Y,Z" or NULL */
	const char *block; /* the same of the block; of gather kernels only */
	const char *repr;  /* of a recurrent module: "10, 20", or NULL */
};

/* The answer; -1 is unknown. */
struct answer {
	enum family family;
	enum role role;
	bool role_sure; /* the name says which gradient it is */
	bool each;      /* each such kernel of a run counts, not the first */
	bool one;       /* of a product in the op that has one result */
	bool shared;    /* flop is the run's; all such kernels share it */
	int64_t flop, bytes;
	int64_t bus;    /* of a collective: bytes over the link of each GPU */
	int64_t causal; /* what a causal mask leaves of flop; 0: none known */
	enum dtype dt;
	bool eligible; /* the family has Tensor Core kernels */
};

/* The type of the op's data: of its first tensor, else from the kernel. */
enum dtype work_dtype(const struct work *w);

/* n elements of the op's type, in bytes; -1 if unknown. */
int64_t work_bytes(const struct work *w, int64_t n);

/* Elements of the gradient, a backward's own first input; -1 if unknown. */
int64_t work_grad(const struct work *w);

#endif
