/* A kernel or a copy, while it runs, and the record that a copy becomes. */
#ifndef EXPOSE_JOB_H
#define EXPOSE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* What the record of a copy has of it, in the order of its columns. The last
 * is only there where the file has a name. */
#define JOB_KEPT                                                               \
	"dev", "stream", "kind", "src_mem", "dst_mem", "bytes", "iter",        \
	    "phase", "layer", "op", "api", "pid", "tid", "src"

struct job {
	bool kern;      /* covers others; nothing else is known of it */
	uint32_t group; /* of copies: kind and memory */
	int64_t start, dur, union_ns, exposed_ns;
	struct buf head, rest;   /* fields of the record, before and behind */
	struct job *next, *prev; /* active ones of the group; free ones */
};

/* The record of a copy that is over; with_src: its file has a name. */
void job_put(const struct job *j, bool with_src);

#endif
