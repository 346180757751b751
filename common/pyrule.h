/*
 * PyProf's rules about the ranges around the launch of a kernel: which of their
 * sequence ids is the kernel's own, and what their names say. The rules look at
 * one kernel after the other:
 *
 * - the texts NAME, seq = SEQ are taken once each, sorted by SEQ as a text and
 *   by NAME; of neighbours of the same id whose names are alike one is dropped;
 * - 0 is dropped beside others; forward takes the least id above that of the
 *   kernel before, or else goes on with that one; backward takes the least;
 * - sub counts on while id and list of ops stay the same.
 *
 * Source: pyprof/parse of PyProf, whose output the tests compare.
 */
#pragma once

#include "buf.h"
#include "mview.h"

struct pyrule_ids { /* ascending, each once; zeroed: none */
	int64_t *v;
	size_t n, cap;
};

struct pyrule_name {
	struct mview name, seq; /* the caller's, as long as the kernel */
	uint32_t id;            /* for the caller */
};

struct pyrule_around { /* a launch; zeroed, then pyrule_begin() for each */
	struct pyrule_name *name;
	size_t n, cap;
	struct pyrule_ids seq; /* the kernel's own first */
	struct pyrule_ids alt; /* alternative ones */
	bool bwd;
	bool named_bwd; /* by a name that is pyrule_is_bwd() */
};

struct pyrule_walk { /* the kernel before; { -1, -1 } if there is none */
	int64_t seq, sub;
};

void pyrule_begin(struct pyrule_around *k);
void pyrule_add(struct pyrule_around *k, struct pyrule_name x);
void pyrule_judge(struct pyrule_around *k); /* after the last name: sets seq,
					     * bwd, named_bwd */
void pyrule_free(struct pyrule_around *k);

void pyrule_add_id(struct pyrule_ids *ids, int64_t id);

/* Chooses the kernel's own id: k->seq and k->alt are what PyProf prints. It has
 * the ops of the kernel before (same_op), or is of a cell of an RNN (cell),
 * which spans several ids. Returns its sub. */
int64_t pyrule_number(
    struct pyrule_walk *w, struct pyrule_around *k, bool same_op, bool cell);

bool pyrule_is_bwd(struct mview name); /* MmBackward, mm_backward */
bool pyrule_is_cell(struct mview mod, struct mview op);

/* MmBackward becomes Mm, embedding_dense_backward embedding_dense. */
void pyrule_bare(struct buf *name);

/* As Python's replace(word, ''). */
void pyrule_cut(struct buf *b, const char *word);

/* True if a file:line is of PyTorch or PyProf themselves, which PyProf leaves
 * out. */
bool pyrule_is_library(struct mview file);
