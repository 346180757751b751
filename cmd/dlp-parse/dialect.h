/*
 * A dialect knows one kind of profile database: it recognises it, writes its
 * facts, lists the tables that hold events, and turns a row into an event. The
 * core does the rest: it scans, joins, merges, selects and writes. A dialect
 * uses schema.h to read the database and emit.h to write facts; profile.c lists
 * the dialects.
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
 * Turns a row, given by its columns, into an event. ev is zeroed except kind,
 * and its int64 fields of the common part are EV_UNSET. Column 0 is the key;
 * the source's cols follow from column 1. False if the row is not an event of
 * this source, or is damaged (then source_bad_row() counts it).
 */
typedef bool row_fn(void *ctx, const struct ev_source *s, sqlite3_value **col,
    struct event *ev);

/*
 * Rows of one table in the table's order. The core builds
 *	SELECT key, cols FROM from [WHERE where] ORDER BY key
 * and, once before, a cheap pass over all rows, which finds how far they are
 * out of start order and which calls launched which GPU work:
 *	pick, start, end, gid, corr, twin, key FROM from [WHERE where]
 * Strings are SQL expressions, allocated, freed by the core; NULL means the
 * default in brackets.
 */
struct ev_source {
	struct ev_sources *of;
	enum ev_kind kind;
	const char *table; /* for messages; static */
	row_fn *row;
	int tag;        /* the dialect's own */
	bool launches;  /* GPU work with its call in the same row */
	bool keyless;   /* row() and the window do not use column 0 */
	bool unordered; /* its rows may be in any order, which is nothing to
			 * report */
	bool apart;     /* A second thread may read its rows, from another
			 * connection: row() and picked() change nothing that
			 * other sources use, or that the dialect uses while
			 * events are written. */
	char *from;     /* table, or a join */
	char *where; /* [none] must select the same rows in both statements */
	char *key;   /* [rowid] unique, ascending in table order */
	char *cols;  /* "a, b, c": NULL stands for a column that is missing */
	char *start, *end; /* [NULL] raw: compared only with each other */
	char *gid;  /* [NULL] what dialect.pid() takes: calls, GPU work; the
		       process itself if there is no pid() */
	char *corr; /* [NULL] calls and GPU work */
	char *twin; /* [NULL] equals twin_is in rows whose ev.call.twin is
		     * set */
	int64_t twin_is;
	char *pick; /* [NULL] an integer by which picked() recognises the
		     * rows that the dialect needs before the merge */
};

struct ev_sources { /* of a profile; never moved */
	struct ev_source *v;
	int n, cap;
	_Atomic uint64_t bad_rows; /* damaged rows, counted by both threads */
	unsigned lost_kinds;       /* 1 << kind: source_needs() was false */
	unsigned functions;        /* SQL functions made for cursors */
};

/* A new source, all NULL; valid until the next one is added. */
struct ev_source *source_add(
    struct ev_sources *ss, enum ev_kind kind, const char *table, row_fn *row);

void sources_free(struct ev_sources *ss);

/* True if the table of such events has the column. Otherwise its rows are lost:
 * this says so, and counts them for ##note bad_rows. */
bool source_needs(struct ev_sources *ss, sqlite3 *db, enum ev_kind kind,
    const char *table, const char *column);

/* Counts a damaged row, for ##note bad_rows. */
void source_bad_row(const struct ev_source *s);

struct work_op {                          /* the op of a call or GPU work */
	int64_t op_id, inst_id, op_start; /* EV_UNSET: unset */
	const char *op, *dir;             /* escaped; NULL: unset */
	bool none;                        /* the call belongs to no op */
};

enum {
	CODE_CALLS = 1, /* calls and the GPU work that they launch */
	CODE_OS = 2,
	CODE_SPANS = 4 /* a sample has an end: its stack stayed so until then */
};

struct dialect {
	const char *name;
	/* How much the database looks like one of the dialect, in tables and
	 * columns that only this dialect has; 0: not at all. No single one
	 * decides, because a file may have lost or renamed it. No side
	 * effects. */
	int (*probe)(sqlite3 *db);
	/* The table of strings, for a message. */
	const char *strings;
	/* Adds sources for the tables in p->db to p->sources. Returns the ctx
	 * that all functions below get. */
	void *(*open)(struct profile *p);
	void (*close)(void *ctx);
	/* Writes ##info with fact_info(), then fact_dev(), fact_proc(),
	 * fact_thread(). Called after the first pass, so that pid_used() is
	 * known. */
	void (*facts)(void *ctx);
	/* Appends the text of a string id; false if the id has no text. */
	bool (*string)(void *ctx, int64_t id, struct buf *out);
	/* The same for a kernel's full name, demangled. If NULL, string() is
	 * used. */
	bool (*kernel)(void *ctx, int64_t id, struct buf *out);
	/* The process of a gid, for calls and for GPU work: the join key is
	 * (pid, corr). If NULL, corr alone is the key, and GPU work gets the
	 * pid of its call. */
	int64_t (*pid)(int64_t gid);
	/* Writes notes with stage_note(), after the last event. May be
	 * NULL. */
	void (*notes)(void *ctx);
	/* Called in the first pass for each row, with the value of source.pick
	 * (EV_UNSET if it is NULL) and the row's rowid, start and end, as they
	 * are in the file; db is the connection that the source is read from.
	 * May be NULL if no source has a pick. */
	void (*picked)(void *ctx, sqlite3 *db, const struct ev_source *s,
	    int64_t value, int64_t row, int64_t start, int64_t end);
	/* For databases that hold ops; either all three are set or none. run: a
	 * run begins (wanted: the options select it). run_end: a run ends.
	 * work: finds the op that a call or GPU work belongs to and adds the
	 * work to it; false if there is no op. They write the records of ops
	 * and runs. */
	void (*run)(void *ctx, const struct event *ev, bool wanted);
	void (*run_end)(void *ctx, const struct event *ev);
	bool (*work)(void *ctx, const struct event *ev, struct work_op *op);
	/* Call stacks; all three are set or none. has_code: CODE_* of what
	 * the file has.
	 * code: appends the innermost place in the user's own code at which a
	 * call, a call of the operating system or a sample was made; false if
	 * none is known. stack: the frames of a sample, the outermost first,
	 * joined by semicolons. */
	unsigned (*has_code)(void *ctx);
	bool (*code)(void *ctx, const struct event *ev, struct buf *out);
	bool (*stack)(void *ctx, const struct event *ev, struct buf *out);
	/* The recorder's option that records such events: "--trace=nvtx". May
	 * be NULL, and may return NULL. */
	const char *(*option)(enum ev_kind kind);
	/* Events of memory are those of an allocator in the program, which
	 * says how much it has given out. */
	bool allocator;
};

extern const struct dialect dialect_nsys, dialect_nvprof, dialect_dldb,
    dialect_rocpd;

#endif
