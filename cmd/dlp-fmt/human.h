/* Units for people: columns whose names end in one (dur_ns, sum_bytes). */
#ifndef HUMAN_H
#define HUMAN_H

#include "buf.h"

struct human {
	const char *from, *to; /* units: ns, ms */
	double one;            /* 1 to, in from */
	int decimals;
};

/* The unit for a column of that name whose largest value is that, in the unit
 * of its name; false if the name has none, or it is the best already. */
bool human_unit(struct human *h, const char *name, double largest);

/* The same for columns that are compared, of all of which that is the largest
 * value: smaller units, more digits. */
bool human_unit_shared(struct human *h, const char *name, double largest);

/* Whether two columns have the same unit. */
bool human_same_unit(const char *a, const char *b);

/* Append the column's header, and a value; what is no number stays. */
void human_head(const struct human *h, struct buf *b, const char *head);
void human_put(const struct human *h, struct buf *b, const char *s, size_t n);

#endif
