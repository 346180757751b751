/*
 * Records kept back, in order, while the sizes of an op are not known:
 * emit_nvtx gives no stride and padding of a convolution and no equation of
 * einsum, and the size of the result comes with its gradient, when the
 * backward's op record arrives. What is held is the text
 * of the lines, with gaps where kernels wait for their columns.
 */
#ifndef FLOPS_HOLD_H
#define FLOPS_HOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

#define HOLD_MAX (1 << 17) /* lines; then the size is given up as unknown */

/* A kernel whose columns come later; the callback of hold_drain gets it. */
struct hold_kern {
	size_t at; /* where in the held text its columns belong */
	int64_t op_id, inst, sub, dev, dur_ns;
	char grid[40]; /* as in the record; empty where it is longer */
	int64_t prim_id, prim_run; /* prim_run 0: none */
	uint32_t name_idx;
	int given;        /* enum tc: what the profile itself tells */
	const void *name; /* its kname */
};

extern bool hold_on; /* lines go to hold_line instead of the output */

/* Appends text to what is held. */
void hold_put(const char *s, size_t n);
void hold_end_line(bool is_record); /* ends a line; records are counted */
void hold_kern(const struct hold_kern *k); /* sets at */

/* True once HOLD_MAX lines are held. */
bool hold_full(void);

/* Writes everything that is held; put writes a waiting kernel's columns to
 * out_buf. Holding ends. */
void hold_drain(void (*put)(const struct hold_kern *k));

#endif
