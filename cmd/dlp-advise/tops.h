/* Things that were counted by name, for the evidence of a finding. */
#ifndef ADVISE_TOPS_H
#define ADVISE_TOPS_H

#include "buf.h"
#include "map.h"

struct tops { /* all zero is empty */
	struct smap names;
	struct top {
		uint64_t n;
		int64_t ns, bytes;
	} * v;
	size_t cap;
	struct top all;
};

/* One more of that (escaped) name. Beyond TOPS_MAX names what is new counts
 * in all alone. */
#define TOPS_MAX 65536
void tops_add(
    struct tops *t, const char *name, size_t len, int64_t ns, int64_t bytes);

/* Appends the k of the most time (of equals: the most often), "NAME: 12, 3.4
 * ms" joined by "; "; escaped. */
void tops_put(const struct tops *t, struct buf *b, int k);

/* Appends a time with a unit: 3.4 ms. A size: 12.1 MB. */
void put_time(struct buf *b, int64_t ns);
void put_size(struct buf *b, int64_t bytes);

void tops_free(struct tops *t);

#endif
