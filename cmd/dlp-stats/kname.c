/* Names of kernels; see kname.h. Texts are kept as long as the program. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "kname.h"
#include "map.h"

static struct smap texts;
static struct map strs; /* str id -> number of a kernel */
static uint32_t (*kernels)[KN_N];
static size_t nkernels, cap;
static struct map plain; /* text -> kernel of that name only, + 1 */

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
kname_section(void)
{
	map_clear(&strs);
}

static uint32_t
new_kernel(const struct kname_text t[KN_N])
{
	int i;

	if (nkernels == cap) {
		cap = cap != 0 ? cap * 2 : 64;
		kernels = xrealloc(kernels, cap, sizeof(*kernels));
	}
	for (i = 0; i < KN_N; i++) {
		const struct kname_text *x = t[i].s != NULL ? &t[i] : &t[0];

		kernels[nkernels][i] =
		    smap_put(&texts, x->s != NULL ? x->s : "", x->n, NULL);
	}
	return (uint32_t)nkernels++;
}

void
kname_str(int64_t id, const struct kname_text t[KN_N])
{
	*map_put(&strs, (uint64_t)id, NULL) = new_kernel(t);
}

uint32_t
kname_kernel(int64_t id, const char *s, size_t n)
{
	const uint64_t *k = id < 0 ? NULL : map_get(&strs, (uint64_t)id);
	struct kname_text t[KN_N] = { { s, s != NULL ? n : 0 } };
	uint64_t *v;

	if (k != NULL)
		return (uint32_t)*k;
	v = map_put(
	    &plain, smap_put(&texts, s != NULL ? s : "", t[0].n, NULL), NULL);
	if (*v == 0)
		*v = (uint64_t)new_kernel(t) + 1;
	return (uint32_t)(*v - 1);
}

uint32_t
kname_id(uint32_t kernel, enum kname mode)
{
	return kernels[kernel][mode];
}

const char *
kname_text(uint32_t name, size_t *n)
{
	return smap_str(&texts, name, n);
}
