/* A stream that is joined with others: its next line, and that line's time. */
#ifndef MERGE_INPUT_H
#define MERGE_INPUT_H

#include "buf.h"
#include "map.h"
#include "rec.h"

#define INPUT_NO_TIME INT64_MIN

struct field { /* of a record: raw text */
	const char *s;
	size_t n;
};

struct legend {   /* of a type, in this input */
	int type; /* number in the unified legends */
	struct legend_col {
		int to; /* column of the unified legend */
		enum { COL_COPY, COL_TIME, COL_ID, COL_SRC, COL_RANK } how;
	} * col;
	int n;
	int start, api; /* columns with its time, -1 */
	bool has_src, has_rank;
};

struct input {
	const char *name;
	int no;
	struct rec_reader *rd;
	struct rec r; /* the next line, if live */
	bool live, ended;
	uint64_t lost, surplus; /* records, by its ##end */
	int64_t time;  /* of r, and of no line before it a later one; on the
			  common clock */
	int64_t shift; /* what its times are moved by */
	bool has_t0;
	int64_t t0;
	struct buf head;  /* ##info lines before the first record */
	bool head_src;    /* they name the file */
	struct smap tags; /* of its types; number in legend */
	struct legend **legend;
	size_t nlegend;
	struct field *field; /* of r, if it is a record */
	int nfield, cap;
	const struct legend *of; /* its legend */
	/* --ranks */
	const char *clock_by;
	int64_t n_coll, spread;
};

/* Opens it and reads up to the first line that is no metadata; ##cmd lines
 * go to cmds. Trouble is fatal. */
void input_open(struct input *in, const char *path, int no, struct buf *cmds);

/* The next line becomes r; its fields are split, its time is known. */
void input_next(struct input *in);

void input_close(struct input *in);

/* The head has been written, shift is set: r's time is on the common clock. */
void input_start(struct input *in);

#endif
