/*
 * The parts of dlp-fmt. The stream finds out which record type is printed and
 * hands each row to a sink; a sink writes rows in one format. A sink's
 * description says what it needs from the options and the stream, so that only
 * its own file knows it by name.
 */
#pragma once

#include "buf.h"
#include "cols.h"
#include "join.h"
#include "stage.h"
#include "writer.h"

/* Units for people: columns whose names end in one (dur_ns, sum_bytes). */

struct human {
	const char *from, *to; /* units: ns, ms */
	double one;            /* 1 unit of to, in units of from */
	int decimals;
	bool own; /* each value has a unit of its own beside it */
};

#define HUMAN_OWN_WIDTH 8 /* of most of these: 12.34 ms */

/* The unit for a column of that name with this largest value, which is in the
 * unit of the name; false if the name has none, or has the best one already. */
bool human_unit(struct human *h, const char *name, double largest);

/* Each value in its best unit, whatever the others are; false if the name has
 * no unit. */
bool human_own_unit(struct human *h, const char *name);

/* Append the column's header, and a value; text that is not a number is
 * unchanged. */
void human_head(const struct human *h, struct buf *b, const char *head);
void human_put(const struct human *h, struct buf *b, const char *s, size_t n);

struct fmt_column {
	const char *head; /* as the user wrote it */
	enum col_kind kind;
	struct join_col *from;
	bool quote;  /* always quoted in CSV */
	bool copy;   /* people copy it (dlp-iter -k): never cut */
	bool sparse; /* most profiles have no value: a table leaves it out */
};

struct fmt;

struct sink {
	const char *option; /* "--csv" */
	size_t state;       /* size of its state: f->state, zeroed */

	/* Fitted to a terminal: if the type has many columns, only a choice is
	 * shown; if a later legend comes, the columns stay the same. */
	bool fitted;
	bool wraps;   /* uses the terminal's width, if there is one */
	bool reports; /* a table without rows is a result */

	const struct writer_format *format; /* of sink_formats.c */

	/* Formats of other programs: */
	const char *cols; /* prints these columns of kern records: no -c */
	const char *more; /* these too, if f->more is set */
	/* Its option can be combined with that of another form, which is
	 * f->form. Called once, when all options are read; fatal if they do not
	 * fit. */
	void (*join_form)(struct fmt *f);
	/* Chooses the columns if -c does not. */
	void (*columns)(struct fmt *f, struct rec_type *t);
	/* Binds more record types, before the first record. */
	void (*listen)(struct fmt *f);
	/* Called for each ##info and ##note line. */
	void (*meta)(struct fmt *f, const struct rec *r);

	/* Called once, when the columns are known, before the first row. May
	 * be NULL. */
	void (*begin)(struct fmt *f);
	void (*row)(struct fmt *f, const struct writer_cell *v);
	/* Called once, at the end, after begin; also if the columns were never
	 * known (then f->ncol is 0 and begin was not called). May be NULL. */
	void (*end)(struct fmt *f);
};

/* fmt_people.c: appends the heading of a type's column, with its unit; the
 * words of a value (s is NULL if it is unset), NULL if they are the value;
 * whether a column has a few words as values, which are not cut. */
void people_head(
    const struct human *h, struct buf *b, const char *type, const char *name);
const char *people_value(const char *column, const char *s, size_t n);
bool people_whole(const char *column);
/* The columns of a type in a table without -c, up to the end of a line; empty:
 * all.
 */
const char *people_columns(const char *type);

/* sink_formats.c, sink_xtab.c, sink_md.c, sink_table.c */
extern const struct sink sink_csv, sink_tsv, sink_json, sink_jsonl, sink_xtab,
    sink_md, sink_table;
/* -f: its columns, as -c has them; fatal if there is none. */
extern const struct sink sink_format;
void format_columns(struct fmt *f, const char *format);
/* fmt_sqlite.c: writes all records, or those of the types of -T, to a database,
 * a table for each type; script: an SQL file of ours that makes others of them.
 * Returns the exit status. */
int fmt_sqlite(struct fmt *f, const char *path, const char *script);
/* PyProf's and DLProf's formats: pyprof_*.c, dlprof_report.c */
extern const struct sink sink_pyprof, sink_dict, sink_dlprof;

struct fmt_choice { /* a type that may be the one that is printed */
	struct rec_type *type;
	struct fmt_column *col;
	int ncol;
	int nhidden; /* columns after those, which only the sink reads */
};

#define FMT_RANKS 4

struct fmt_held { /* rows that are held until the type is known */
	struct rec_type *type;
	int rank; /* of type */
	/* by rank: readers know their columns, so none is freed */
	struct fmt_column *col[FMT_RANKS];
	int ncol;
	bool two; /* two types have that rank: none is printed */
	size_t n;
	struct buf text;
	size_t *len; /* per cell, + 1; 0 if unset */
};

struct fmt {
	struct stage st;
	struct join join;
	const struct sink *sink;
	void *state;

	/* the options */
	const struct sink *form; /* --pyprof --csv: the form, or NULL */
	bool more;               /* --dict=own */
	char **names;            /* -c; NULL: all columns of the type */
	int nnames;
	const char *want_type; /* -T, or NULL */
	int width;             /* of a table, 0 without limit */
	bool bold;             /* the header of a table */
	bool human;            /* units for people in a table */
	bool at_once;          /* -u: a table is laid out by its first row, and
				* each value has its own unit */
	const char *title;     /* of CSV and JSON, or NULL */
	const char *spark;     /* the column whose course is drawn, or NULL */
	bool ascii;            /* with ASCII only */
	struct spark *bars;
	char **quotes; /* columns that CSV quotes; NULL: as needed */
	int nquotes;
	const char *null; /* CSV, TSV and -f: in the place of an unset value */
	const char *format; /* -f */
	bool guard;         /* CSV: no text that a spreadsheet would compute */

	/* what is printed */
	const char *std_type;  /* without -T: besides agg */
	struct rec_type *type; /* NULL if not known yet */
	struct fmt_column *col;
	int ncol, nhidden;
	bool shared; /* columns of one unit have the same scale */
	struct writer_cell *row;

	/* the stream */
	struct fmt_choice choices[2]; /* with the columns of -c */
	struct fmt_held held;
	bool any_legend; /* a legend of the printed type was read */
	bool begun;      /* sink->begin() was called */
	bool gated;      /* a gate before dlp-fmt fired */
	uint64_t nrows;
	uint64_t unseen; /* columns of later legends */
	struct buf tmp;  /* of the sinks, for one value */
};

/* The unit of column i by the largest value of each. In records that compare
 * values, columns of one unit share it: a smaller one, with more digits. */
bool human_column(
    struct human *h, const struct fmt *f, int i, const double *largest);

/* fmt_stream.c: reads the stream, which is open, to its end; returns the exit
 * status. */
int fmt_run(struct fmt *f);

/* spark.c: adds a row; writes the line and frees f->bars. */
void spark_row(struct fmt *f, const struct writer_cell *v);
void spark_end(struct fmt *f);

/* fmt_columns.c. columns_type sets std_type; the next two set col, ncol and
 * nhidden: to those of -c, or to those of a legend. */
void columns_type(struct fmt *f);
void columns_asked(struct fmt *f, struct rec_type *t);
void columns_default(struct fmt *f, const struct rec *legend);
static inline bool
column_is_num(const struct fmt_column *c)
{
	return c->kind == COL_INT || c->kind == COL_NUM;
}

/* Adds a column; tag: the type of its records. */
void columns_add(
    struct fmt *f, const char *tag, const char *head, struct join_col *from);
