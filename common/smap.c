/* The string map; see map.h. Texts lie in chunks that never move. */
#include <string.h>

#include "map.h"
#include "spill.h"

struct smap_ent {
	const char *s;
	size_t len;
	uint64_t hash;
};

static size_t
slot_of(const struct smap *m, const char *s, size_t n, uint64_t h)
{
	size_t i = h & (m->cap - 1);

	spill_tick();
	while (m->slot[i] != 0) {
		const struct smap_ent *e = &m->ent[m->slot[i] - 1];

		if (e->hash == h && e->len == n &&
		    (n == 0 || memcmp(e->s, s, n) == 0))
			break;
		i = (i + 1) & (m->cap - 1);
	}
	return i;
}

uint32_t
smap_find(const struct smap *m, const char *s, size_t n)
{
	size_t i;

	if (m->n == 0)
		return SMAP_NONE;
	i = slot_of(m, s, n, hash_bytes(s, n));
	return m->slot[i] != 0 ? m->slot[i] - 1 : SMAP_NONE;
}

static void
grow_slots(struct smap *m)
{
	size_t i, j;

	spill_free(m->slot, m->cap, sizeof(*m->slot));
	m->cap = m->cap > 0 ? m->cap * 2 : 16;
	m->slot = spill_alloc(m->cap, sizeof(*m->slot));
	for (j = 0; j < m->n; j++) {
		spill_tick();
		i = m->ent[j].hash & (m->cap - 1);
		while (m->slot[i] != 0)
			i = (i + 1) & (m->cap - 1);
		m->slot[i] = (uint32_t)(j + 1);
	}
}

static void
add_ent(struct smap *m, const char *s, size_t n, uint64_t h)
{
	size_t was;
	char *text;

	if (m->n == m->ent_cap) {
		was = m->ent_cap;
		m->ent_cap = was > 0 ? was * 2 : 16;
		m->ent =
		    spill_realloc(m->ent, was, m->ent_cap, sizeof(*m->ent));
		m->val =
		    spill_realloc(m->val, was, m->ent_cap, sizeof(*m->val));
	}
	text = store_text(&m->mem, n + 1);
	if (n > 0)
		memcpy(text, s, n);
	text[n] = '\0';
	m->ent[m->n] = (struct smap_ent){ text, n, h };
	m->val[m->n] = 0;
	m->n++;
}

uint32_t
smap_put(struct smap *m, const char *s, size_t n, bool *is_new)
{
	uint64_t h = hash_bytes(s, n);
	size_t i;

	if ((m->n + 1) * 4 > m->cap * 3)
		grow_slots(m);
	i = slot_of(m, s, n, h);
	if (is_new != NULL)
		*is_new = m->slot[i] == 0;
	if (m->slot[i] == 0) {
		add_ent(m, s, n, h);
		m->slot[i] = (uint32_t)m->n;
	}
	return m->slot[i] - 1;
}

uint32_t
smap_find_pair(const struct smap *m, int64_t a, int64_t b)
{
	int64_t key[2] = { a, b };

	return smap_find(m, (const char *)key, sizeof(key));
}

uint32_t
smap_put_pair(struct smap *m, int64_t a, int64_t b, bool *is_new)
{
	int64_t key[2] = { a, b };

	return smap_put(m, (const char *)key, sizeof(key), is_new);
}

const char *
smap_str(const struct smap *m, uint32_t id, size_t *len)
{
	if (len != NULL)
		*len = m->ent[id].len;
	return m->ent[id].s;
}

void
smap_clear(struct smap *m)
{
	store_free(&m->mem);
	if (m->cap > 0)
		memset(m->slot, 0, m->cap * sizeof(*m->slot));
	m->n = 0;
}

void
smap_free(struct smap *m)
{
	store_free(&m->mem);
	spill_free(m->ent, m->ent_cap, sizeof(*m->ent));
	spill_free(m->slot, m->cap, sizeof(*m->slot));
	spill_free(m->val, m->ent_cap, sizeof(*m->val));
	memset(m, 0, sizeof(*m));
}
