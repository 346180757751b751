/*
 * A dialect knows one kind of profile database: it recognises it, writes its
 * facts, and says which tables hold events and how a row becomes an event.
 * The core does the rest: it scans, joins, merges, selects and writes. Its
 * tools: schema.h for the database, emit.h for facts; profile.c lists the
 * dialects.
 */
#ifndef DLP_PARSE_DIALECT_H
#define DLP_PARSE_DIALECT_H

#include <sqlite3.h>
#include <stdbool.h>

#include "buf.h"
#include "event.h"

struct profile;
struct ev_source;

/*
 * Makes the event of a row, whose columns are given. ev is zeroed except kind,
 * and its int64 fields of the common part are EV_UNSET. Column 0 is the
 * key; the source's cols follow from column 1. False: the row is none of
 * this source's events, or is damaged (then source_bad_row() counts it).
 */
typedef bool row_fn(void *ctx, const struct ev_source *s, sqlite3_value **col,
    struct event *ev);

/*
 * Rows of one table in the table's order. The core builds
 *	SELECT key, cols FROM from [WHERE where] ORDER BY key
 * and, once before, a cheap pass over all rows that learns how far they are
 * out of start order and which calls launched which GPU work:
 *	pick, start, end, gid, corr, twin, key FROM from [WHERE where]
 * Strings are SQL expressions, allocated, freed by the core; NULL is the
 * default in brackets.
 */
struct ev_source {
	struct ev_sources *of;
	enum ev_kind kind;
	const char *table; /* for messages; static */
	row_fn *row;
	int tag;       /* the dialect's own */
	bool launches; /* GPU work with its call in the same row */
	bool keyless;  /* row() has no use for column 0, nor the window */
	bool apart;    /* a second thread may read its rows, from another
			  connection: row() and picked() change nothing that
			  those of other sources use, or that the dialect uses
			  while events are written */
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

struct ev_sources { /* of a profile; stays where it is */
	struct ev_source *v;
	int n, cap;
	_Atomic uint64_t bad_rows; /* damaged rows, counted by both threads */
	unsigned functions;        /* SQL functions made for cursors */
};

/* A new source, all NULL; valid until the next one is added. */
struct ev_source *source_add(
    struct ev_sources *ss, enum ev_kind kind, const char *table, row_fn *row);

void sources_free(struct ev_sources *ss);

/* Counts a damaged row, for ##note bad_rows. */
void source_bad_row(const struct ev_source *s);

struct work_op {                          /* the op of a call or GPU work */
	int64_t op_id, inst_id, op_start; /* EV_UNSET: unset */
	const char *op, *dir;             /* escaped; NULL: unset */
	bool none;                        /* a call of no op */
};

struct dialect {
	const char *name;
	/* Whether this is a database of the dialect. No side effects. */
	bool (*probe)(sqlite3 *db);
	/* Adds to p->sources those in p->db; the result is the ctx of all
	 * below. */
	void *(*open)(struct profile *p);
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
	/* Gets source.pick of each row, EV_UNSET if it is NULL, the row's
	 * rowid, start and end, as they are there; called in the first pass,
	 * with the connection that the source is read from. May be NULL if no
	 * source has one. */
	void (*picked)(void *ctx, sqlite3 *db, const struct ev_source *s,
	    int64_t value, int64_t row, int64_t start, int64_t end);
	/* Databases that hold ops, all three or none: a run begins (wanted: by
	 * the options), or ends; and the op that a call or GPU work belongs
	 * to, counted there: false if it has none. They write the records of
	 * ops and runs. */
	void (*run)(void *ctx, const struct event *ev, bool wanted);
	void (*run_end)(void *ctx, const struct event *ev);
	bool (*work)(void *ctx, const struct event *ev, struct work_op *op);
	/* The recorder's option that supplies such events: "--trace=nvtx".
	 * May be NULL, and give NULL. */
	const char *(*option)(enum ev_kind kind);
};

#endif
