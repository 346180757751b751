/* Sorting many texts that begin alike. */
#ifndef DLP_TEXTSORT_H
#define DLP_TEXTSORT_H

#include <stddef.h>
#include <stdint.h>

struct text_ref { /* a text, and a number of the caller's */
	const char *s;
	uint32_t n, id;
	uint64_t chunk; /* textsort's own */
};

/* In the order of their bytes, a text before those that it begins, equal ones
 * by id. tmp: room for as many. */
void textsort(struct text_ref *v, struct text_ref *tmp, size_t n);

/* The first eight bytes as a number, 0 behind the end: in the order of the
 * texts but where it is the same. */
uint64_t text_chunk(const char *s, size_t n);

int text_cmp(const char *a, size_t an, const char *b, size_t bn);

#endif
