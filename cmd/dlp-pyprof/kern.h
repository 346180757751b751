/* A line of PyProf's .dict, and what kernels before it leave for it. */
#ifndef PYPROF_KERN_H
#define PYPROF_KERN_H

#include "map.h"
#include "pyrow.h"

/* What a backward kernel takes from the forward one, as written. */
enum part { P_MARKER, P_MOD, P_OP, P_LAYER, P_TRACE, P_PARTS };

struct kern {
	struct pyrow row; /* views into the line */
	struct buf name;  /* short, blanks as _ */
	int64_t sub;
	int64_t grid[3];
	bool bwd;
	struct mview part[P_PARTS]; /* the kernel's own, or the forward one's */
	struct buf marker;          /* the first argument marker; empty: none */
};

struct forward { /* zeroed; by sequence id, the last forward kernel */
	struct map by_seq, by_alt;
	struct kept *v;
	size_t n, cap;
};

/* Reads a line; false if it is no dict of a kernel. */
bool kern_read(struct kern *k, const char *s, size_t n);

/* A backward kernel without arguments of its own takes those of the forward
 * kernel with its sequence id. */
void forward_find(const struct forward *f, struct kern *k);
void forward_keep(struct forward *f, const struct kern *k);
void forward_free(struct forward *f);

/* Appends the first text of a list; false if it is empty. */
bool first_text(struct mview list, struct buf *out);

#endif
