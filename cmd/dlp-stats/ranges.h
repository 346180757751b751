/*
 * What nvtx_gpu_proj_sum and nvtx_kern_sum are made of, in one table, so that
 * the names of ranges, which can be most of a profile, are sorted once for
 * both. Keys are names. A projection is a row of part RANGES_PROJ + style:
 *
 *	projected duration, range's duration, GPU work, level or
 *	RANGES_NO_LEVEL, children with work
 *
 * and a kernel in a range one, whose part stands for the thread, the style
 * and the kernel's name:
 *
 *	duration, 1 if it is the first of the range instance, 1 if it is in
 *	no other range of that name
 *
 * Kernels in no range have the empty name.
 */
#ifndef STATS_RANGES_H
#define STATS_RANGES_H

#include "report.h"

enum {                    /* parts, in the order of rows of the same name */
	RANGES_PROJ = 0,  /* of push/pop ranges */
	RANGES_START = 1, /* of start/end ranges */
	RANGES_KERN = 2,  /* and greater ones */
};

/* Greater than sums of levels, so that one sum tells both. */
#define RANGES_NO_LEVEL ((int64_t)1 << 40)

struct ranges_kern { /* what a part of kernels stands for */
	int64_t pid, tid;
	bool push;
	enum kname mode;
	uint32_t name; /* kname.h */
};

void ranges_section(void); /* a new table */
void ranges_done(void);    /* its memory is given back */

void ranges_proj(struct table_key *k, const struct proj *p);

/* thread: a number for pid and tid. */
uint32_t ranges_part(uint32_t thread, const struct ranges_kern *x);
void ranges_add(struct table_key *k, const struct range *r, uint32_t part,
    int64_t dur, bool first, bool once);

/* The groups, by name and part; of projections there is the name's code. */
void ranges_each_proj(table_fn *fn, void *ctx);
void ranges_each_kern(table_fn *fn, void *ctx);
const struct ranges_kern *ranges_kern_of(uint32_t part);
void ranges_name(const struct table_code *c, struct buf *b); /* table_text() */

#endif
