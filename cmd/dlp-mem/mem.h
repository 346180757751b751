/*
 * Memory in use, per device, of its own (device) and of the host (host): the
 * allocations that live, and those that lived at the peak.
 */
#ifndef MEM_MEM_H
#define MEM_MEM_H

#include <stdbool.h>

#include "map.h"

struct where { /* numbers in mem.names: of an allocation */
	uint32_t iter, phase, layer, at, api, kind;
};

struct alloc {
	int64_t addr, bytes, start;
	struct where where;
	uint64_t seq;
	bool dead; /* released after the peak */
};

struct space {
	uint32_t src; /* in mem.names */
	int64_t dev;
	bool host;
	struct alloc *v;
	size_t n, cap, n_dead;
	struct map at; /* address -> place in v */
	int64_t used, peak, before;
	int64_t peak_start;
	struct where peak_where;
	uint64_t peak_seq, n_alloc, n_free;
};

struct mem { /* zeroed */
	struct space *space;
	size_t n_space;
	struct smap names;
	struct map totals; /* mem_dev_key() -> bytes */
	uint64_t seq;
	uint64_t unknown_free, twice;
};

/* Of a device of a file. */
static inline uint64_t
mem_dev_key(uint32_t src, int64_t dev)
{
	return (uint64_t)src << 32 | (uint32_t)dev;
}

struct space *mem_space(struct mem *m, uint32_t src, int64_t dev, bool host);

/* Both return how the use has changed. */
int64_t space_alloc(struct mem *m, struct space *s, const struct alloc *a);
int64_t space_free(struct mem *m, struct space *s, int64_t addr);

void mem_end(struct mem *m); /* peak and live records, notes */
void mem_clear(struct mem *m);

#endif
