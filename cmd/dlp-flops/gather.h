/*
 * The kernel that copies rows of a table (embedding, index_select): it names
 * no type, but its launch tells how many bytes a row has.
 */
#ifndef FLOPS_GATHER_H
#define FLOPS_GATHER_H

#include <stddef.h>

struct work;

/* Bytes that a thread copies, from the kernel's lower-case name; 0: it is
 * another kernel. */
int gather_unit(const char *s, size_t n);

/* Bytes of an element by the launch of such a kernel; -1: unknown. */
int gather_esize(const struct work *w);

#endif
