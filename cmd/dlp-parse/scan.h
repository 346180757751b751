/*
 * The first pass over a table: how far its rows are out of start order, and
 * which calls launched which GPU work. For every (process, correlation id) it
 * records whether there is a call and how many activities of each kind. Ids
 * come in sequences, so 64 of them share a slot of bit planes: some 2 bytes per
 * id.
 */
#ifndef DLP_PARSE_SCAN_H
#define DLP_PARSE_SCAN_H

#include "event.h"
#include "map.h"

struct cursor;
struct profile;

#define KEY_GPU_KINDS (EV_GRAPH - EV_KERN + 1)

struct keys {
	struct key_slot *slot;
	size_t n, cap;
	struct map many;     /* counts above 1 */
	struct map pids;     /* processes with calls or GPU work */
	struct map hosts;    /* processes with calls */
	int64_t last_pid[2]; /* the last ones put into pids and hosts */
	uint64_t dup_calls;  /* calls whose key another call has */
};

void keys_init(struct keys *k);

/* keys_has_first: the key has a call that is not a twin. The other: it has any
 * call. */
bool keys_has_first(const struct keys *k, int64_t pid, int64_t corr);
bool keys_has_call(const struct keys *k, int64_t pid, int64_t corr);

/* Takes the activities of a call: n[kind - EV_KERN] is the number of each kind.
 * Returns their sum. A second call with the same key gets none. */
uint64_t keys_take(
    struct keys *k, int64_t pid, int64_t corr, uint64_t n[KEY_GPU_KINDS]);

void keys_free(struct keys *k);

/* The correlation id as part of a key; EV_UNSET if there is none. */
int64_t key_corr(int64_t corr);

/* Makes the pass over the cursor's table; fills c->order and p->keys. */
void scan_cursor(struct profile *p, struct cursor *c);

#endif
