/* Unions by key; see ivl_by.h. */
#include "ivl_by.h"

void
ivl_by_add(struct ivl_by *u, int64_t key, int64_t lo, int64_t hi)
{
	size_t i;

	if (u->all.n == 0)
		u->key = key;
	if (!u->many && u->key != key) {
		u->many = true;
		for (i = 0; i < u->all.n; i++)
			flat_add(
			    &u->by, u->key, u->all.v[i].lo, u->all.v[i].hi);
	}
	if (u->many)
		flat_add(&u->by, key, lo, hi);
	ivl_add(&u->all, lo, hi);
}

int64_t
ivl_by_len(const struct ivl_by *u)
{
	return u->many ? flat_len(&u->by) : ivl_len(&u->all);
}

void
ivl_by_clear(struct ivl_by *u)
{
	ivl_clear(&u->all);
	if (u->many)
		flat_free(&u->by);
	u->many = false;
}

void
ivl_by_free(struct ivl_by *u)
{
	ivl_by_clear(u);
	ivl_free(&u->all);
}
