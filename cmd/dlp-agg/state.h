/* A group as bytes, without its values and pieces, and back. */
#ifndef AGG_STATE_H
#define AGG_STATE_H

#include "disk.h"

struct state { /* key: a view */
	uint64_t no;
	const char *key;
	size_t nkey;
	struct group g;
};

/* Appends it. */
void state_put(const struct groups *a, struct buf *b, const struct state *s);

/* Makes it; p are the bytes. And frees what was made. */
void state_get(const struct groups *a, const char *p, struct state *s);
void state_free(const struct groups *a, struct state *s);

/* A group's place for what is found out, empty; and it is gone. */
struct found *found_new(const struct groups *a);
void found_free(struct found *f);

#endif
