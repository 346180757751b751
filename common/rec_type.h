/*
 * Record types in a reader: the columns that were requested, and their places
 * in the current legend. Commands get a type from rec_type() of rec.h, or
 * stage_on().
 */
#ifndef DLP_REC_TYPE_H
#define DLP_REC_TYPE_H

#include <stdbool.h>
#include <stddef.h>

struct rec_type;

enum rec_need { REC_OPT, REC_NEED };

struct rec_col { /* a bound column */
	const char *name;
	enum rec_need need;
	int pos; /* field number under the current legend, or -1 */
};

const char *rec_type_tag(const struct rec_type *t);

/* Binds a column. If the legend does not have a needed column, the first record
 * of the type is fatal, with a message that names the command that adds the
 * column. The result lives as long as the reader. */
struct rec_col *rec_col(
    struct rec_type *t, const char *name, enum rec_need need);

/*
 * Binds several columns: each entry has the place for the result, and the name.
 *
 *	REC_COLS(kern, REC_NEED, { &k.start, "start_ns" });
 *	REC_COLS(kern, REC_OPT, { &k.dev, "dev" }, { &k.src, "src" });
 */
struct rec_bind {
	struct rec_col **to;
	const char *name;
};

#define REC_COLS(type, need, ...)                                              \
	rec_cols(type, need, (const struct rec_bind[]){ __VA_ARGS__ },         \
	    sizeof((const struct rec_bind[]){ __VA_ARGS__ }) /                 \
		sizeof(struct rec_bind))

/* As rec_col() for each of the n, in their order. */
void rec_cols(
    struct rec_type *t, enum rec_need need, const struct rec_bind *b, size_t n);

/* The number of columns of the current legend; the other: their names (without
 * the tag). */
int rec_ncols(const struct rec_type *t);
const char *rec_colname(const struct rec_type *t, int i);

/* The rest is for the reader only. */
struct rec_type {
	struct rec_type *next; /* in its slot */
	char *tag;
	size_t taglen;
	struct rec_col **cols; /* bound columns */
	int ncols;
	char **names; /* under the current legend */
	int nnames;
	bool has_legend, checked;
	void *arg;                /* rec_arg() of rec.h */
	struct stage_type *stage; /* for stage.c only */
};

/* A type for the tag s[0..n), which is copied. */
struct rec_type *rec_type_new(const char *s, size_t n);
void rec_type_free(struct rec_type *t);

/* Takes a legend: s[0..n) is the text after the tag, from the TAB on. */
void rec_type_legend(struct rec_type *t, const char *s, size_t n);

/* A needed column that the legend does not have; NULL if it has all. */
const struct rec_col *rec_type_lacks(const struct rec_type *t);

#endif
