/* Blocks that never move, and are freed all together. */
#ifndef DLP_STORE_H
#define DLP_STORE_H

#include <stddef.h>

struct store { /* zeroed: empty */
	struct store_chunk *chunk;
};

/* n bytes, aligned for any type, not zeroed. They may be in a file (spill.h).
 */
void *store_alloc(struct store *s, size_t n);

/* The same for texts: not aligned. */
char *store_text(struct store *s, size_t n);

void store_free(struct store *s); /* frees all blocks */

#endif
