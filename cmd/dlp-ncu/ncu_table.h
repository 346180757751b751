/*
 * The kernels that ncu measured: rows by name, grid and block, in the order of
 * the file, each with the values of the columns that are wanted.
 */
#ifndef NCU_TABLE_H
#define NCU_TABLE_H

#include "buf.h"
#include "map.h"

struct ncu_table {
	char **cols; /* names of our columns, the first of them ncu_tc */
	int ncols;
	struct smap keys;       /* -> list of rows */
	struct ncu_rows *lists; /* by number of the key */
	size_t nlists;
	struct buf text; /* values, escaped, each with a NUL behind it */
	size_t *at;      /* row * ncols + column: place in text */
	bool *used;      /* by row */
	size_t nrows, cap;
	uint64_t bad;   /* rows with too few fields */
	struct buf key; /* scratch */
};

/* Reads the file. more: patterns of further metrics, as in fnmatch(). A
 * pattern that matches no metric is fatal. */
void table_read(struct ncu_table *t, const char *path, char **more, int nmore);

/* The key of a kernel: its name, grid and block; the name without blanks, or
 * (plain) without what tools spell differently. */
void table_key(struct buf *out, const char *name, size_t nname,
    const char *grid, size_t ngrid, const char *block, size_t nblock,
    bool plain);

/* The number of a key; SMAP_NONE: no row has it. */
uint32_t table_find(const struct ncu_table *t, const struct buf *key);

/* The n-th row of a key, from 0, which is used then; SIZE_MAX: there are
 * fewer. */
size_t table_row(struct ncu_table *t, uint32_t key, uint64_t n);

/* The value, escaped; "-" if it was not measured. */
const char *table_value(const struct ncu_table *t, size_t row, int col);

void table_free(struct ncu_table *t);

#endif
