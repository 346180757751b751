/* A piece of a text that another struct owns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct mview { /* not NUL-terminated; s is NULL if there is no text */
	const char *s;
	size_t n;
};

static inline struct mview
mv(const char *s, const char *e)
{
	return (struct mview){ s, (size_t)(e - s) };
}

/* True if s[0..n) is lit; s may be NULL. */
static inline bool
text_is(const char *s, size_t n, const char *lit)
{
	return s != NULL && n == strlen(lit) && memcmp(s, lit, n) == 0;
}

static inline bool
text_starts(const char *s, size_t n, const char *lit)
{
	size_t k = strlen(lit);

	return s != NULL && n >= k && memcmp(s, lit, k) == 0;
}

static inline bool
mv_eq(struct mview v, const char *lit)
{
	return text_is(v.s, v.n, lit);
}

static inline bool
mv_starts(struct mview v, const char *lit)
{
	return text_starts(v.s, v.n, lit);
}

static inline bool
mv_ends(struct mview v, const char *lit)
{
	size_t n = strlen(lit);

	return v.n >= n && memcmp(v.s + v.n - n, lit, n) == 0;
}

/* The first lit in v, or NULL. */
const char *mv_find(struct mview v, const char *lit);

static inline bool
mv_has(struct mview v, const char *lit)
{
	return v.s != NULL && mv_find(v, lit) != NULL;
}

/* True if v, which has a text, is one of a list of n words in strcmp()'s order.
 */
bool mv_listed(struct mview v, const char *const *list, size_t n);

/* True if the word is in a list with that byte between words, or NULL. */
bool list_has(const char *list, char sep, const char *word);
