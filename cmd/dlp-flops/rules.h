/*
 * The rules: which op is counted how. One table (rules.c) leads from the op
 * to its family's functions; a family is a file.
 */
#ifndef FLOPS_RULES_H
#define FLOPS_RULES_H

#include <stdbool.h>

#include "args.h"
#include "buf.h"
#include "kname.h"

enum family {
	FAM_NONE, /* no rule: unknown */
	FAM_GEMM,
	FAM_GEMV,     /* a matrix times a vector, dot: not counted by torch */
	FAM_GEMM_INT, /* integer products: not counted by torch */
	FAM_CONV,
	FAM_ATTENTION,
	FAM_RNN,
	FAM_POINTWISE,
	FAM_REDUCE,
	FAM_NORM,
	FAM_SOFTMAX,
	FAM_EMBEDDING,
	FAM_MOVE,
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
				    op's */
	const struct args *grad; /* a backward's own sizes; may be empty */
	const struct kname *k;
	const char *brief; /* the kernel's short name */
	bool bprop;
	int64_t sub;      /* number of the kernel in its sequence id */
	const char *grid; /* "X,Y,Z" or NULL */
};

/* The answer; -1 is unknown. */
struct answer {
	enum family family;
	enum role role;
	bool role_sure; /* the name says which gradient it is */
	bool each;      /* each such kernel of a run counts, not the first */
	int64_t flop, bytes;
	enum dtype dt;
	bool eligible; /* the family has Tensor Core kernels */
};

struct rule {
	const char *op; /* op type; with "Mod." before it for cells */
	enum family family;
	/* Fills in flop, bytes and role; NULL: unknown. */
	void (*count)(const struct work *w, struct answer *r, int arg);
	int arg;
	/* PyProf's params: a pattern for params_spec, or a function. */
	const char *spec;
	bool (*params)(const struct work *w, struct buf *b);
	/* Where emit_nvtx's sizes are not enough: part of the name of the
	 * backward whose gradient brings the rest. */
	const char *bwd;
};

/* NULL if there is none. */
const struct rule *rule_find(
    const char *mod, size_t nmod, const char *op, size_t nop);

/* What PyProf prints as params; false if it has nothing to print (then b is
 * as it was). rule may be NULL. */
bool params_put(const struct work *w, const struct rule *rule, struct buf *b);

/* Appends a tuple as Python prints it, without blanks: (35,20) (7,) () */
void params_tuple(struct buf *b, const struct args *a, const struct arg *t);

/* Appends PyProf's word for the type of t, and a comma; nothing if the type
 * is unknown. */
void params_dtype(struct buf *b, const struct work *w, const struct arg *t);

/* The type of the op's data: of its first tensor, else from the kernel. */
enum dtype work_dtype(const struct work *w);

/* n elements of the op's type, in bytes; -1 if unknown. */
int64_t work_bytes(const struct work *w, int64_t n);

/* Sets the role of a helper kernel in a product or convolution whose result
 * has n_out elements and whose bias n_bias, or NO_BIAS; false if k is the
 * product. */
#define NO_BIAS (-2)
bool helper_count(
    const struct work *w, struct answer *r, int64_t n_out, int64_t n_bias);

/* The role of a product's kernel in the given direction. */
void product_role(const struct work *w, struct answer *r);

/* Families. */
enum { G_LINEAR = -1 }; /* else the place of the left operand */
void gemm_count(const struct work *w, struct answer *r, int arg);
bool linear_params(const struct work *w, struct buf *b);
bool mm_params(const struct work *w, struct buf *b);
bool addmm_params(const struct work *w, struct buf *b);
bool bmm_params(const struct work *w, struct buf *b);

void conv_count(const struct work *w, struct answer *r, int transposed);
bool conv_params(const struct work *w, struct buf *b);

void attention_count(const struct work *w, struct answer *r, int unused);

enum { PW_UNARY = 1, PW_BINARY, PW_COMPARE, PW_TERNARY };
void point_count(const struct work *w, struct answer *r, int kind);

enum { PE_RELU, PE_SOFTMAX, PE_DROPOUT, PE_COPY };
void element_count(const struct work *w, struct answer *r, int kind);
void embedding_count(const struct work *w, struct answer *r, int unused);

void reduce_count(const struct work *w, struct answer *r, int extra);

void einsum_count(const struct work *w, struct answer *r, int unused);

/* weight: the place of the first weight among the tensors, or 0 with a
 * marker's arguments. */
void cell_count(const struct work *w, struct answer *r, int weight);
bool cell_params(const struct work *w, struct buf *b);

#endif
