/*
 * Tensor Cores: did a kernel use them, by its name; could it have; and if it
 * did not, or only slowly, why.
 */
#ifndef FLOPS_TENSORCORE_H
#define FLOPS_TENSORCORE_H

#include "kern_work.h"

/* Reads the rules about names, tc.rules or the user's file; path NULL: the
 * shipped ones. Errors are fatal. */
void tc_open(struct namerules *rules, const char *path);

/* What the rules say about a name of n bytes, lower case: the first rule whose
 * pattern matches decides. */
struct tc_rule tc_decide(
    const struct namerules *rules, const char *name, size_t n);

/* What the sizes of a product say, as bits. */
enum {
	SHAPE_VECTOR = 1,    /* one of M, N, K is 1 */
	SHAPE_SMALL = 2,     /* one of them is below 16 */
	SHAPE_UNALIGNED = 4, /* rows are not a multiple of 16 bytes */
	SHAPE_DEPTHWISE = 8, /* convolution, one input channel per group */
	SHAPE_GROUPED = 16,  /* convolution in groups */
	SHAPE_CONV = 32,     /* a convolution */
};

/* The bits of an op's arguments; 0 where they are unknown. dt: the type of
 * the operands. */
unsigned tc_shape(const struct kern_work *w, enum family f, enum dtype dt);

struct tc_device {
	int cc;    /* compute capability times ten; 0: unknown */
	bool none; /* no Tensor Cores, although cc would have them */
};

/* The device has no Tensor Cores, whatever the kernel's name says. */
bool tc_missing(struct tc_device d);

struct tc_kernel { /* a kernel of which the words below are asked */
	const struct kname *k;
	enum family family;
	enum dtype dt;
	unsigned shape; /* of tc_shape() */
	bool sized;     /* the op's sizes are known */
	bool eligible;  /* the family has Tensor Core kernels */
	enum tc used;
};

/* A product: by its op, or by the kernel's name where no op is known. */
bool tc_product(const struct tc_kernel *t);

/* Whether Tensor Cores could have done the kernel's work. Where the device's
 * generation is not known the kernel's name may tell it: the device is no
 * older. */
enum tc tc_eligible(const struct tc_kernel *t, struct tc_device d);

/* What a file's kernels have told so far, in the order of launches. */
struct tc_seen {
	bool tf32[2]; /* TF32 is on, for convolutions [1] and other products
			 [0]: the newest kernel that tells used it */
	int arch;     /* the newest generation that names of kernels tell */
};

/* Why a product did not use Tensor Cores: the first reason of a table that
 * holds; dlp-tc(1) says what to do about each. For one that did, why it was
 * slow, or NULL. What the kernel tells is added to seen first. */
const char *tc_why(
    struct tc_seen *seen, const struct tc_kernel *t, struct tc_device d);

#endif
