/*
 * The dialect of Nsight Systems. nsys.c knows the database, nsys_rows.c has the
 * tables with events, nsys_stack.c their call stacks, nsys_facts.c the facts of
 * the session.
 */
#pragma once

#include "dialect.h"
#include "json_tok.h"
#include "map.h"

enum stack_table { STACK_CUDA, STACK_OS, STACK_SAMPLE, STACK_TABLES };

struct nsys {
	struct profile *prof;
	sqlite3 *db;
	sqlite3_stmt *string; /* StringIds by id; NULL without the table */
	int schema;           /* 3.24.0 is 3024; 0 if unknown */
	struct map devs;      /* devices with kernels, if no table lists GPUs */
	struct map domains;   /* process and domain id -> name, below */
	struct smap domain_names;
	struct map threads;  /* gid -> name by NVTX, in domain_names */
	sqlite3_stmt *other; /* an NVTX row that is not an event */
	sqlite3_stmt *value; /* the last query of nsys_value() */
	const char *value_sql;
	sqlite3_stmt *devs_listed; /* the GPUs in TARGET_INFO_GPU */
	uint64_t nvtx_other, os_other;
	/* the last times of NVTX, of ranges, of push/pop ranges */
	int64_t nvtx_end, range_end, push_end;
	uint64_t unknown_domains;
	uint64_t views;       /* views that have the name of a table we read */
	struct {              /* nsys_stack.c */
		bool py_lost; /* stacks of Python were recorded, and not
			       * exported */
		const char *json_col; /* the column that has them, or NULL */
		sqlite3_stmt *frames[STACK_TABLES], *payload;
		int64_t shift[STACK_TABLES]; /* of their ids */
		struct map of_call; /* key of a call -> id of its stack */
		struct map py_call; /* the same -> its row in NVTX_EVENTS */
		struct json_doc json;
		struct buf text; /* of a frame of Python */
	} stack;
};

/* As source_table(); says so if a view has the table's name. */
struct ev_source *nsys_source(struct nsys *ns, const struct ev_table *t);

/* The text of a string id; see dialect.string. */
bool nsys_string(void *ctx, int64_t id, struct buf *out);

/* The text of a query for one value, with its argument ?1; NULL if there is no
 * row or the table is missing. The caller frees it. sql must be constant. */
char *nsys_value(
    struct nsys *ns, const char *table, const char *sql, const char *arg);

/* Makes sources of the tables; see dialect.picked. */
void nsys_add_rows(struct nsys *ns);
void nsys_picked(void *ctx, sqlite3 *db, const struct ev_source *s, int64_t v,
    int64_t row, int64_t start, int64_t end);

/* The number of recorded CUDA events whose call is not in the file, so that
 * their time is unknown. */
uint64_t nsys_events_lost(struct nsys *ns);

/* nsys_stack.c: makes sources of the samples, and reads which call has which
 * stack; see dialect.stack. */
void nsys_add_stacks(struct nsys *ns);
unsigned nsys_has_code(void *ctx);
bool nsys_code(void *ctx, const struct event *ev, struct buf *out);
bool nsys_stack(void *ctx, const struct event *ev, struct buf *out);
void nsys_close_stacks(struct nsys *ns);

/* nsys_facts.c: see dialect.facts. */
void nsys_facts(void *ctx);

/* True if a table lists the GPUs. */
bool nsys_lists_devs(struct nsys *ns);
