/*
 * The records of -T and their columns, by number: 0 is the first type, or
 * the first column that was asked for.
 */
#ifndef AGG_INPUT_H
#define AGG_INPUT_H

#include "join.h"

#define INPUT_TYPES 16

struct column {
	const char *name;
	struct join_col *in[INPUT_TYPES];
};

struct input {
	struct join join;
	char **tag; /* the types, of the caller */
	int ntypes;
	struct rec_type *type[INPUT_TYPES];
	bool seen[INPUT_TYPES];   /* a record of it was */
	bool legend[INPUT_TYPES]; /* a legend of it was */
	bool any;                 /* --where held for a record */
	struct column *col;
	int ncol;
};

/* tag and ntypes are set; rd is kept. */
void input_open(struct input *in, struct rec_reader *rd);

/* The number of a column, asked for before the first record; the name is
 * kept. */
int input_column(struct input *in, const char *name);

/* The same of a column that records may lack. */
int input_optional(struct input *in, const char *name);

/* Its own name, if it was asked for by an alias. */
const char *input_canon(const struct input *in, int col);

/* The type of a record or legend; -1: none of ours. */
int input_type(const struct input *in, const struct rec *r);

/* A legend of one of the types came; the type. */
int input_legend(struct input *in, const struct rec *r);

/* The escaped text of a column's value in a record of type t; NULL if
 * unset. */
static inline const char *
input_value(struct input *in, const struct rec *r, int t, int col, size_t *n)
{
	return join_raw(&in->join, r, in->col[col].in[t], n);
}

#endif
