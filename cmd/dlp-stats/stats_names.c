/* Names of kernels; see stats.h. */
#include <string.h>

#include "array.h"
#include "stats.h"

int
kname_mode(const char *s)
{
	static const char *const modes[KN_N] = { NULL, "base", "mangled" };
	int i;

	for (i = 1; i < KN_N; i++)
		if (strcmp(modes[i], s) == 0)
			return i;
	return -1;
}

void
kname_section(struct kernel_names *k)
{
	map_clear(&k->strs);
}

static uint32_t
new_kernel(struct kernel_names *k, const struct mview t[KN_N])
{
	int i;

	ARRAY_GROW(k->kernels, k->n, k->cap);
	for (i = 0; i < KN_N; i++) {
		const struct mview *x = t[i].s != NULL ? &t[i] : &t[0];

		k->kernels[k->n][i] = smap_put(&k->texts,
		    x->s != NULL ? x->s : "", x->s != NULL ? x->n : 0, NULL);
	}
	return (uint32_t)k->n++;
}

void
kname_str(struct kernel_names *k, int64_t id, const struct mview t[KN_N])
{
	*map_put(&k->strs, (uint64_t)id, NULL) = new_kernel(k, t);
}

uint32_t
kname_kernel(struct kernel_names *k, int64_t id, struct mview name)
{
	const uint64_t *at = id < 0 ? NULL : map_get(&k->strs, (uint64_t)id);
	struct mview t[KN_N] = { { name.s, name.s != NULL ? name.n : 0 } };
	uint64_t *v;

	if (at != NULL)
		return (uint32_t)*at;
	v = map_put(&k->plain,
	    smap_put(&k->texts, name.s != NULL ? name.s : "", t[0].n, NULL),
	    NULL);
	if (*v == 0)
		*v = (uint64_t)new_kernel(k, t) + 1;
	return (uint32_t)(*v - 1);
}

uint32_t
kname_id(const struct kernel_names *k, uint32_t kernel, enum kname mode)
{
	return k->kernels[kernel][mode];
}

const char *
kname_text(const struct kernel_names *k, uint32_t name, size_t *n)
{
	return smap_str(&k->texts, name, n);
}
