/* Which kernels communicate, by their names. */
#ifndef RANKS_COMM_H
#define RANKS_COMM_H

#include <stdbool.h>
#include <stddef.h>

struct comm_type {
	const char *name; /* "all_reduce"; lives as long as the program */
	bool together;    /* ends on all ranks at about the same time */
	bool pair;        /* of some ranks only: no collective */
};

/* path: a file of rules, NULL: the shipped one. Bad rules are fatal. */
void comm_open(const char *path);

/* Of a kernel's name (unescaped); NULL: it is no communication. The result
 * lives as long as the program. */
const struct comm_type *comm_find(const char *name, size_t n);

#endif
