/*
 * Two clocks that saw the same events: finds the shift between them. Both lists
 * have the events in order, each with a key (of its name). One may have begun
 * earlier than the other, so they need not begin with the same event.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct align_ev {
	int64_t t; /* ns; the first, for array_by_i64() */
	uint64_t key;
};

struct align {
	int64_t shift;  /* to be added to the times of x */
	int64_t spread; /* half of the pairs are within this of shift */
	size_t n;       /* pairs of events */
};

/* Aligns x with ref. hint: the expected shift, or NULL; it only chooses between
 * places that fit equally well. False if no events have equal keys. */
bool align_find(const struct align_ev *ref, size_t nref,
    const struct align_ev *x, size_t nx, const int64_t *hint,
    struct align *out);
