/* The widths of a table's columns. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>

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

#endif
