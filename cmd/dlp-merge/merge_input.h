/*
 * A stream that is joined with others: its next line, that line's time, and
 * how it is written under the legends of all inputs.
 *
 * Each record type has one legend in the output, of the columns that it has in
 * any input. When an input brings a column that none had before, the legend
 * grows and is written again.
 */
#ifndef MERGE_INPUT_H
#define MERGE_INPUT_H

#include "buf.h"
#include "map.h"
#include "rec.h"

#define MERGE_NO_TIME INT64_MIN

/* The record types of the output. */
struct merge_types {
	struct merge_type *type;
	struct smap tags; /* by number: its place in type */
	size_t cap;
	struct smap srcs; /* texts of src; value: the input's number + 1 */
	int *from;        /* place in the output -> column of the record */
	size_t from_cap;
	int n_inputs;
	bool with_src, with_rank; /* records get a column src, rank */
};

struct merge_input {
	const char *name;
	int no;
	struct merge_types *types;
	struct rec_reader *rd;
	struct rec r; /* the next line, if live */
	bool live;
	uint64_t lost, surplus; /* records, by its ##end */
	/* the latest time of r and of all lines before it, on the common
	 * clock: a line without a time goes with the line before it */
	int64_t time;
	int64_t shift; /* added to its times for the common clock */
	bool has_t0;
	int64_t t0;
	struct buf head;  /* ##info lines before the first record */
	bool head_src;    /* they name the file */
	struct smap tags; /* of its types; number in legend */
	struct merge_legend **legend;
	size_t n_legend;
	struct mview *field; /* of r, if it is a record: raw text */
	int n_field, cap;
	const struct merge_legend *of; /* its legend */
	/* --ranks */
	const char *clock_by; /* what its clock was aligned by; NULL: nothing */
	int64_t n_coll, spread;
};

void merge_types_free(struct merge_types *types);

/* Opens it and reads up to the first line that is no metadata; ##cmd lines
 * go to cmds. Trouble is fatal. */
void merge_open(struct merge_input *in, struct merge_types *types,
    const char *path, int no, struct buf *cmds);
void merge_close(struct merge_input *in);

/* Call when the head has been written and shift is set: r gets its time. */
void merge_start(struct merge_input *in);

/* The next line becomes r; its fields are split, its time is known. */
void merge_next(struct merge_input *in);

/* Writes r, a record, under the legend of the output: ids of different inputs
 * stay apart, times are moved to the common clock. */
void merge_put(const struct merge_input *in);

#endif
