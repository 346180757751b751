/*
 * dlp-fmt's insides: the columns that were chosen, and the sinks, one per
 * file, that write their values in a format.
 */
#ifndef FMT_H
#define FMT_H

#include "cols.h"
#include "join.h"
#include "kind.h"
#include "stage.h"

struct cell { /* a value: escaped text, s NULL if unset */
	const char *s;
	size_t n;
};

struct column {
	const char *head; /* as the user named it */
	enum col_kind kind;
	struct join_col *from;
};

struct fmt;

struct sink {
	const char *name; /* of the option, without -- */
	/* Once, when the columns are known, before the first row. */
	void (*begin)(struct fmt *f);
	void (*row)(struct fmt *f, const struct cell *v);
	/* Once, at the end, after begin; also where the columns were never
	 * known (f->ncol is 0 then, and begin was not called). */
	void (*end)(struct fmt *f);
};

extern const struct sink sink_tsv, sink_csv, sink_json, sink_jsonl, sink_table,
    sink_pyprof;

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
	struct cell *row;
	bool begun;
	uint64_t nrows;
	int width;   /* of a table, 0 without limit */
	bool bold;   /* the header of a table */
	bool human;  /* units for people in a table */
	bool py_csv; /* --pyprof: the form */
	struct buf tmp;
};

/* run.c: reads the stream, which is open, to its end; the exit status. */
int fmt_run(struct fmt *f);

/* hold.c: legends and rows that come while the type is not known; then, if
 * they are of one type, put prints them. hold_row is true when no more can be
 * held. */
void hold_legend(struct fmt *f, const struct rec *r);
bool hold_row(struct fmt *f, const struct rec *r);
void hold_print(
    struct fmt *f, void (*put)(struct fmt *f, const struct cell *v));

/* select.c: which type, which columns. The first sets std_type; the others
 * set col, ncol and nhidden: to those of -c, or to those of a legend. */
void select_type(struct fmt *f);
void select_columns(struct fmt *f, struct rec_type *t);
void select_default(struct fmt *f, const struct rec *legend);

/* text.c: text for people. Appends the n bytes of escaped text s so that a
 * terminal shows them: bytes that are no printable UTF-8 as \xHH; returns
 * the columns that they take. */
int text_show(struct buf *b, const char *s, size_t n);

/* The bytes of shown text s[0..n) that fit in width columns; *used: the
 * columns that they take. */
size_t text_head(const char *s, size_t n, int width, int *used);
/* The same from its end. */
size_t text_tail(const char *s, size_t n, int width, int *used);

/* utf8.c: the length of the sequence at s (n > 0), 1 to 4, with its code
 * point in *cp; if it is none, *cp is -1 and the length is that of the
 * longest part that could begin one: one U+FFFD stands for it. */
int utf8_next(const char *s, size_t n, long *cp);

/* json_text.c */
void json_string(struct buf *b, const char *s, size_t n); /* escaped text */
bool json_number(const char *s, size_t n); /* is it one, by the grammar */
bool json_valid(const char *s, size_t n);  /* is it a JSON value */

/* pycols.c: PyProf's columns. */
struct pycol {
	const char *option, *header, *ours;
	int width;
	bool num;          /* right-aligned, never cut */
	const char *unset; /* PyProf's word */
	/* Appends the value in PyProf's words; NULL: as it is. */
	void (*put)(struct fmt *f, struct buf *b, const struct cell *v);
};
extern const struct pycol pycols[]; /* ends with option NULL */
#define PY_DEFAULT "idx,dir,sub,mod,op,kernel,params,sil"

#endif
