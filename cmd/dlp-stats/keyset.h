/*
 * Texts with numbers from 0. A text that is there gets its number again, as
 * long as that is worth the search: where nearly all are new, as the names
 * of ranges with an op id are, each gets a number of its own, and the same
 * text can have several; they are packed then (shapes.h).
 */
#ifndef STATS_KEYSET_H
#define STATS_KEYSET_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "shapes.h"
#include "textsort.h"

struct keyset {                /* all zero is empty */
	struct shapes *shapes; /* the caller's; NULL: none is packed */
	struct buf text;
	struct key {
		size_t at;
		uint32_t len, hash;
	} * key;
	uint32_t n, cap;
	uint32_t *slot; /* number + 1, by hash */
	uint32_t nslots;
	uint32_t asked; /* since it was empty */
	bool apart;     /* texts are not looked for */
	bool packed;    /* all */
};

struct keyset_order { /* all zero is empty; memory is kept */
	struct buf bytes;
	struct text_ref *ref; /* twice as many as there are texts */
	size_t cap;
};

uint32_t keyset_put(struct keyset *k, const char *s, size_t n);
uint32_t keyset_new(struct keyset *k, const char *s, size_t n);

/* A text as it is kept, packed or not. */
static inline const char *
keyset_text(const struct keyset *k, uint32_t i, size_t *n)
{
	*n = k->key[i].len;
	return k->text.s + k->key[i].at;
}

/* o->ref: all, as textsort() takes them, to be in the order of their texts'
 * bytes; id is the number. s and n are the text, or if they are packed what
 * is the same for the same text. Valid until the set changes. */
void keyset_order(const struct keyset *k, struct keyset_order *o);
void keyset_order_free(struct keyset_order *o);

size_t keyset_bytes(const struct keyset *k); /* what it takes, sorted too */
void keyset_clear(struct keyset *k);         /* memory is kept */
void keyset_free(struct keyset *k);

#endif
