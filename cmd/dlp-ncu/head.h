/* The row of names: where what is. */
#ifndef NCU_HEAD_H
#define NCU_HEAD_H

#include "csv.h"

struct source {    /* of a column of ours */
	int field; /* -1: made of others */
};

struct head {
	int name, grid, block, pipe, hfma2;
	int *ops, nops; /* operations of the matrix units, by type */
	char **unit;    /* by field */
	int nfields;
	struct source *src; /* by column of ours */
};

/* The columns that are always there behind ncu_tc, and where their values come
 * from: ncu's metric, or the column of a table of our own kind. The first two
 * are what head_mma() and head_ops() tell. */
#define HEAD_KNOWN 6
extern const struct head_col {
	const char *col, *metric, *own;
} head_known[HEAD_KNOWN];

/* Reads it; fatal if grid or block are not there. Free ops, unit and src. */
void head_read(struct head *h, const struct csv *c);

/* The field of one of two names, NULL for none; -1 if neither is there. */
int head_find(const struct csv *c, const char *a, const char *b);

/* Of a row: matrix instructions, and operations of the matrix units; field is
 * that of the number itself, or -1. False if they were not measured. */
bool head_mma(const struct head *h, const struct csv *c, int field, double *v);
bool head_ops(const struct head *h, const struct csv *c, int field, double *v);

#endif
