/*
 * What the files of dlp-html share: tables made of columns, and the page that
 * carries them.
 *
 *	html_tables_read(&h, &st);	the record types that the tables hold
 *	html_page(&h) or html_data(&h)	after the last record
 */
#pragma once

#include <stdint.h>

#include "map.h"
#include "shipped.h"
#include "stage.h"
#include "wording.h"

enum html_kind {
	HTML_PLAIN,   /* numbers */
	HTML_STEPS,   /* integers, each the difference to the one before */
	HTML_BASED,   /* numbers; true: that of dur_ns in the row */
	HTML_TEXTS,   /* numbers of texts, and the texts */
	HTML_NUMBERS, /* the same of numbers, which may have a fraction */
};

#define HTML_TAG (-1) /* in place of the id of a column: the record's type */

/*
 * A column grows as bytes: blocks, that html_col.c explains, or JSON text. That
 * of a large table is deflated at once, because only its deflated form fits
 * into memory when a profile has millions of kernels.
 */
struct html_col {
	const char *name;
	enum html_kind kind;
	int id;              /* of the column */
	bool number;         /* and no text */
	bool large, set;     /* set: a value is not null */
	bool whole;          /* JSON, all values as they are */
	bool null;           /* a value is unknown, or was in a dropped row */
	int64_t last;        /* the last value; of a text its number */
	int64_t least, most; /* of whole numbers, also of dropped ones */
	const struct html_col *base; /* HTML_BASED */
	struct smap texts;           /* HTML_TEXTS: escaped as in the stream */
	struct buf bytes, z;         /* what is not deflated yet, and what is */
	bool begun;                  /* a value is in bytes or z */
	bool hurried;                /* deflated in less time */
	bool code;                   /* the viewer */
	struct html_block *block;    /* values to come, unless whole */
	void *deflate;
};

void html_col_add_null(struct html_col *c);
void html_col_add_i64(struct html_col *c, int64_t v);
void html_col_add_raw(struct html_col *c, const char *s, size_t n);
void html_col_add_text(struct html_col *c, const char *s, size_t n);

/* keep[i]: the i-th of the n values lies in from to to. */
void html_col_mark(
    struct html_col *c, size_t n, int64_t from, int64_t to, bool *keep);

/* Drops the values that are not marked, before the end. */
void html_col_keep(struct html_col *c, size_t n, const bool *keep);

/* After the last value: the text is whole, and deflated if it is large. */
void html_col_end(struct html_col *c);
void html_col_free(struct html_col *c);

/* After the last value: what holds a value in JavaScript: bytes, or f. */
char html_col_room(const struct html_col *c);

/* The whole text of a large column, inflated, to out_buf. */
void html_col_print(const struct html_col *c);

struct html_table {
	const char *name;
	struct html_col *col;
	int ncol;
	bool large;
	bool of_steps; /* rows belong to steps: html_cut.c */
	uint64_t n;    /* rows */
	bool bounded;  /* it has none if it had more than the limit */
	uint64_t left; /* rows left out because of that */
};

/* Records that are not only rows. */
enum html_is {
	HTML_IS_OTHER,
	HTML_IS_GAP,
	HTML_IS_NEST,
	HTML_IS_STABLE,
	HTML_IS_PATH,
	HTML_IS_DIFF
};

/* Which record type fills which table. */
struct html_source {
	struct html_table *table;
	const char *tag;
	enum html_is is;
};

#define HTML_SUM_BY 19

/* The columns of work that sums are by: fields of a key, each after a TAB. */
extern const char *const html_sum_by[HTML_SUM_BY];

struct html_sum {
	uint64_t n;
	int64_t ns, max; /* max: -1 if no length is known */
};

/* Sums by key: fields of a record, each after a TAB. */
struct html_sums {
	struct smap by;
	struct html_sum *v;
	size_t n, cap;
	struct buf key; /* of the next one */
};

/* The sum of the key, which is cleared. */
struct html_sum *html_sums_at(struct html_sums *m);
void html_sums_add(struct html_sum *sum, int64_t ns);
void html_sums_free(struct html_sums *m);

/* A field of the next key, unset for NULL. */
void html_sums_field(struct html_sums *m, struct mview v);

/* More GPU work than the limit (html_cut.c). */
struct html_cut {
	int64_t limit; /* 0: none */
	bool on;
	uint64_t pieces;    /* of all steps */
	struct map of_iter; /* pieces of each step */
	bool even;
	int64_t even_from, even_to;
	int64_t from, to; /* the steps with rows; from > to: none */
	const struct html_table *work;
	const struct html_col *by[HTML_SUM_BY]; /* its columns */
	struct html_sums sums;
};

struct html_about {
	struct buf info, cmds; /* JSON, the inside */
	struct smap note;      /* val: its sum */
};

struct html {
	const char *title, *file; /* for the commands that the page shows */
	const char *before;       /* the profile that file is compared with */
	struct buf before_name;   /* its memory, with --private */
	struct buf own_title;     /* without --title */
	struct buf shown_title;   /* the memory of title */
	bool both;                /* its tables are on the page, too */
	bool data, private;
	int section;
	uint64_t left_out;   /* records of later sections */
	uint64_t nest_short; /* nest records that are too short to show */
	bool complete;
	bool came[2]; /* anything of file, and of before */

	struct wording defs; /* tables.tab */
	struct html_table *table;
	struct html_source *source;
	int ntable, nsource;
	struct html_about about[2];  /* of file, and of before */
	struct buf said;             /* JSON, the inside: what dlp-diff said */
	struct html_sums idle;       /* by iter, class and src of gaps */
	struct html_sums critical;   /* the path, by iter, kind and src */
	int64_t path_next, path_end; /* the next seg, and the end before */
	struct html_cut cut;
};

void html_table_end(struct html_table *t); /* all of its columns */

void html_cut_begin(struct html *h); /* after the tables are made */

/* A record adds to the sums; true if its row belongs on the page. */
bool html_cut_takes(
    struct html *h, const struct html_source *s, const struct rec *r);

/* After a row: drops rows if the table is above the limit. */
void html_cut_rows(struct html *h, struct html_table *t);

void html_cut_end(struct html *h); /* says what is left out */
void html_cut_free(struct html_cut *cut);

/* A field of a record; of a path its last part, with --private. */
struct mview html_field(const struct html *h, const struct rec *r, int col);

void html_tables_read(struct html *h, struct stage *st);
void html_tables_free(struct html *h);

/* Which profile a record of this section is of: 0 file, 1 before, or -1. */
int html_profile(const struct html *h);

/* A line of metadata. */
void html_meta_read(struct stage *st, struct rec *r);

/* These write the output: the page, or its data as JSON. */
void html_page(struct html *h);
void html_data(struct html *h);

/* The page's own files, in the order in which they are joined (Makefile). */
extern const struct shipped html_page_files[];

/* The SHA-256 of a text, 32 bytes; and bytes as base64, appended. */
void html_sha256(const char *s, size_t n, unsigned char sum[32]);
void html_base64(struct buf *b, const unsigned char *s, size_t n);
