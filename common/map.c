/* Hash maps, and the blocks that they keep texts in; see map.h. */
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "err.h"
#include "map.h"
#include "spill.h"

#define FIRST ((size_t)1 << 16) /* bytes of the first chunk; the next are */
#define MOST ((size_t)1 << 22)  /* twice as large, up to this */

struct store_chunk {
	struct store_chunk *next;
	size_t len, cap;
	alignas(max_align_t) char s[];
};

/* Grows with what is there. */
static void
add_chunk(struct store *s, size_t n)
{
	size_t cap = s->chunk != NULL ? s->chunk->cap * 2 : FIRST;
	struct store_chunk *c;

	if (cap > MOST)
		cap = MOST;
	if (cap < n)
		cap = n;
	if (cap > SIZE_MAX - sizeof(*c))
		die("out of memory");
	c = spill_keep(sizeof(*c) + cap);
	c->next = s->chunk;
	c->len = 0;
	c->cap = cap;
	s->chunk = c;
}

char *
store_text(struct store *s, size_t n)
{
	struct store_chunk *c = s->chunk;

	spill_tick();
	if (c == NULL || c->cap - c->len < n) {
		add_chunk(s, n);
		c = s->chunk;
	}
	c->len += n;
	return c->s + c->len - n;
}

void *
store_alloc(struct store *s, size_t n)
{
	const size_t to = alignof(max_align_t);
	struct store_chunk *c = s->chunk;

	if (c != NULL && c->len % to != 0)
		c->len +=
		    c->cap - c->len < to ? c->cap - c->len : to - c->len % to;
	return store_text(s, n);
}

void
store_free(struct store *s)
{
	struct store_chunk *c, *next;

	for (c = s->chunk; c != NULL; c = next) {
		next = c->next;
		spill_free(c, 1, sizeof(*c) + c->cap);
	}
	s->chunk = NULL;
}

/* The map of numbers. */

struct map_slot {
	uint64_t key, val;
	bool used;
};

uint64_t
hash_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return x;
}

uint64_t
hash_bytes(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = 0x9e3779b97f4a7c15u ^ n, w;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	w = 0;
	if (n > 0)
		memcpy(&w, s, n);
	return hash_mix(h ^ w);
}

static size_t
slot_of(const struct map *m, uint64_t key)
{
	size_t i = hash_mix(key) & (m->cap - 1);

	spill_tick();
	while (m->slot[i].used && m->slot[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

uint64_t *
map_get(const struct map *m, uint64_t key)
{
	size_t i;

	if (m->n == 0)
		return NULL;
	i = slot_of(m, key);
	return m->slot[i].used ? &m->slot[i].val : NULL;
}

static void
map_grow(struct map *m)
{
	struct map old = *m;
	size_t i;

	m->cap = old.cap > 0 ? old.cap * 2 : 16;
	m->slot = spill_alloc(m->cap, sizeof(*m->slot));
	for (i = 0; i < old.cap; i++)
		if (old.slot[i].used)
			m->slot[slot_of(m, old.slot[i].key)] = old.slot[i];
	spill_free(old.slot, old.cap, sizeof(*old.slot));
}

uint64_t *
map_put(struct map *m, uint64_t key, bool *is_new)
{
	size_t i;

	if ((m->n + 1) * 4 > m->cap * 3)
		map_grow(m);
	i = slot_of(m, key);
	if (is_new != NULL)
		*is_new = !m->slot[i].used;
	if (!m->slot[i].used) {
		m->slot[i].used = true;
		m->slot[i].key = key;
		m->slot[i].val = 0;
		m->n++;
	}
	return &m->slot[i].val;
}

/* Deletion moves later entries of the run back, so that the map needs no marks
 * for deleted entries, which would slow it down. */
bool
map_del(struct map *m, uint64_t key)
{
	size_t i, j, home, mask = m->cap - 1;

	if (m->n == 0)
		return false;
	i = slot_of(m, key);
	if (!m->slot[i].used)
		return false;
	for (j = (i + 1) & mask; m->slot[j].used; j = (j + 1) & mask) {
		home = hash_mix(m->slot[j].key) & mask;
		if (((j - home) & mask) >= ((j - i) & mask)) {
			m->slot[i] = m->slot[j];
			i = j;
		}
	}
	m->slot[i].used = false;
	m->n--;
	return true;
}

void
map_clear(struct map *m)
{
	if (m->cap > 0)
		memset(m->slot, 0, m->cap * sizeof(*m->slot));
	m->n = 0;
}

void
map_free(struct map *m)
{
	spill_free(m->slot, m->cap, sizeof(*m->slot));
	memset(m, 0, sizeof(*m));
}

bool
map_next(const struct map *m, size_t *it, uint64_t *key, uint64_t *val)
{
	for (; *it < m->cap; ++*it) {
		if (!m->slot[*it].used)
			continue;
		*key = m->slot[*it].key;
		*val = m->slot[*it].val;
		++*it;
		return true;
	}
	return false;
}
