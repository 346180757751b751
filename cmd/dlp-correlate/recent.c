/*
 * Rings indexed by the number itself, which counts up: the newest 2^20 numbers
 * of a process are kept, a number pushed out by a newer one is counted when
 * it is asked for.
 */
#include "recent.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

#define RECENT_MIN 1024u
#define RECENT_MAX (1u << 20)

struct recent_slot {
	int64_t key; /* + 1; 0 is free */
	struct recent_val v;
};

static void
grow(struct recent *m)
{
	struct recent_slot *old = m->slot, *s;
	size_t i, n = m->cap;

	m->cap = n > 0 ? n * 2 : RECENT_MIN;
	m->slot = xcalloc(m->cap, sizeof(*m->slot));
	for (i = 0; i < n; i++) {
		if (old[i].key == 0)
			continue;
		s = &m->slot[(size_t)(old[i].key - 1) & (m->cap - 1)];
		if (s->key < old[i].key)
			*s = old[i];
	}
	free(old);
}

void
recent_put(struct recent *m, int64_t key, struct recent_val v)
{
	struct recent_slot *s;

	if (key < 0 || key == INT64_MAX)
		return;
	if (m->cap == 0)
		grow(m);
	for (;;) {
		s = &m->slot[(size_t)key & (m->cap - 1)];
		if (s->key == 0 || s->key == key + 1 || m->cap >= RECENT_MAX)
			break;
		grow(m);
	}
	s->key = key + 1;
	s->v = v;
}

bool
recent_get(struct recent *m, int64_t key, struct recent_val *v)
{
	const struct recent_slot *s;

	if (m->cap == 0 || key < 0 || key == INT64_MAX)
		return false;
	s = &m->slot[(size_t)key & (m->cap - 1)];
	if (s->key == key + 1) {
		*v = s->v;
		return true;
	}
	if (s->key > key + 1)
		m->evicted++;
	return false;
}

void
recent_free(struct recent *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}
