/*
 * Tables on standard output: CSV, TSV, JSON, or columns for people; and rows
 * that are made or written by a second thread.
 *
 * A row is given as its values with TABs between them, texts escaped as in
 * records; an empty one is unset.
 */
#ifndef STATS_SINK_H
#define STATS_SINK_H

#include <pthread.h>
#include <stdio.h>

#include "writer.h"

/*
 * Rows of a long table are written by a thread, while the next ones are made.
 *
 *	behind_row(b, f, ctx, s, n);	f(ctx, s, n), at once or later
 *	behind_end(b);			all have been
 *
 * Between the first row and the end f and ctx are the same. What they use is
 * the thread's alone: the caller touches neither that nor out_buf. The thread
 * touches nothing else but what is listed under the lock.
 */
typedef void behind_fn(void *ctx, const char *s, size_t n);

struct behind { /* all zero */
	behind_fn *fn;
	void *ctx;
	struct buf making; /* rows, each with its length before it */
	size_t written;    /* bytes of the table, without the thread */
	bool has_thread, no_thread;
	pthread_t thread;
	/* what both look at, and the lock over it */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct buf block; /* to be written, if full is set */
	bool full, done;  /* done: nothing comes behind it */
};

void behind_row(
    struct behind *b, behind_fn *f, void *ctx, const char *s, size_t n);
void behind_end(struct behind *b);

struct report_table {
	const char *name; /* of the report */
	const char *title;
	const char *const *cols; /* heads; # before it: numbers */
	int ncols;
};

#define SINK_COLS 40 /* of a table, at most */

struct stats_sink {
	const struct writer_format *format; /* NULL: columns for people */
	bool json;
	bool named; /* JSON: tables are told apart, by report and file */
	bool first; /* no table has begun */
	bool begun, any_row; /* of this table */
	const struct report_table *table;
	const char *file;
	struct writer writer;
	struct writer_col col[SINK_COLS];
	struct behind behind;
	/* columns */
	size_t width[SINK_COLS];
	FILE *rows;
	struct buf cell;
};

/* False: there is no such format. named: each table is told apart, by report
 * and file, in the formats that can. */
bool sink_open(struct stats_sink *k, const char *format, bool named);
void sink_close(struct stats_sink *k);

void sink_begin(
    struct stats_sink *k, const struct report_table *t, const char *file);
/* By way of the thread; and at once, which is for a function that is there
 * already: ctx is the sink. */
void sink_row(struct stats_sink *k, const char *s, size_t n);
void sink_row_now(void *ctx, const char *s, size_t n);
bool sink_end(struct stats_sink *k); /* whether there was a row */

#endif
