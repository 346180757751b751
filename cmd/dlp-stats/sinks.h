/* What the formats have in common. */
#ifndef STATS_SINKS_H
#define STATS_SINKS_H

#include "buf.h"
#include "sink.h"

#define MAX_COLS 40 /* of a table */

struct sink_kind {
	const char *name;
	bool empty;               /* tables without rows are written, too */
	void (*open)(bool named); /* all but row may be NULL */
	void (*begin)(const struct sink_table *t, const char *file, bool first);
	void (*row)(const struct sink_table *t, const char *s, size_t n);
	void (*end)(void);
	void (*close)(void);
};

extern const struct sink_kind sink_csv, sink_tsv, sink_json, sink_column;

/* The next value of a row; false behind the last. */
bool cell_next(const char **s, const char *e, const char **v, size_t *n);

/* The text's bytes, valid UTF-8: U+FFFD where they are none; control
 * characters as text only if keep is not set. Returns the characters. */
size_t cell_utf8(struct buf *b, const char *s, size_t n, bool keep);

/* A column's head without the mark of numbers. */
const char *head_text(const char *col);

#endif
