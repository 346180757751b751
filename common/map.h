/*
 * Hash maps: from a 64-bit number, or from a byte string, to a 64-bit value.
 * Open addressing; grows at 3/4 full. Keys of the string map are copied into it
 * and get numbers from 0 in the order of arrival, so that it serves as an
 * intern table too. Parts of large maps are in files (spill.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mview.h"

struct store { /* zeroed: empty */
	struct store_chunk *chunk;
};

/* n bytes, aligned for any type, not zeroed. They may be in a file (spill.h).
 */
void *store_alloc(struct store *s, size_t n);

/* The same for texts: not aligned. */
char *store_text(struct store *s, size_t n);

void store_free(struct store *s); /* frees all blocks */

struct map { /* uint64_t -> uint64_t; all zero is an empty map */
	struct map_slot *slot;
	size_t n, cap;
};

/* The value of key, or NULL; valid until the next change of the map. */
uint64_t *map_get(const struct map *m, uint64_t key);

/* The value of key, made 0 if the key is new; *is_new may be NULL. */
uint64_t *map_put(struct map *m, uint64_t key, bool *is_new);

bool map_del(struct map *m, uint64_t key); /* true if the key was there */
void map_clear(struct map *m);             /* empties m; keeps the memory */
void map_free(struct map *m);

/* Walks the map in no particular order: start with *it = 0; false at the end.
 */
bool map_next(const struct map *m, size_t *it, uint64_t *key, uint64_t *val);

struct smap { /* byte string -> number from 0; all zero is empty */
	struct smap_ent *ent; /* by number */
	uint32_t *slot;       /* number + 1 */
	uint64_t *val;        /* by number: the caller's, 0 at first */
	size_t n, cap, ent_cap;
	struct store mem;
};

#define SMAP_NONE UINT32_MAX

uint32_t smap_find(const struct smap *m, const char *s, size_t n);
uint32_t smap_put(struct smap *m, const char *s, size_t n, bool *is_new);

/* The same for a key of two numbers: exact, unlike a hash of both. */
uint32_t smap_find_pair(const struct smap *m, int64_t a, int64_t b);
uint32_t smap_put_pair(struct smap *m, int64_t a, int64_t b, bool *is_new);

/* The text of a number, NUL-terminated; valid as long as the map. */
const char *smap_str(const struct smap *m, uint32_t id, size_t *len);

/* The number of a text, SMAP_NONE of none; and the text of such a number. */
static inline uint32_t
smap_put_view(struct smap *m, struct mview v)
{
	return v.s != NULL ? smap_put(m, v.s, v.n, NULL) : SMAP_NONE;
}

static inline struct mview
smap_view(const struct smap *m, uint32_t id)
{
	struct mview v = { NULL, 0 };

	if (id != SMAP_NONE)
		v.s = smap_str(m, id, &v.n);
	return v;
}

void smap_clear(struct smap *m); /* empties m; frees the texts */
void smap_free(struct smap *m);

uint64_t hash_bytes(const void *p, size_t n);

/* Mixes a number. A key made of two numbers, hash_mix(a) ^ b and so on, is not
 * unique: use it only if collisions are checked elsewhere. */
uint64_t hash_mix(uint64_t x);
