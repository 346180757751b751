/*
 * What all tables of Nsight Systems have in common: global ids, times,
 * numbers, string ids; and how a table becomes a source.
 */
#ifndef DLP_PARSE_NSYS_ROW_H
#define DLP_PARSE_NSYS_ROW_H

#include "buf.h"
#include "map.h"
#include "source.h"

struct nsys {
	sqlite3 *db;
	sqlite3_stmt *string; /* StringIds by id; NULL without the table */
	int schema;           /* 3.24.0 is 3024; 0 if not told */
	struct map devs;      /* that have kernels, if no table lists GPUs */
	struct map domains;   /* see nsys_nvtx.c */
	struct smap domain_names;
	struct map threads;  /* gid -> name by NVTX, in domain_names */
	sqlite3_stmt *other; /* an NVTX row that is no event */
	uint64_t nvtx_other, os_other;
	/* the last times of NVTX, of ranges, of push/pop ranges */
	int64_t nvtx_end, range_end, push_end;
	uint64_t unknown_domains;
	uint64_t views; /* views that are named like tables of ours */
};

/* The parts of a global id; they are 8, 8, 24 and 24 bits, and the number
 * may be negative. */
static inline int64_t
nsys_pid(int64_t gid)
{
	return (int64_t)((uint64_t)gid >> 24 & 0xffffff);
}

static inline int64_t
nsys_tid(int64_t gid)
{
	return (int64_t)((uint64_t)gid & 0xffffff);
}

/* Sets pid and tid from a global thread id. */
void nsys_thread(sqlite3_value *v, struct event *ev);

/* An integer; EV_UNSET if it is NULL or 4294967295. */
int64_t nsys_num(sqlite3_value *v);

/* Sets start and end from columns 2 and 3; false if there is no start. */
bool nsys_times(sqlite3_value **col, struct event *ev);

/* A source over a table with the columns `names` (NULL at the end); NULL if
 * the file has no such table, or no start in it. The first of them is the
 * one that stands last in the table: SQLite walks along a row just once if
 * that is the first column it is asked for. Then come start and end. */
struct source *nsys_source(struct nsys *ns, struct sources *ss,
    enum ev_kind kind, const char *table, row_fn *row,
    const char *const *names);

/* The text of a string id; see dialect.string. */
bool nsys_string(void *ctx, int64_t id, struct buf *out);

/* The text of a one-value query with its argument ?1, or NULL; to be freed.
 * Nothing if the table is missing. */
char *nsys_value(
    struct nsys *ns, const char *table, const char *sql, const char *arg);

/* Column i as text; NULL if it is empty. */
const char *nsys_text(sqlite3_stmt *st, int i);

/* The names of a memory kind; NULL for a number that has none. */
const char *nsys_mem_kind(int64_t kind);

#endif
