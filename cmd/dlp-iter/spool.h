/*
 * Items: a record's line and the few times that place it. They wait in a
 * spool, in memory and then in files, until it is known where the iterations
 * are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum iter_kind {
	IT_PASS,      /* a line that is passed on as it is */
	IT_LEGEND,    /* a legend that gets the column */
	IT_REC,       /* a record at a time, in launch order */
	IT_LOAD,      /* the same: loads code */
	IT_ALLOC,     /* the same: allocates */
	IT_MEM,       /* the same, which is never dropped */
	IT_KERN,      /* a kernel */
	IT_GPU,       /* other work on the GPU */
	IT_INST,      /* a run of an op: comes when it closes */
	IT_LATE,      /* other records that come when something closes */
	IT_RANGEKERN, /* goes with the kernel before it */
};

#define NO_TIME INT64_MIN
#define SRC_NONE UINT32_MAX

struct iter_item {
	uint32_t len;      /* bytes of the line */
	uint32_t iter_off; /* the place of its iter field; len: none yet */
	uint32_t iter_len;
	uint32_t src, lane; /* SRC_NONE: of no known file */
	enum iter_kind kind;
	bool has_gpu;   /* lo and hi are set */
	int8_t marked;  /* its op comes from ranges: 1, from another step: -1 */
	int64_t t;      /* the time that places it, or NO_TIME */
	int64_t now;    /* its place in launch order, or NO_TIME */
	int64_t lo, hi; /* on the GPU, of IT_LOAD and IT_ALLOC on the CPU */
};

struct spool *spool_new(void); /* the caller frees it */

/* Appends an item and its line. */
void spool_put(struct spool *s, const struct iter_item *m, const char *line);

/* Calls fn for each item, in order, with its line; then the spool is empty.
 * look: line is NULL, and the items stay; nothing can be put from then on. */
void spool_play(struct spool *s, bool look,
    void (*fn)(void *ctx, const struct iter_item *m, const char *line),
    void *ctx);
