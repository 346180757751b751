/* Sequence and op ids: the newest 2^20 of a process. */
#ifndef DLP_RECENT_H
#define DLP_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recent_val {
	uint32_t op;
	uint32_t name; /* PyProf's name, in struct names; else SMAP_NONE */
	uint64_t inst;
	uint64_t prim_run; /* the product in it that ran with the key */
};

struct recent { /* zeroed: empty */
	struct recent_slot *slot;
	size_t cap;
	uint64_t evicted; /* asked for after they were pushed out */
};

/* A negative key is not kept. */
void recent_put(struct recent *m, int64_t key, struct recent_val v);
bool recent_get(struct recent *m, int64_t key, struct recent_val *v);
void recent_free(struct recent *m);

#endif
