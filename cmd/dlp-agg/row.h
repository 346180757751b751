/* What a record tells its group, apart from the record. */
#ifndef AGG_ROW_H
#define AGG_ROW_H

#include "group.h"

struct row_val {       /* of a field */
	const char *s; /* NULL: unset */
	size_t n;
	bool frac; /* of a number: which of v is set */
	union num v;
};

struct row {
	struct row_val *val; /* per field */
	bool has_ivl;        /* the record has a start and a duration */
	int64_t lo, hi;
	uint64_t src;     /* number of its file + 1; 0: it names none */
	uint64_t section; /* number of its section */
	uint64_t no;      /* of the record, among those that were put */
};

/* Of a record of type t, views into it; a text that should be a number is
 * fatal. */
void row_read(struct groups *a, const struct rec *r, int t, struct row *w);

void row_add(struct groups *a, struct group *g, const struct row *w);

/* The same as bytes; what is read are views into them. */
void row_put(const struct groups *a, struct buf *b, const struct row *w);
void row_get(const struct groups *a, const char *s, struct row *w);

#endif
