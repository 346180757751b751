/* See threadno.h. */
#include "threadno.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

size_t
threadno(struct threadnos *t, int64_t pid, int64_t tid, bool *fresh)
{
	uint64_t h = hash_mix((uint64_t)pid) ^ (uint64_t)tid, *k;

	for (;; h++) {
		k = map_put(&t->by_id, h, NULL);
		*fresh = *k == 0;
		if (*fresh)
			break;
		if (t->v[*k - 1].pid == pid && t->v[*k - 1].tid == tid)
			return *k - 1;
	}
	t->v = xrealloc(t->v, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct threadno){ pid, tid };
	*k = ++t->n;
	return t->n - 1;
}

void
threadnos_clear(struct threadnos *t)
{
	free(t->v);
	map_free(&t->by_id);
	memset(t, 0, sizeof(*t));
}
