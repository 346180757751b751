/*
 * Why a product did not run on Tensor Cores, or slowly: a table of reasons, of
 * which the first that holds is given. dlp-tc(1) says what to do about each.
 */
#ifndef FLOPS_TCWHY_H
#define FLOPS_TCWHY_H

#include "tcshape.h"

/* What the section has told so far, in the order of launches. */
struct tcseen {
	bool tf32[2]; /* TF32 is on, of convolutions and of other products: the
			 newest of them that says so used it */
	int arch;     /* the newest generation that names of kernels tell */
};

/* Takes a product's kernel down: that it used Tensor Cores, or, with sizes that
 * are no hindrance, that it did not. */
void tcwhy_see(struct tcseen *t, const struct kname *k, enum family f,
    enum dtype dt, unsigned shape, bool sized, bool used);

/* The reason for a kernel that is not known to have used them; for one that
 * has (used), why slowly, or NULL. cc: the device's compute capability times
 * ten, 0 if unknown; none: it has no Tensor Cores; tf32: that type is
 * on, so that it is not the reason. */
const char *tcwhy(const struct kname *k, enum dtype dt, unsigned shape, int cc,
    bool none, bool tf32, bool used);

#endif
