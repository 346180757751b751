/* The threads of a section, and the ranges that are open on them. */
#ifndef WAITS_WAITS_H
#define WAITS_WAITS_H

#include <stdint.h>

#include "map.h"

struct open_range {
	int64_t end;
	uint32_t text, layer, phase; /* numbers in waits.names, or none */
};

struct thread {
	uint32_t name;
	struct open_range *v; /* outermost first */
	size_t n, cap;
};

struct waits { /* zeroed */
	struct thread *thread;
	size_t n_thread;
	struct smap keys, names;
};

/* key: "src\tpid\ttid". Valid until the next call. */
struct thread *waits_thread(struct waits *w, const char *key, size_t n);

/* The innermost range at time t, or NULL. */
const struct open_range *thread_at(struct thread *th, int64_t t);
void thread_push(struct thread *th, int64_t start, struct open_range o);

void waits_clear(struct waits *w);

#endif
