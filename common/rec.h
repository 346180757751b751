/*
 * Reading a dlp stream: lines, sections, legends, records; columns are bound
 * by name. See dlp-records(5).
 *
 *	rd = rec_open(path);
 *	kern = rec_type(rd, "kern");
 *	rec_want(kern, REC_NEED, "dur_ns");
 *	while (rec_next(rd, &r))
 *		if (r.type == kern && rec_num(&r, COL_dur_ns, &ns)) ...
 *
 * Damage in the input is fatal: one line "prog: FILE:LINE: what", exit 2.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "columns.h"
#include "map.h"
#include "mview.h"

struct rec_type;

enum rec_need { REC_OPT, REC_NEED };

const char *rec_type_tag(const struct rec_type *t);

/* The number of columns of the current legend; the other: their names (without
 * the tag). */
int rec_ncols(const struct rec_type *t);
const char *rec_colname(const struct rec_type *t, int i);

/* The rest is for the reader only. */
struct rec_type {
	struct rec_type *next; /* in its slot */
	char *tag;
	size_t taglen;
	int32_t *at; /* by id of a column: its field, or what follows */
	int n_at;
	int *need; /* ids of the columns that records must have */
	int n_need;
	char **names; /* under the current legend */
	int nnames, names_cap;
	bool has_legend, checked;
	void *arg;                /* rec_arg() of rec.h */
	struct stage_type *stage; /* for stage.c only */
};

/* Takes a legend: s[0..n) is the text after the tag, from the TAB on. */
void rec_type_legend(struct rec_type *t, const char *s, size_t n);

#define REC_FORMAT 1 /* the format number in ##dlp */

enum rec_kind {
	REC_SECTION, /* ##dlp */
	REC_END,     /* ##end */
	REC_META,    /* any other ##word */
	REC_LEGEND,  /* #tag */
	REC_DATA,
};

struct rec_reader;

struct rec_fields {      /* of the current record, for the functions below */
	const char **at; /* field i is the bytes from [i] to [i + 1] - 1 */
	int n;           /* -1: not split yet */
};

struct rec { /* views into the reader: valid until the next rec_next */
	enum rec_kind kind;
	const char *line; /* the whole line without LF */
	size_t len;
	struct rec_type *type; /* data and legend of a type that was
				* requested with rec_type(); otherwise NULL */
	struct rec_reader *rd;
	struct rec_fields *fields;
};

/* path NULL or "-" is standard input. Fatal if the path cannot be opened, or is
 * a directory. */
struct rec_reader *rec_open(const char *path);
void rec_close(struct rec_reader *rd);

/* Declares interest in a record type; the same pointer for the same tag. */
struct rec_type *rec_type(struct rec_reader *rd, const char *tag);

/* One pointer per type, for the functions that read its records; the caller
 * owns it. */
static inline void
rec_set_arg(struct rec_type *t, void *arg)
{
	t->arg = arg;
}

static inline void *
rec_arg(const struct rec *r)
{
	return r->type->arg;
}

/* The next line; false at the end of the input. */
bool rec_next(struct rec_reader *rd, struct rec *r);

/* After rec_next returned false: true if every section that began has ended;
 * true for a fragment. */
bool rec_complete(const struct rec_reader *rd);
bool rec_is_fragment(const struct rec_reader *rd);

/* Prints no warnings, because the same input is read elsewhere too. */
void rec_quiet(struct rec_reader *rd);

/* At REC_END: the number of records that the section has less than its ##end
 * says (rec_lost), or more (rec_surplus). The reader warns about both. */
uint64_t rec_lost(const struct rec_reader *rd);
uint64_t rec_surplus(const struct rec_reader *rd);

/* All fields: field i is the bytes from [i] to [i + 1] - 1. */
const char *const *rec_split(const struct rec *r);

/* Field i (0 is the first column after the tag), raw: "-" is not decoded. */
static inline const char *
rec_field(const struct rec *r, int i, size_t *n)
{
	const char *const *at =
	    r->fields->n >= 0 ? r->fields->at : rec_split(r);

	*n = (size_t)(at[i + 1] - at[i]) - 1;
	return at[i];
}

/*
 * A field by the id of its column (columns.h, or col_id() for other names).
 * Only columns that were requested with rec_want() have values; all others, and
 * those that the legend does not have, are unset.
 */
enum { REC_MISSING = -1, REC_UNWANTED = -2 };

/* Requests columns, names with blanks between them. If the legend does not have
 * a needed one, the first record of the type is fatal, with a message that
 * names the command that adds the column. */
void rec_want(struct rec_type *t, enum rec_need need, const char *names);
void rec_want_id(struct rec_type *t, enum rec_need need, int id);
/* The same of one that may be missing; its id. */
int rec_want_col(struct rec_type *t, const char *name);

/* True if the current legend has a column that was requested. */
static inline bool
rec_has(const struct rec_type *t, int col)
{
	return col < t->n_at && t->at[col] >= 0;
}

/* The raw (escaped) text; s is NULL, and n 0, if it is unset. */
static inline struct mview
rec_get(const struct rec *r, int col)
{
	const struct rec_type *t = r->type;
	struct mview v = { NULL, 0 };

	if (!rec_has(t, col))
		return v;
	v.s = rec_field(r, t->at[col], &v.n);
	return v.n == 1 && v.s[0] == '-' ? (struct mview){ NULL, 0 } : v;
}

/* The same, with "-" for an unset field: to be written again. */
static inline struct mview
rec_get_raw(const struct rec *r, int col)
{
	struct mview v = { "-", 1 };

	if (rec_has(r->type, col))
		v.s = rec_field(r, r->type->at[col], &v.n);
	return v;
}

/* Appends that behind a TAB. */
void rec_add_raw(struct buf *b, const struct rec *r, int col);

/* The unescaped text, NUL-terminated in *tmp, a buffer of the caller's; NULL if
 * unset. */
const char *rec_text(const struct rec *r, int col, struct buf *tmp, size_t *n);

/* An integer, a number with a fraction: false if unset. Fatal if the text is
 * no number. */
bool rec_num(const struct rec *r, int col, int64_t *v);
bool rec_real(const struct rec *r, int col, double *v);

/* A length (dur_ns): also false, and 0, if it is negative, because an end
 * before the start is no length. */
bool rec_length(const struct rec *r, int col, int64_t *v);

/* A sum that dlp-agg made, which can be longer than 64 bits: then it is the end
 * of their range, as with num_add(). */
bool rec_total(const struct rec *r, int col, int64_t *v);

/* The integer, or a default if it is unset. */
static inline int64_t
rec_num_or(const struct rec *r, int col, int64_t unset)
{
	int64_t v;

	return rec_num(r, col, &v) ? v : unset;
}

/* For a metadata line: the word after ## and the rest after the TAB. */
const char *rec_meta(
    const struct rec *r, size_t *wlen, const char **rest, size_t *rlen);

const char *rec_input_name(const struct rec_reader *rd); /* FILE */

/* The current place, "FILE:LINE", for messages; and a fatal message. */
const char *rec_where(const struct rec_reader *rd);
void rec_die(const struct rec *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
