/* Values as Python's repr() writes them. */
#ifndef FMT_PYREPR_H
#define FMT_PYREPR_H

#include "buf.h"

struct pylist { /* of texts; the buffers behind n are kept for use again */
	struct buf *v;
	size_t n, cap;
};

struct buf *pylist_add(struct pylist *l); /* a new text at the end, empty */

void pyrepr_str(struct buf *out, const char *s, size_t n);
void pyrepr_list(struct buf *out, const struct pylist *l); /* of texts */
void pyrepr_ints(struct buf *out, const int64_t *v, size_t n);

#endif
