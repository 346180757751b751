/*
 * Tables on standard output: CSV, TSV, JSON, or columns for people.
 *
 * A row is given as its values with TABs between them, texts escaped as in
 * records; an empty one is unset.
 */
#ifndef STATS_SINK_H
#define STATS_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink_table {
	const char *name; /* of the report */
	const char *title;
	const char *const *cols; /* heads; # before it: numbers */
	int ncols;
};

/* False: there is no such format. named: each table is told apart, by report
 * and file, in the formats that can. */
bool sink_open(const char *format, bool named);
void sink_close(void);

void sink_begin(const struct sink_table *t, const char *file);
void sink_row(const char *s, size_t n);     /* by way of behind.h */
void sink_row_now(const char *s, size_t n); /* for such a function */
bool sink_end(void);                        /* whether there was a row */

#endif
