/* Tables with events, and how their rows are read. */
#ifndef DLP_PARSE_SOURCE_H
#define DLP_PARSE_SOURCE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "event.h"

struct source;

/*
 * Makes the event of a row, whose columns are given. ev is zeroed except kind,
 * and its int64 fields of the common part are EV_UNSET. Column 0 is the
 * key; the source's cols follow from column 1. False: the row is none of
 * this source's events, or is damaged (then count it with
 * source_bad_row()).
 */
typedef bool row_fn(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev);

/*
 * Rows of one table in the table's order. The core builds
 *	SELECT key, cols FROM from [WHERE where] ORDER BY key
 * and, once before, a cheap pass over all rows that learns how far they are
 * out of start order and which calls launched which GPU work:
 *	pick, start, end, gid, corr, twin, key FROM from [WHERE where]
 * Strings are SQL expressions, allocated, freed by the core; NULL is the
 * default in brackets.
 */
struct source {
	enum ev_kind kind;
	const char *table; /* for messages; static */
	row_fn *row;
	int tag;       /* the dialect's own */
	bool launches; /* GPU work with its call in the same row */
	bool keyless;  /* row() has no use for column 0, nor the window */
	bool apart;    /* row() and picked() share nothing that changes with
			  those of other sources, nor with what else the
			  dialect does while events are written: its rows
			  may be read in another thread, from another
			  connection */
	char *from;    /* table, or a join */
	char *where;   /* [none] must be the same rows for both statements */
	char *key;     /* [rowid] unique, ascending in table order */
	char *cols;    /* "a, b, c": NULL stands for a column that is missing */
	char *start, *end; /* [NULL] raw: only compared, with itself */
	char *gid;  /* [NULL] what dialect.pid() takes: calls, GPU work; the
		       process itself if there is no pid() */
	char *corr; /* [NULL] calls and GPU work */
	char *twin; /* [NULL] twin_is in rows whose ev.call.twin is set */
	int64_t twin_is;
	char *pick; /* [NULL] an integer that tells which rows the dialect wants
		       to know of before the merge: picked() */
};

struct sources {
	struct source *v;
	int n, cap;
};

/* A new source, all NULL; valid until the next one is added. */
struct source *source_add(
    struct sources *ss, enum ev_kind kind, const char *table, row_fn *row);

void sources_free(struct sources *ss);

/* A damaged row: counted in ##note bad_rows. */
void source_bad_row(void);
uint64_t source_bad_rows(void);

#endif
