/*
 * A fitted table: the rows that are kept, and what is made of them, a layout
 * that later rows follow.
 */
#ifndef FMT_TABLE_H
#define FMT_TABLE_H

#include "cut.h"
#include "fit.h"
#include "fmt.h"
#include "human.h"

struct shown { /* a cell: its place in text */
	size_t at, n;
	int width;
	bool num;
};

struct place { /* a column of the table */
	bool right, scaled;
	struct human unit;
	struct buf head;
	size_t head2; /* where the header's second line begins; 0: it has one */
	struct cut_col *cut;
};

struct table {
	struct buf text;
	struct shown *kept; /* rows of cells */
	int nkept;
	struct place *place; /* NULL before the layout is made */
	struct fit_col *fits;
	int nplace; /* columns that have room */
};

/* Makes the layout of the kept rows; columns without room are warned of. True
 * if a header has two lines. */
bool table_lay(struct table *t, const struct fmt *f);

#endif
