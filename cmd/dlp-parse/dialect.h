/*
 * A dialect knows one kind of profile database: it recognises it, writes its
 * facts, lists the tables that hold events, and turns a row into an event. The
 * core does the rest: it scans, joins, merges, selects and writes. A dialect
 * uses schema.h to read the database and emit.h to write facts; profile.c lists
 * the dialects.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "event.h"
#include "map.h"

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

/* How source_row() reads a column. */
enum ev_as {
	AS_NOTHING, /* the source's own row function reads it */
	AS_END,
	AS_NUM,     /* up to here: the number itself */
	AS_START,   /* a row without it is damaged */
	AS_NONZERO, /* 0: unset */
	AS_U32,     /* 2^32 - 1: unset */
	AS_ID32,    /* the same, and -1 */
	AS_PROCESS, /* a global id of Nsight Systems: pid, */
	AS_THREAD,  /* pid and tid */
	AS_WORD,    /* a number that stands for a word */
	AS_TEXT,    /* the event's text */
};

struct ev_words { /* numbers from `first` up to `end` as words; NULL: unset */
	int64_t first, end;
	const char *v[16];
};

struct ev_col {
	const char *name;
	enum ev_as as;
	size_t to; /* where in struct event */
	const struct ev_words *words;
};
#define AT(member) offsetof(struct event, member)
#define C_AS(column, how)                                                      \
	{                                                                      \
		.name = column, .as = how                                      \
	}
#define C_TO(column, how, member)                                              \
	{                                                                      \
		.name = column, .as = how, .to = AT(member)                    \
	}
#define C_WORD(column, member, list)                                           \
	{                                                                      \
		.name = column, .as = AS_WORD, .to = AT(member),               \
		.words = &list                                                 \
	}
#define C_NUM(column, member) C_TO(column, AS_NUM, member)
#define C_NONE(column) C_AS(column, AS_NOTHING)
#define C_START(column) C_TO(column, AS_START, start)
#define C_END(column) C_TO(column, AS_END, end)
#define C_SPAN C_START("start"), C_END("end")

/* A table with events; its columns end with a name NULL. */
struct ev_table {
	enum ev_kind kind;
	const char *name;
	row_fn *row;       /* source_row(), or a function that calls it */
	const char *label; /* event.label of all its rows */
	struct ev_col cols[24];
};

/*
 * Rows of one table in the table's order. The core builds
 *	SELECT key, cols FROM from [WHERE where] ORDER BY key
 * and, once before, a cheap pass over all rows, which finds how far they are
 * out of start order and which calls launched which GPU work:
 *	pick, start, end, gid, corr, twin, key FROM from [WHERE where]
 * Strings are SQL expressions, constant or made by source_sql(); NULL means the
 * default in brackets.
 */
struct ev_source {
	struct ev_sources *of;
	const struct ev_table *layout; /* for source_row() */
	enum ev_kind kind;
	const char *table; /* for messages */
	row_fn *row;
	int tag; /* the dialect's own */
	/* For source_row(): a value of another type than an integer is unset,
	 * of the start, or of all columns. */
	enum ev_int { INT_NONE, INT_START, INT_ALL } only_int;
	bool launches;     /* GPU work with its call in the same row */
	bool keyless;      /* row() and the window do not use column 0 */
	bool unordered;    /* its rows may be in any order, which is nothing to
			    * report */
	bool apart;        /* A second thread may read its rows, from another
			    * connection: row() and picked() change nothing that
			    * other sources use, or that the dialect uses while
			    * events are written. */
	const char *from;  /* table, or a join */
	const char *where; /* [none] must select the same rows in both
			    * statements */
	const char *key;   /* [rowid] unique, ascending in table order */
	const char *cols; /* "a, b, c": NULL stands for a column that is missing
			   */
	const char *start, *end; /* [NULL] raw: compared only with each other */
	const char *gid;  /* [NULL] what dialect.pid() takes: calls, GPU work;
			     the process itself if there is no pid() */
	const char *corr; /* [NULL] calls and GPU work */
	const char *twin; /* [NULL] equals twin_is in rows whose ev.call.twin is
			   * set */
	int64_t twin_is;
	const char *pick; /* [NULL] an integer by which picked() recognises the
			   * rows that the dialect needs before the merge */
};

struct ev_sources { /* of a profile; never moved */
	struct ev_source *v;
	int n, cap;
	sqlite3 *db;
	struct store sql;     /* texts of source_sql() */
	int64_t t0;           /* the origin of the file's times */
	enum ev_int only_int; /* of the sources added from now on */
	bool zero_untimed;    /* a time of 0 could not be recorded */
	uint64_t untimed;     /* rows with such a start */
	/* False for a column that no record shows: it reads as NULL. */
	bool (*shown)(
	    const struct profile *p, enum ev_kind kind, const char *column);
	_Atomic uint64_t bad_rows; /* damaged rows, counted by both threads */
	unsigned lost_kinds;       /* 1 << kind: source_needs() was false */
	unsigned functions;        /* SQL functions made for cursors */
};

/* A new source, all NULL; valid until the next one is added. */
struct ev_source *source_add(
    struct ev_sources *ss, enum ev_kind kind, const char *table, row_fn *row);
/* A source over a table and its columns; NULL if the file does not have the
 * table or its start column. */
struct ev_source *source_table(struct profile *p, const struct ev_table *t);

void sources_free(struct ev_sources *ss);

/* A piece of SQL that lives as long as the sources. source_col(): the quoted
 * name if the table has the column, otherwise NULL. */
const char *source_sql(struct ev_sources *ss, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *source_col(
    struct ev_sources *ss, const char *table, const char *name);

/* True if the table of such events has the column. Otherwise its rows are lost:
 * this says so, and counts them for ##note bad_rows. */
bool source_needs(struct ev_sources *ss, enum ev_kind kind, const char *table,
    const char *column);

/* Counts a damaged row, for ##note bad_rows. */
void source_bad_row(const struct ev_source *s);

/* Makes an event of a row as the columns of the source's table say. */
row_fn source_row;

/* The parts of a global id of Nsight Systems; they are 8, 8, 24 and 24 bits,
 * and the number may be negative. */
static inline int64_t
gid_pid(int64_t gid)
{
	return (int64_t)((uint64_t)gid >> 24 & 0xffffff);
}

static inline int64_t
gid_tid(int64_t gid)
{
	return (int64_t)((uint64_t)gid & 0xffffff);
}

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
    dialect_rocpd, dialect_kineto;
