/*
 * A dialect knows one kind of profile database: it recognises it, tells its
 * facts, and says which tables hold events and how a row becomes an event.
 * The core does the rest: it scans, joins, merges, selects and writes.
 */
#ifndef DLP_PARSE_DIALECT_H
#define DLP_PARSE_DIALECT_H

#include <sqlite3.h>
#include <stddef.h>

#include "buf.h"
#include "event.h"

struct source;

/*
 * Makes the event of the statement's current row. ev is zeroed except kind,
 * and its int64 fields of the common part are EV_UNSET. Column 0 is the
 * key; the source's cols follow from column 1. False: the row is none of
 * this source's events, or is damaged (then count it with
 * dialect_bad_row()).
 */
typedef bool row_fn(
    void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev);

/*
 * Rows of one table in the table's order. The core builds
 *	SELECT key, cols FROM from [WHERE where] ORDER BY key
 * and, once before, a cheap pass over all rows that learns how far they are
 * out of start order and which calls launched which GPU work:
 *	key, start, end, pick, gid, corr, twin FROM from [WHERE where]
 * Strings are SQL expressions, allocated, freed by the core; NULL is the
 * default in brackets.
 */
struct source {
	enum ev_kind kind;
	const char *table; /* for messages; static */
	row_fn *row;
	int tag;     /* the dialect's own */
	char *from;  /* table, or a join */
	char *where; /* [none] must be the same rows for both statements */
	char *key;   /* [rowid] unique, ascending in table order */
	char *cols;  /* "a, b, c": NULL stands for a column that is missing */
	char *start, *end; /* [NULL] raw: only compared, with itself */
	char *gid;  /* [NULL] what dialect.pid() takes: calls, GPU work; the
		       process itself if there is no pid() */
	char *corr; /* [NULL] calls and GPU work */
	char *twin; /* [0] 1 for rows whose ev.call.twin is set */
	char *pick; /* [NULL] an integer that is not NULL in rows which the
		       dialect wants to know of before the merge: picked() */
};

struct sources {
	struct source *v;
	int n, cap;
};

/* A new source, all NULL; valid until the next one is added. */
struct source *source_add(
    struct sources *ss, enum ev_kind kind, const char *table, row_fn *row);

struct dialect {
	const char *name;
	/* Whether this is a database of the dialect. No side effects. */
	bool (*probe)(sqlite3 *db);
	/* Adds the sources; the result is the ctx of all below. */
	void *(*open)(sqlite3 *db, struct sources *ss);
	void (*close)(void *ctx);
	/* Writes ##info with fact_info(), then fact_dev(), fact_proc(),
	 * fact_thread(); after the first pass, so pid_used() is known. */
	void (*facts)(void *ctx);
	/* Appends the text of a string id; false if there is none. */
	bool (*string)(void *ctx, int64_t id, struct buf *out);
	/* The same for a kernel's full name, demangled. NULL: string(). */
	bool (*kernel)(void *ctx, int64_t id, struct buf *out);
	/* The process of a gid, both in calls and in GPU work: the join key
	 * is (pid, corr). NULL: corr alone is the key, and GPU work gets the
	 * pid of its call. */
	int64_t (*pid)(int64_t gid);
	/* Writes notes with stage_note(), after the last event. May be
	 * NULL. */
	void (*notes)(void *ctx);
	/* Gets the values of source.pick; called in the first pass. May be
	 * NULL if no source has one. */
	void (*picked)(void *ctx, const struct source *s, int64_t value);
	/* The recorder's option that supplies such events: "--trace=nvtx".
	 * May be NULL, and give NULL. */
	const char *(*option)(enum ev_kind kind);
};

extern const struct dialect dialect_nsys, dialect_nvprof;

void dialect_bad_row(void); /* counted in ##note bad_rows */

/* facts */
struct dev_fact {
	int64_t dev;
	const char *name;           /* NULL: unset */
	int64_t cc_major, cc_minor; /* EV_UNSET: unset, as all below */
	int64_t n_sm, clock_hz, mem_bytes, membw_bytes_s;
	const char *uuid;
};

void fact_info(const char *name, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void fact_dev(const struct dev_fact *d);
void fact_proc(int64_t pid, const char *name);
void fact_thread(int64_t pid, int64_t tid, const char *name);

/* Whether the process has calls or GPU work. */
bool pid_used(int64_t pid);

/* The schema, for the dialects (schema.c). Views do not count as tables. */
bool db_has_table(sqlite3 *db, const char *table);
bool db_has_column(sqlite3 *db, const char *table, const char *column);

/* "a, b, NULL" for the names (NULL ends the list): those the table lacks are
 * NULL. To be freed. */
char *db_cols(sqlite3 *db, const char *table, const char *const *names);

/* The quoted name if the table has it, else NULL: for source.gid etc. To be
 * freed. */
char *db_col(sqlite3 *db, const char *table, const char *name);

/* Prepares; fatal with the database's message if it cannot. */
sqlite3_stmt *db_prepare(sqlite3 *db, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* sqlite3_step for a query: true for a row; any error is fatal, one line,
 * because a result that is not whole must not look whole. */
bool db_step(sqlite3_stmt *st);

/* A value as an integer, EV_UNSET if it is NULL; and column i so. */
static inline int64_t
db_value(sqlite3_value *v)
{
	if (sqlite3_value_type(v) == SQLITE_NULL)
		return EV_UNSET;
	return sqlite3_value_int64(v);
}

static inline int64_t
db_i64(sqlite3_stmt *st, int i)
{
	return db_value(sqlite3_column_value(st, i));
}

/* Column i as text and its length, NULL if it is NULL; valid until the next
 * step. */
const char *db_text(sqlite3_stmt *st, int i, uint32_t *n);

/* Tables that are not read: notes say how many rows they have, the sum of
 * those with the same note, which follow one another. */
struct left_out {
	const char *table, *note;
};
void db_note_rows(sqlite3 *db, const struct left_out *v, size_t n);

/* The file's name, for messages. */
const char *db_path(void);

#endif
