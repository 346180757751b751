/* Sorting many texts that begin alike. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct text_ref { /* a text, and a number that the caller chooses */
	const char *s;
	uint32_t n, id;
	uint64_t chunk; /* private to textsort */
};

/* Sorts by bytes; a text precedes those that begin with it; equal ones are
 * sorted by id. tmp: room for as many. */
void textsort(struct text_ref *v, struct text_ref *tmp, size_t n);

/* The first eight bytes as a number, 0 after the end. It sorts like the texts,
 * except if it is equal. */
uint64_t text_chunk(const char *s, size_t n);

int text_cmp(const char *a, size_t an, const char *b, size_t bn);
