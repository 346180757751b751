/*
 * An item is a record's line and the few times that place it. Items are
 * worked on at once where the iterations are known as they begin (step
 * ranges), or wait in a spool until the key is known.
 */
#ifndef ITER_ITEM_H
#define ITER_ITEM_H

#include <stdbool.h>
#include <stdint.h>

enum what {
	IT_PASS,      /* a line that is passed on as it is */
	IT_LEGEND,    /* a legend that gets the column */
	IT_REC,       /* a record at a time, in launch order */
	IT_MEM,       /* the same, which is never dropped */
	IT_KERN,      /* a kernel */
	IT_GPU,       /* other work on the GPU */
	IT_INST,      /* a run of an op: comes when it closes */
	IT_LATE,      /* other records that come when something closes */
	IT_RANGEKERN, /* goes with the kernel before it */
};

#define NO_TIME INT64_MIN
#define SRC_NONE UINT32_MAX

struct item {
	uint32_t len;      /* bytes of the line */
	uint32_t iter_off; /* the place of its iter field; len: none yet */
	uint32_t iter_len;
	uint32_t src, lane; /* SRC_NONE: of no known file */
	enum what what;
	bool has_gpu;
	int64_t t;      /* the time that places it, or NO_TIME */
	int64_t now;    /* its place in launch order, or NO_TIME */
	int64_t lo, hi; /* on the GPU, if has_gpu */
};

#endif
