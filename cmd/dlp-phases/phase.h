/* What is known of the phases of a section: rows, and their iterations. */
#ifndef PHASES_PHASE_H
#define PHASES_PHASE_H

#include "mview.h"
#include "flat.h"
#include "buf.h"
#include "map.h"

struct phase {
	const char *src, *iter, *word; /* escaped; NULL: unset */
	struct flat cpu, gpu;          /* by process; by device */
	struct extent {
		int64_t dev, lo, hi;
	} * ext; /* of the GPU work, by device */
	size_t n_ext;
	int64_t api_ns, gpu_ns, thread_ns, op_ns;
	uint64_t n_kern, n_gpu;
	bool by_op; /* forward, which only ops tell: of no phase, if another
		       forward is known by a range */
	bool ranged, gone;
	bool made;       /* by a record, not only for the rest of its step */
	int64_t idle_ns; /* the devices idle before work of it */
	uint32_t step;   /* the iteration that it is of; the next row of it, */
	size_t next;     /* + 1 */
};

struct step {                 /* an iteration; see idle.h */
	size_t first;         /* its newest row, + 1 */
	int64_t len;          /* of the step; below 0: unknown */
	int64_t busy, idle;   /* of all its work, and between */
	bool outside, summed; /* of no iteration; busy and idle are known */
};

struct phases { /* zeroed */
	struct phase *v;
	size_t n;
	struct smap keys, texts;
	struct buf key, last; /* last: the one of row last_row; most often the
				 same comes again */
	uint32_t last_row;
	struct smap ranged; /* "src\tphase" that a range names */
	struct step *step;
	struct smap steps; /* "src\titer"; the number in step */
	struct smap devs;  /* src, TAB, the number's bytes, of all work */
	bool has_steps;    /* the lengths of some are known */
};

#endif
