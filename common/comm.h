/*
 * Kernels that move data between GPUs, by their names (comm.rules).
 *
 *	comm_open(&c, NULL);
 *	t = comm_find(&c, name, n);
 *	if (t != NULL && t->together) ...
 */
#pragma once

#include "map.h"
#include "namerule.h"

struct comm_type {
	const char *name; /* "all_reduce"; lives as long as the program, the
			   * same pointer for the same name */
	bool together;    /* ends on all ranks at about the same time */
	bool pair;        /* of some ranks only: no collective */
};

struct comm_rules { /* zeroed, then comm_open() */
	struct namerules rules;
	struct comm_type *types; /* one per rule */
	struct smap names;       /* that were seen; rule + 1, or 0 */
};

/* path: a file of rules, NULL: the shipped one. Bad rules are fatal. */
void comm_open(struct comm_rules *c, const char *path);

/* The first rule for a kernel's name (unescaped); NULL: it is no communication.
 * The result lives as long as the rules. Answers are remembered. */
const struct comm_type *comm_find(
    struct comm_rules *c, const char *name, size_t n);

/* The same, without remembering: for names that are asked about once. */
const struct comm_type *comm_match(
    const struct comm_rules *c, const char *name, size_t n);

/* The first rule of that type; NULL: there is none. */
const struct comm_type *comm_named(
    const struct comm_rules *c, const char *name, size_t n);

void comm_close(struct comm_rules *c);
