/* See mview.h. */
#include <stdlib.h>

#include "mview.h"

const char *
mv_find(struct mview v, const char *lit)
{
	size_t n = strlen(lit);
	const char *p = v.s, *e = v.s + v.n;

	while ((size_t)(e - p) >= n &&
	       (p = memchr(p, lit[0], (size_t)(e - p) - n + 1)) != NULL) {
		if (memcmp(p, lit, n) == 0)
			return p;
		p++;
	}
	return NULL;
}

static int
listed_order(const void *key, const void *word)
{
	const struct mview *v = key;
	const char *s = *(const char *const *)word;
	int r = strncmp(v->s, s, v->n);

	return r != 0 ? r : -(s[v->n] != '\0');
}

bool
mv_listed(struct mview v, const char *const *list, size_t n)
{
	return bsearch(&v, list, n, sizeof(*list), listed_order) != NULL;
}

bool
list_has(const char *list, char sep, const char *word)
{
	const char *end;

	for (; list != NULL; list = *end == sep ? end + 1 : NULL) {
		for (end = list; *end != '\0' && *end != sep; end++)
			;
		if (mv_eq(mv(list, end), word))
			return true;
	}
	return false;
}
