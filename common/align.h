/*
 * Two clocks that saw the same events: how far one is behind the other. Both
 * list the events in order, each with a key (of its name); either may have
 * begun to look earlier or later, so the lists need not begin with the same
 * one.
 */
#ifndef DLP_ALIGN_H
#define DLP_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct align_ev {
	uint64_t key;
	int64_t t; /* ns */
};

struct align {
	int64_t shift;  /* to be added to the times of x */
	int64_t spread; /* half of the pairs lie within this of shift */
	size_t n;       /* pairs of events */
	long lag;       /* ref's event i is x's event i + lag */
};

/* Of x against ref. hint: the shift that is expected, NULL: none; it only
 * chooses between places that fit equally well. False if no events have
 * equal keys. */
bool align_find(const struct align_ev *ref, size_t nref,
    const struct align_ev *x, size_t nx, const int64_t *hint,
    struct align *out);

#endif
