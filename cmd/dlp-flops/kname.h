/*
 * What a kernel's name tells, worked out once per name: Tensor Core use,
 * number type, and its part in an op that launches several kernels.
 */
#ifndef FLOPS_KNAME_H
#define FLOPS_KNAME_H

#include <stdbool.h>
#include <stddef.h>

#include "dtype.h"
#include "elem.h"
#include "gather.h"
#include "tcrules.h"

/* What kind of kernel it is where the op is a product or convolution. */
enum kpart {
	KP_MAIN,   /* does the op's arithmetic: the default */
	KP_ELEM,   /* element-wise: a bias added */
	KP_REDUCE, /* a sum: the gradient of a bias */
	KP_AUX,    /* copies, transposes, offsets, sums of parts */
};

/* How a product is computed, where it is not as a plain one. */
enum { METHOD_FFT = 1, METHOD_WINOGRAD = 2, METHOD_GEMV = 4, METHOD_SMALL = 8 };

enum kdir { KD_NONE, KD_DGRAD, KD_WGRAD };

struct kname {
	struct tc_rule tc;
	enum dtype dt;
	bool dt_sure; /* dt is the type of a product's operands, written by
			 its builder; else the first type in the template */
	enum kpart part;
	enum kdir dir;
	bool dir_sure;                 /* else only the layout suggests it */
	unsigned method;               /* of a product, bits of METHOD_ */
	bool pyprof_gemm, pyprof_bias; /* PyProf's lists for linear */
	struct elem elem;              /* if it is element-wise */
	bool product; /* the name is that of a product, not of its helper */
	int align;    /* elements that it moves at once; 0: not told */
	int arch;     /* compute capability, times ten, that it was built for,
			 from Volta on; 0: not told */
	int esize;    /* bytes of an element, where the type has no name */
	int gather;   /* a copy of rows: see gather.h; 0: it is none */
	char *lower;  /* the name, lower case; owned */
	size_t len;
	char *last; /* short name as it came; owned; may be NULL */
};

/* Works out what the name says. full: demangled name; brief: short name,
 * may be NULL. */
void kname_set(struct kname *k, const char *full, size_t n, const char *brief,
    size_t nbrief);
void kname_free(struct kname *k);

#endif
