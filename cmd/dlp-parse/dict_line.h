/* A line of PyProf's .dict. */
#ifndef DLP_PARSE_DICT_LINE_H
#define DLP_PARSE_DICT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "mview.h"

#define DICT_PATH 64 /* ranges around one launch, at most */

struct dict_line {       /* zeroed; its buffers are used again */
	struct buf name; /* full */
	int64_t row;     /* place in the file, from 1 */
	int64_t dur, tid, dev, stream, grid[3], block[3];
	int64_t seq; /* first sequence id, or EV_UNSET */
	bool bwd;
	/* The ranges around its launch, outermost first, as their texts. */
	struct buf path[DICT_PATH];
	int n, first_marker, n_marker;  /* argument markers among them */
	bool numbered;                  /* it has a sequence id other than 0 */
	struct mview own, node, ranges; /* the values of our keys, views into
					   the line; s NULL: none */
};

/* Reads a line; false if it is no dict, or lacks the name or duration. */
bool dict_line(struct dict_line *d, const char *s, size_t n);
void dict_line_free(struct dict_line *d);

#endif
