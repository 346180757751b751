/*
 * Facts from a kernel's name, found once per name: Tensor Core use, number
 * type, and its part in an op that launches several kernels.
 */
#ifndef FLOPS_KNAME_H
#define FLOPS_KNAME_H

#include <stdbool.h>
#include <stddef.h>

#include "dtype.h"
#include "judge.h"

enum tc { TC_UNKNOWN = YNU_UNKNOWN, TC_NO = YNU_NO, TC_YES = YNU_YES };

struct tc_rule {         /* the rule of tc.rules that decided */
	const char *id;  /* shown in column tc_rule; NULL if no rule decided */
	enum tc verdict; /* TC_UNKNOWN: the name does not show it */
	enum dtype dt;   /* type of the operands, if the rule implies it */
};

#define ELEM_MAX_IN 6

/* An element-wise kernel of aten, whose template holds the function with the
 * types of its operands (elementwise.c). */
struct elem {
	bool is;      /* it is such a kernel, and its function was found */
	bool casts;   /* converts when it loads and stores, so that elements
		       * in memory have other sizes than the name says */
	bool strided; /* operands can be broadcast or have gaps */
	int n_in;
	enum dtype dt;       /* of the first operand that is not a mask */
	int in[ELEM_MAX_IN]; /* bytes per element; 0 if unknown */
	int out;             /* bytes per element of the result */
	int flop;            /* operations per element; -1 if unknown */
	int full;            /* number of inputs with all elements; 0: all of
			      * them */
	int block; /* elements per block of the grid; 0: 512, 1024 or 2048 */
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
	bool dt_sure; /* dt is the type of a product's operands, written by
		       * the product's builder; if false, it is the first
		       * type in the template */
	enum kpart part;
	enum kdir dir;
	bool dir_sure;    /* if false, only the layout suggests dir */
	unsigned method;  /* of a product, bits of METHOD_ */
	struct elem elem; /* if it is element-wise */
	bool product;     /* the name is that of a product, not of a helper */
	int align;   /* elements that it moves at once; 0 if not in the name */
	int arch;    /* compute capability, times ten, that it was built for,
		      * from Volta on; 0 if not in the name */
	int esize;   /* bytes of an element, if the type has no name */
	int gather;  /* a copy of rows (operand.c): bytes that each thread
		      * copies; 0 for other kernels */
	char *lower; /* the name, lower case; owned */
	size_t len;
	char *last; /* the short name, unchanged; owned; may be NULL */
};

/* Finds the facts in a name. full: demangled name; brief: short name, may be
 * NULL. tc_rules decide on Tensor Core use. */
void kname_set(struct kname *k, const struct namerules *tc_rules,
    const char *full, size_t n, const char *brief, size_t nbrief);
void kname_free(struct kname *k);

/* Reads a lower-case name as that of an element-wise kernel (elementwise.c);
 * sets e->is if it is one. */
void elem_set(struct elem *e, const char *s, size_t n);

/* N of the first OpaqueType<N> in the name; 0 if there is none. */
int elem_opaque(const char *s, size_t n);

#endif
