/* Some rows of a table as events, read at once. */
#ifndef DLP_PARSE_BATCH_H
#define DLP_PARSE_BATCH_H

#include <stdbool.h>

#include "buf.h"
#include "event.h"

#define BATCH_ROWS 64    /* rows read at once */
#define BATCH_TEXT 65536 /* bytes of text that end a batch early */

struct batch {
	struct event ev[BATCH_ROWS]; /* their texts: from text_at */
	int64_t key[BATCH_ROWS];
	size_t text_at[BATCH_ROWS];
	int n, next;
	bool last; /* of the table */
	struct buf text;
};

/* Reads the next rows into an empty batch. */
typedef void batch_fn(void *ctx, struct batch *b);

#endif
