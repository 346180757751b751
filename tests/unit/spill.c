/* needs: */
/* Maps and stores whose tables lie in files: the same as in memory. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "map.h"
#include "spill.h"

#define N 300000

/* Texts of 1 to 60 bytes, each other than all before. */
static size_t
text(char *b, size_t i)
{
	return (size_t)sprintf(b, "%zu %.*s", i, (int)(i % 50),
	    "a text that is long enough, "
	    "for any of the numbers");
}

static void
strings(void)
{
	struct smap m = { 0 };
	char b[128];
	size_t i, n, len;
	bool is_new;

	for (i = 0; i < N; i++) {
		n = text(b, i);
		assert(smap_put(&m, b, n, &is_new) == i && is_new);
		m.val[i] = i * 3;
	}
	assert(spill_on);
	for (i = N; i-- > 0;) {
		n = text(b, i);
		assert(smap_find(&m, b, n) == i);
		assert(smap_put(&m, b, n, &is_new) == i && !is_new);
		assert(strcmp(smap_str(&m, (uint32_t)i, &len), b) == 0);
		assert(len == n && m.val[i] == i * 3);
	}
	assert(smap_find(&m, "none", 4) == SMAP_NONE);
	smap_clear(&m);
	assert(smap_put(&m, "x", 1, &is_new) == 0 && is_new);
	smap_free(&m);
	assert(!spill_on);
}

static void
numbers(void)
{
	struct map m = { 0 };
	uint64_t i, sum = 0, key, val;
	size_t it = 0;

	for (i = 0; i < N; i++)
		*map_put(&m, i * i, NULL) = i;
	assert(spill_on);
	for (i = 0; i < N; i += 2)
		assert(map_del(&m, i * i));
	for (i = 0; i < N; i++)
		assert(i % 2 == 0 ? map_get(&m, i * i) == NULL
				  : *map_get(&m, i * i) == i);
	while (map_next(&m, &it, &key, &val)) {
		assert(key == val * val);
		sum += val;
	}
	assert(sum == (uint64_t)N / 2 * (N / 2));
	map_free(&m);
	assert(!spill_on);
}

/* Blocks that do not move, of all sizes. */
static void
blocks(void)
{
	static unsigned char *p[5000];
	struct store s = { 0 };
	size_t i, n;

	for (i = 0; i < 5000; i++) {
		n = i * 7 % 3000 + 1;
		p[i] = store_alloc(&s, n);
		assert((uintptr_t)p[i] % sizeof(void *) == 0);
		memset(p[i], (int)(i & 255), n);
	}
	assert(spill_on);
	for (i = 0; i < 5000; i++) {
		n = i * 7 % 3000 + 1;
		assert(p[i][0] == (i & 255) && p[i][n - 1] == (i & 255));
	}
	p[0] = store_alloc(&s, (size_t)9 << 20); /* more than a chunk */
	memset(p[0], 1, (size_t)9 << 20);
	store_free(&s);
	assert(!spill_on);
}

/* A table that grows out of memory, and becomes small again. */
static void
grows(void)
{
	uint64_t *v = NULL;
	size_t cap = 0, n, i;

	for (n = 1000; n < 2000000; n *= 2) {
		v = spill_realloc(v, cap, n, sizeof(*v));
		for (i = cap; i < n; i++)
			v[i] = i ^ 5;
		for (i = 0; i < n; i += 97)
			assert(v[i] == (i ^ 5));
		cap = n;
	}
	assert(spill_on);
	v = spill_realloc(v, cap, 10, sizeof(*v));
	for (i = 0; i < 10; i++)
		assert(v[i] == (i ^ 5));
	assert(!spill_on);
	spill_free(v, 10, sizeof(*v));
}

int
main(void)
{
	err_prog("spill");
	spill_bound((size_t)3 << 20);
	strings();
	numbers();
	blocks();
	grows();
	return 0;
}
