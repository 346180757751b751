/*
 * Which calls launched which GPU work, learnt in one cheap pass before the
 * merge: for every (process, correlation id) whether there is a call, and
 * how many activities of each kind. Ids come in runs, so 64 of them share
 * a slot of bit planes: some 2 bytes per id.
 */
#ifndef DLP_PARSE_KEYS_H
#define DLP_PARSE_KEYS_H

#include "event.h"
#include "map.h"

#define KEY_GPU_KINDS (EV_GRAPH - EV_KERN + 1)

struct keys {
	struct key_slot *slot;
	size_t n, cap;
	struct map many;    /* counts above 1, by order of arrival of keys */
	struct map pids;    /* processes with calls or GPU work */
	struct map hosts;   /* processes with calls */
	uint64_t dup_calls; /* calls whose key another call has */
};

/* Notes a call, or an activity of a kind. */
void keys_call(struct keys *k, int64_t pid, int64_t corr, bool twin);
/* True if a call with this key is known. */
bool keys_gpu(struct keys *k, int64_t pid, int64_t corr, enum ev_kind kind);

/* Whether the key has a call that is no twin. */
bool keys_has_first(const struct keys *k, int64_t pid, int64_t corr);
bool keys_has_call(const struct keys *k, int64_t pid, int64_t corr);

/* Takes the activities of a call: n[kind - EV_KERN] of each kind; their sum.
 * A second call with the same key gets none. */
uint64_t keys_take(
    struct keys *k, int64_t pid, int64_t corr, uint64_t n[KEY_GPU_KINDS]);

void keys_free(struct keys *k);

#endif
