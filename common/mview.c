/* See mview.h. */
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
