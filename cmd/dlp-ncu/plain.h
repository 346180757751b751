/* Names of kernels without what tools spell differently. */
#ifndef NCU_PLAIN_H
#define NCU_PLAIN_H

#include "buf.h"

/*
 * Appends the name without namespaces, casts, calls' arguments, lambdas'
 * numbers, const and blanks:
 *
 *	void at::native::(anonymous namespace)::f<2, true, 3ul>(int const*)
 *	void at::native::<unnamed>::f<(int)2, (bool)1, (unsigned long)3>(...)
 *	void at::<unnamed>::f<2, 1, 3>(const T1 *)
 *
 * are f<2,1,3>.
 */
void plain_name(struct buf *out, const char *s, size_t n);

#endif
