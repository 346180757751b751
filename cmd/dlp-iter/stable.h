/*
 * --stable, and --list with a key: the iterations, how far each is from the
 * median, and a stable range: those that are even, without the warm-up.
 */
#ifndef ITER_STABLE_H
#define ITER_STABLE_H

#include "line.h"

struct stable {
	struct line *v;
	size_t n, cap;
};

void stable_add(struct stable *l, const struct line *x);

/* Writes a cand record of the key and all iterations; kind: what the key is;
 * lo to hi is the profile's time. */
void stable_list(const struct stable *l, const char *key, const char *kind,
    const char *src, int64_t lo, int64_t hi);

/* The iterations of the stable range, both included; false: all of them, as no
 * two are even. */
bool stable_range(const struct stable *l, int64_t *from, int64_t *to);

/* Writes a stable record; all: of all of them, even or not. src: escaped, or
 * NULL. */
void stable_put(const struct stable *l, bool all, const char *src);
void stable_clear(struct stable *l);

#endif
