/*
 * dlp-fmt's parts: the stream finds out which record type is printed and
 * hands each row to a sink; a sink writes rows in one format. A sink's
 * description says what it asks of the options and of the stream, so that
 * nothing outside of its file knows it by name.
 */
#ifndef FMT_H
#define FMT_H

#include "buf.h"
#include "cols.h"
#include "join.h"
#include "kind.h"
#include "stage.h"
#include "writer.h"

/* Units for people: columns whose names end in one (dur_ns, sum_bytes). */

struct human {
	const char *from, *to; /* units: ns, ms */
	double one;            /* 1 to, in from */
	int decimals;
};

/* The unit for a column of that name whose largest value is that, in the unit
 * of its name; false if the name has none, or it is the best already. */
bool human_unit(struct human *h, const char *name, double largest);

/* The same for columns that are compared, of all of which that is the largest
 * value: smaller units, more digits. */
bool human_unit_shared(struct human *h, const char *name, double largest);

/* Whether two columns have the same unit. */
bool human_same_unit(const char *a, const char *b);

/* Append the column's header, and a value; what is no number stays. */
void human_head(const struct human *h, struct buf *b, const char *head);
void human_put(const struct human *h, struct buf *b, const char *s, size_t n);

struct fmt_column {
	const char *head; /* as the user named it */
	enum col_kind kind;
	struct join_col *from;
	bool quote; /* always, in CSV */
	bool copy;  /* people copy it (dlp-iter -k): shown whole */
};

struct fmt;

struct sink {
	const char *option; /* "--csv" */
	size_t state;       /* bytes that it needs: f->state, zeroed */

	/* Fitted to a terminal: of a type with many columns a choice is
	 * shown, and of a later legend the columns that were there. */
	bool fitted;
	bool wraps;   /* takes the terminal's width, if it is one */
	bool reports; /* a table without rows is a result */

	/* Formats of other programs: */
	const char *cols; /* prints these columns of kern records: no -c */
	const char *more; /* these too, if f->more is set */
	/* Its option stands beside that of another form, which is f->form.
	 * Once, when all options are read; fatal if they do not fit. */
	void (*join_form)(struct fmt *f);
	/* Chooses the columns, where they are not those of -c. */
	void (*columns)(struct fmt *f, struct rec_type *t);
	/* Asks the stage for more record types, before the first record. */
	void (*listen)(struct fmt *f);
	/* Sees each ##info and ##note line. */
	void (*meta)(struct fmt *f, const struct rec *r);

	/* Once, when the columns are known, before the first row. */
	void (*begin)(struct fmt *f);
	void (*row)(struct fmt *f, const struct writer_cell *v);
	/* Once, at the end, after begin; also where the columns were never
	 * known (f->ncol is 0 then, and begin was not called). NULL: nothing
	 * is left to do. */
	void (*end)(struct fmt *f);
};

/* sink_formats.c, sink_xtab.c, sink_md.c, sink_table.c */
extern const struct sink sink_csv, sink_tsv, sink_json, sink_jsonl, sink_xtab,
    sink_md, sink_table;
/* PyProf's and DLProf's formats: pyprof_*.c, dlprof_report.c */
extern const struct sink sink_pyprof, sink_dict, sink_dlprof;

struct fmt_choice { /* a type that may be the one that is printed */
	struct rec_type *type;
	struct fmt_column *col;
	int ncol;
	int nhidden; /* columns behind those, which the sink looks at */
};

#define FMT_RANKS 4

struct fmt_held { /* rows that are held until the type is known */
	struct rec_type *type;
	int rank; /* of type */
	/* by rank: readers know their columns, so that none is freed */
	struct fmt_column *col[FMT_RANKS];
	int ncol;
	bool two; /* types of that rank: none is printed */
	size_t n;
	struct buf text;
	size_t *len; /* per cell, + 1; 0 is unset */
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
	const char *title;     /* of CSV and JSON, or NULL */
	char **quotes;         /* columns that CSV quotes; NULL: as needed */
	int nquotes;
	bool guard; /* CSV: no text that a spreadsheet would compute */

	/* what is printed */
	const char *std_type;  /* without -T: besides agg */
	struct rec_type *type; /* NULL: not known yet */
	struct fmt_column *col;
	int ncol, nhidden;
	bool shared; /* columns of one unit have the same scale */
	struct writer_cell *row;

	/* the stream */
	struct fmt_choice choices[2]; /* with the columns of -c */
	struct fmt_held held;
	bool any_legend; /* one of the type that is printed */
	bool begun;      /* sink->begin() was called */
	bool gated;      /* a gate fired before us */
	uint64_t nrows;
	uint64_t unseen; /* columns of later legends */
	struct buf tmp;  /* of the sinks, for the value at hand */
};

/* fmt_stream.c: reads the stream, which is open, to its end; the exit
 * status. */
int fmt_run(struct fmt *f);

/* fmt_columns.c. The first sets std_type; the next two set col, ncol and
 * nhidden: to those of -c, or to those of a legend. */
void columns_type(struct fmt *f);
void columns_asked(struct fmt *f, struct rec_type *t);
void columns_default(struct fmt *f, const struct rec *legend);
/* One more column; tag: of its records. */
void columns_add(
    struct fmt *f, const char *tag, const char *head, struct join_col *from);

#endif
