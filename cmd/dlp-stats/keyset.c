/* Texts with numbers; see keyset.h. */
#include <stdlib.h>

#include "err.h"
#include "keyset.h"
#include "map.h"

#define TRIAL 4096 /* texts after which it is seen whether they repeat */

static void
rehash(struct keyset *k)
{
	uint32_t i, h;

	k->nslots = k->nslots != 0 ? k->nslots * 2 : 1024;
	free(k->slot);
	k->slot = xcalloc(k->nslots, sizeof(*k->slot));
	for (i = 0; i < k->n; i++) {
		h = k->key[i].hash & (k->nslots - 1);
		while (k->slot[h] != 0)
			h = (h + 1) & (k->nslots - 1);
		k->slot[h] = i + 1;
	}
}

static uint32_t
new_key(struct keyset *k, const char *s, size_t n, uint32_t hash)
{
	struct key *x;

	if (k->n == k->cap) {
		k->cap = k->cap != 0 ? k->cap * 2 : 256;
		k->key = xrealloc(k->key, k->cap, sizeof(*k->key));
	}
	x = &k->key[k->n];
	x->at = k->text.len;
	x->len = (uint32_t)n;
	x->hash = hash;
	buf_put(&k->text, s, n);
	return k->n++;
}

uint32_t
keyset_new(struct keyset *k, const char *s, size_t n)
{
	buf_reserve(&k->text, 1); /* of an empty one, too */
	return new_key(k, s, n, 0);
}

uint32_t
keyset_put(struct keyset *k, const char *s, size_t n)
{
	const struct key *x;
	uint32_t h, i;

	if (k->asked++ == TRIAL)
		k->apart = k->n > TRIAL / 8 * 7;
	if (k->apart)
		return keyset_new(k, s, n);
	buf_reserve(&k->text, 1);
	if (k->n >= k->nslots / 2)
		rehash(k);
	h = (uint32_t)hash_bytes(s, n);
	for (i = h & (k->nslots - 1); k->slot[i] != 0;
	     i = (i + 1) & (k->nslots - 1)) {
		x = &k->key[k->slot[i] - 1];
		if (x->hash == h && x->len == n &&
		    (n == 0 || memcmp(k->text.s + x->at, s, n) == 0))
			return k->slot[i] - 1;
	}
	k->slot[i] = k->n + 1;
	return new_key(k, s, n, h);
}

struct text_ref *
keyset_sorted(struct keyset *k)
{
	struct text_ref *v;
	uint32_t i;

	k->ref = v = xrealloc(k->ref, (size_t)k->n + 1, sizeof(*v));
	for (i = 0; i < k->n; i++) {
		v[i].s = k->text.s + k->key[i].at;
		v[i].n = k->key[i].len;
		v[i].id = i;
	}
	textsort(v, k->n);
	return v;
}

size_t
keyset_bytes(const struct keyset *k)
{
	return k->text.len + (size_t)k->n * 64;
}

void
keyset_clear(struct keyset *k)
{
	buf_clear(&k->text);
	if (k->nslots > 0)
		memset(k->slot, 0, k->nslots * sizeof(*k->slot));
	k->n = 0;
	k->asked = 0;
	k->apart = false;
}

void
keyset_free(struct keyset *k)
{
	buf_free(&k->text);
	free(k->key);
	free(k->slot);
	free(k->ref);
	memset(k, 0, sizeof(*k));
}
