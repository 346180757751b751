/*
 * What PyProf made of a kernel: the texts of the ranges around its launch
 * sorted into lists, its sequence ids, direction, module and op. The rules
 * are PyProf's own; they look at one kernel after the other in the order of
 * the kernel table.
 */
#ifndef FMT_PYPROF_MARK_H
#define FMT_PYPROF_MARK_H

#include "buf.h"

struct pylist { /* of texts; the buffers behind n are kept for use again */
	struct buf *v;
	size_t n, cap;
};

struct pyseq { /* sequence ids, ascending */
	int64_t *v;
	size_t n, cap;
};

struct pymark { /* zeroed before the first kernel */
	struct pylist layer, trace, repr, marker, seq_marker, other, mod, op;
	struct pyseq seq, alt;
	int64_t sub;
	bool bwd;
	/* of the kernels before */
	struct pylist prev_op;
	int64_t prev_seq, prev_sub;
	bool begun;
	uint64_t damaged; /* argument markers that could not be read */
	struct buf text, last_trace; /* of the kernel at hand */
};

/* The next kernel; json is the list of texts, outermost first (NULL: none). */
void pymark_kernel(struct pymark *k, const char *json, size_t n);

#endif
