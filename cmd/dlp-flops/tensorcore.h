/*
 * Tensor Cores: whether a kernel used them, by its name; whether it could have;
 * and why it did not, or was slow.
 */
#ifndef FLOPS_TENSORCORE_H
#define FLOPS_TENSORCORE_H

#include "kern_work.h"

/* Reads the rules about names: tc.rules or the user's file; path NULL: the
 * shipped rules. Errors are fatal. */
void tc_open(struct namerules *rules, const char *path);

/* The verdict of the rules on a name of n bytes, lower case: the first rule
 * whose pattern matches decides. */
struct tc_rule tc_decide(
    const struct namerules *rules, const char *name, size_t n);

/* The bits of an op's arguments; 0 where they are unknown. dt: the type of
 * the operands. */
unsigned tc_shape(const struct kern_work *w, enum family f, enum dtype dt);

struct tc_device {
	int cc;    /* compute capability times ten; 0 if unknown */
	bool none; /* no Tensor Cores, although cc suggests them */
};

/* True if the device has no Tensor Cores, whatever the kernel's name says. */
bool tc_missing(struct tc_device d);

struct tc_kernel { /* the kernel in the questions below */
	const struct kname *k;
	enum family family;
	enum dtype dt;
	unsigned shape; /* result of tc_shape() */
	bool sized;     /* the op's sizes are known */
	bool eligible;  /* the family has Tensor Core kernels */
	enum tc used;
};

/* A product: by its op, or by the kernel's name if the op is unknown. */
bool tc_product(const struct tc_kernel *t);

/* Could Tensor Cores have done the kernel's work? If the device's generation is
 * unknown, the kernel's name may show it, because the device cannot be older
 * than the kernel's target. */
enum tc tc_eligible(const struct tc_kernel *t, struct tc_device d);

/* Facts that a file's kernels have shown so far, in the order of launches. */
struct tc_seen {
	bool tf32[2]; /* TF32 is on, for convolutions [1] and other products
		       * [0]: the newest kernel that shows the setting used
		       * it */
	int arch;     /* the newest generation in names of kernels */
};

/* The reason why a product did not use Tensor Cores: the first that holds in a
 * table; dlp-tc(1) has a remedy for each. For a product that used them, the
 * reason why it was slow, or NULL. Facts that the kernel shows are added to
 * seen first. */
const char *tc_why(
    struct tc_seen *seen, const struct tc_kernel *t, struct tc_device d);

#endif
