/*
 * --list with a key: its iterations, how far each is from the median, and a
 * stable range.
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
void stable_clear(struct stable *l);

#endif
