/*
 * A dialect knows one kind of profile database: it recognises it, tells its
 * facts, and says which tables hold events and how a row becomes an event.
 * The core does the rest: it scans, joins, merges, selects and writes. Its
 * tools: source.h for rows, schema.h for the database, facts.h for facts;
 * profile.c lists the dialects.
 */
#ifndef DLP_PARSE_DIALECT_H
#define DLP_PARSE_DIALECT_H

#include <sqlite3.h>

#include "buf.h"
#include "source.h"

struct work_op { /* what the columns of work say of its op */
	int64_t op_id, inst_id, op_start; /* EV_UNSET: unset */
	const char *op, *dir;             /* escaped; NULL: unset */
	bool none;                        /* a call of no op */
};

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
	/* Gets source.pick of each row, EV_UNSET if it is NULL, the row's
	 * rowid, start and end, as they are there; called in the first pass,
	 * with the connection that the source is read from. May be NULL if no
	 * source has one. */
	void (*picked)(void *ctx, sqlite3 *db, const struct source *s,
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
