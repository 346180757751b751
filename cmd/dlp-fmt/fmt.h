/*
 * What dlp-fmt's files hand each other: the columns that were chosen, and the
 * sinks, one per file, that write their values in a format.
 */
#ifndef FMT_H
#define FMT_H

#include "cols.h"
#include "join.h"
#include "kind.h"
#include "stage.h"
#include "writer.h"

struct column {
	const char *head; /* as the user named it */
	enum col_kind kind;
	struct join_col *from;
	bool quote; /* always, in CSV */
	bool copy;  /* people copy it (dlp-iter -k): shown whole */
};

struct fmt;

struct sink {
	const char *name; /* of the option, without -- */
	/* Once, when the columns are known, before the first row. */
	void (*begin)(struct fmt *f);
	void (*row)(struct fmt *f, const struct writer_cell *v);
	/* Once, at the end, after begin; also where the columns were never
	 * known (f->ncol is 0 then, and begin was not called). */
	void (*end)(struct fmt *f);
};

extern const struct sink sink_tsv, sink_csv, sink_json, sink_jsonl, sink_xtab,
    sink_md, sink_table, sink_pyprof;

struct fmt {
	struct stage st;
	struct join join;
	const struct sink *sink;
	char **names; /* -c; NULL: all columns of the type */
	int nnames;
	const char *want_type; /* -T, or NULL */
	const char *std_type;  /* without -T: besides agg */
	struct rec_type *type; /* the type that is printed; NULL: not known
				  yet */
	struct column *col;
	int ncol;
	int nhidden; /* columns behind those, which the sink looks at */
	struct writer_cell *row;
	bool begun;
	uint64_t nrows;
	int width;         /* of a table, 0 without limit */
	bool bold;         /* the header of a table */
	bool gated;        /* a gate fired before us */
	bool human;        /* units for people in a table */
	bool shared;       /* columns of one unit have the same scale */
	bool py_csv;       /* --pyprof: the form */
	const char *title; /* of CSV and JSON, or NULL */
	char **quotes;     /* columns that CSV quotes; NULL: as needed */
	int nquotes;
	bool guard; /* CSV: no text that a spreadsheet would compute */
	struct writer writer; /* of the sinks that use one */
	struct buf tmp;
};

#endif
