/*
 * Tables on standard output: CSV, TSV, JSON, or columns for people; and a
 * second thread that makes or writes rows.
 *
 * A row is given as its values with TABs between them, texts escaped as in
 * records; an empty value is unset.
 */
#ifndef STATS_SINK_H
#define STATS_SINK_H

#include <pthread.h>
#include <stdio.h>

#include "writer.h"

/*
 * A thread writes the rows of a long table while the next ones are made.
 *
 *	behind_row(b, f, ctx, s, n): f(ctx, s, n) is called, at once or later
 *	behind_end(b): all calls have been made
 *
 * f and ctx must not change between the first row and the end. The thread owns
 * whatever f uses: the caller touches neither that nor out_buf. The thread
 * touches nothing but that and the members listed under the lock.
 */
typedef void behind_fn(void *ctx, const char *s, size_t n);

struct behind { /* all zero */
	behind_fn *fn;
	void *ctx;
	struct buf making; /* rows, each preceded by its length */
	size_t written;    /* bytes of the table written without the thread */
	bool has_thread, no_thread;
	pthread_t thread;
	/* used by both threads, with a lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct buf block; /* to be written if full is set */
	bool full, done;  /* done: nothing follows */
};

void behind_row(
    struct behind *b, behind_fn *f, void *ctx, const char *s, size_t n);
void behind_end(struct behind *b);

struct report_table {
	const char *name; /* of the report */
	const char *title;
	const char *const *cols; /* heads; a # before it marks numbers */
	int ncols;
};

#define SINK_COLS 40 /* the most columns of a table */

struct stats_sink {
	const struct writer_format *format; /* NULL: columns for people */
	bool json;
	bool named; /* JSON: each table has the names of its report and file */
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

/* False if the format is unknown. named: each table has the names of its report
 * and file, in formats that can. */
bool sink_open(struct stats_sink *k, const char *format, bool named);
void sink_close(struct stats_sink *k);

void sink_begin(
    struct stats_sink *k, const struct report_table *t, const char *file);
/* sink_row writes through the thread. The other writes at once and is meant for
 * functions that run in the thread: ctx is the sink. */
void sink_row(struct stats_sink *k, const char *s, size_t n);
void sink_row_now(void *ctx, const char *s, size_t n);
bool sink_end(struct stats_sink *k); /* true if there was a row */

#endif
