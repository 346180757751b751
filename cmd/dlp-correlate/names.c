/* See names.h. */
#include "names.h"

#include "esc.h"

#define NAMES_MAX 65536

uint32_t
names_put(struct names *t, const char *s, size_t n)
{
	if (t->map.n >= NAMES_MAX)
		return SMAP_NONE;
	buf_clear(&t->tmp);
	esc_put(&t->tmp, s, n);
	return smap_put(&t->map, t->tmp.s, t->tmp.len, NULL);
}

bool
names_has(const struct names *t, uint32_t id)
{
	return id < t->map.n;
}

const char *
names_get(const struct names *t, uint32_t id, size_t *n)
{
	return smap_str(&t->map, id, n);
}
