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

/* What is in text from there on. */
static uint32_t
new_key(struct keyset *k, size_t at, uint32_t hash)
{
	struct key *x;

	if (k->n == k->cap) {
		k->cap = k->cap != 0 ? k->cap * 2 : 256;
		k->key = xrealloc(k->key, k->cap, sizeof(*k->key));
	}
	x = &k->key[k->n];
	x->at = at;
	x->len = (uint32_t)(k->text.len - at);
	x->hash = hash;
	return k->n++;
}

uint32_t
keyset_new(struct keyset *k, const char *s, size_t n)
{
	size_t at = k->text.len;

	buf_reserve(&k->text, 1); /* of an empty one, too */
	buf_put(&k->text, s, n);
	return new_key(k, at, 0);
}

/* From now on texts are packed, those that are there too. */
static void
pack_all(struct keyset *k)
{
	struct buf all = { 0 };
	uint32_t i;

	for (i = 0; i < k->n; i++) {
		struct key *x = &k->key[i];
		size_t at = all.len;

		shapes_pack(k->shapes, &all, k->text.s + x->at, x->len);
		x->at = at;
		x->len = (uint32_t)(all.len - at);
	}
	buf_free(&k->text);
	k->text = all;
	k->packed = true;
}

/* Whether the texts repeat is known by now. */
static void
decide(struct keyset *k)
{
	k->apart = k->n > TRIAL / 8 * 7;
	if (k->apart && k->shapes != NULL && !k->shapes->full)
		pack_all(k);
}

static uint32_t
put_packed(struct keyset *k, const char *s, size_t n)
{
	size_t at = k->text.len;

	shapes_pack(k->shapes, &k->text, s, n);
	return new_key(k, at, 0);
}

uint32_t
keyset_put(struct keyset *k, const char *s, size_t n)
{
	const struct key *x;
	uint32_t h, i;

	if (k->asked++ == TRIAL)
		decide(k);
	if (k->packed)
		return put_packed(k, s, n);
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
	buf_put(&k->text, s, n);
	return new_key(k, k->text.len - n, h);
}

/* What packed texts are sorted by. */
static void
order_packed(const struct keyset *k, struct keyset_order *o)
{
	struct text_ref *v = o->ref;
	uint32_t i;

	shapes_rank(k->shapes);
	buf_clear(&o->bytes);
	for (i = 0; i < k->n; i++) {
		v[i].chunk = o->bytes.len;
		shapes_order(k->shapes, &o->bytes, k->text.s + k->key[i].at,
		    k->key[i].len);
		v[i].n = (uint32_t)(o->bytes.len - v[i].chunk);
	}
	for (i = 0; i < k->n; i++)
		v[i].s = o->bytes.s + v[i].chunk;
}

void
keyset_order(const struct keyset *k, struct keyset_order *o)
{
	size_t n;
	uint32_t i;

	if (o->cap < k->n) {
		o->cap = k->cap;
		o->ref = xrealloc(o->ref, o->cap, 2 * sizeof(*o->ref));
	}
	for (i = 0; i < k->n; i++) {
		o->ref[i].s = keyset_text(k, i, &n);
		o->ref[i].n = (uint32_t)n;
		o->ref[i].id = i;
	}
	if (k->packed)
		order_packed(k, o);
}

void
keyset_order_free(struct keyset_order *o)
{
	buf_free(&o->bytes);
	free(o->ref);
	memset(o, 0, sizeof(*o));
}

size_t
keyset_bytes(const struct keyset *k)
{
	return (k->packed ? 2 : 1) * k->text.len + (size_t)k->n * 80;
}

void
keyset_clear(struct keyset *k)
{
	buf_clear(&k->text);
	if (k->nslots > 0)
		memset(k->slot, 0, k->nslots * sizeof(*k->slot));
	k->n = 0;
	k->asked = 0;
	k->apart = k->packed = false;
}

void
keyset_free(struct keyset *k)
{
	buf_free(&k->text);
	free(k->key);
	free(k->slot);
	memset(k, 0, sizeof(*k));
}
