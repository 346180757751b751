/*
 * How a table gets into its width. Numbers have what they need; the widest
 * text gives way first, but stays readable; where that is not enough, the
 * last columns have no room.
 *
 * Texts that are wider than their column are cut inside, so that both ends
 * show. Names of kernels and layers often differ in one place only: the cut
 * is moved, for all of a column, or else for a single text, until texts that
 * differ look different.
 */
#ifndef FMT_FIT_H
#define FMT_FIT_H

#include <stdbool.h>

#include "buf.h"

#define FIT_GAP 2 /* blanks between columns */

struct fit_col {
	int want;  /* as wide as its widest value or its header */
	int tight; /* the same with a header in two lines */
	int head;  /* the header, in one line */
	bool num;  /* never cut */
	bool copy; /* neither, as people copy it: rather a line is too long */
	int width; /* the result */
};

/* Sets the widths so that the columns fit into room: first by headers in two
 * lines, then by cutting the widest text. Returns how many columns, from the
 * left, have room at all; *split: headers take two lines. With a column that
 * is copied all have, be there room or not. */
int fit(struct fit_col *c, int n, int room, bool *split);

/* The same for one row, whose numbers need need[i] columns: takes what they
 * lack from the widest text. width[i] is set. */
void fit_row(const struct fit_col *c, int n, const int *need, int *width);

#define CUT_MARK ".." /* stands for what was cut */

/* Appends the shown text s[0..n) in just width columns: as many as fit of
 * head columns of its beginning, the mark, and of its end. head < 0: what
 * suits the text. */
void cut_put(struct buf *b, const char *s, size_t n, int width, int head);

/* Where the texts of a column are cut. A text that fits takes no part. */
struct cut_col;

struct cut_col *cut_new(int width);
void cut_add(struct cut_col *c, const char *s, size_t n, int text_width);
/* After all were added: chooses the places so that texts that differ look
 * different where that can be. */
void cut_choose(struct cut_col *c);
/* Appends the text, cut there; also one that was not added. */
void cut_text(const struct cut_col *c, struct buf *b, const char *s, size_t n);
void cut_free(struct cut_col *c); /* NULL too */

#endif
