/*
 * The rows of phases of a section: made, added to, and written at the end.
 *
 * A gap between two pieces of an iteration's work on a device belongs to the
 * phase whose work ends it; the time of the step before its first work and
 * after its last belongs to no phase. So the busy and the idle time of an
 * iteration's phases add up to the step's length on each device of the file,
 * where no two work at the same time.
 */
#ifndef PHASES_PHASES_H
#define PHASES_PHASES_H

#include "buf.h"
#include "flat.h"
#include "map.h"
#include "mview.h"
#include "out.h"

struct phase {
	const char *src, *iter, *word; /* escaped; NULL: unset */
	struct flat cpu, gpu;          /* by process; by device */
	struct phase_extent {
		int64_t dev, lo, hi;
	} * ext; /* of the GPU work, by device */
	size_t n_ext;
	int64_t api_ns, gpu_ns, thread_ns, op_ns;
	uint64_t n_kern, n_gpu;
	bool by_op; /* forward, known from ops only: if a range names another
		       forward phase, this one is no phase */
	bool ranged, gone;
	bool made;       /* by a record, not only for the rest of its step */
	int64_t idle_ns; /* the devices idle before work of it */
	uint32_t step;   /* its iteration: the place in phases.step */
	size_t next;     /* the next row of the iteration, + 1 */
};

struct phase_step {           /* an iteration */
	size_t first;         /* its newest row, + 1 */
	int64_t len;          /* of the step, ns; below 0: unknown */
	int64_t busy, idle;   /* ns, of all its work, and between */
	bool outside, summed; /* of no iteration; busy and idle are known */
};

struct phase_piece { /* of a row's work */
	int64_t dev, lo, hi;
	size_t row;
};

struct phases { /* zeroed */
	struct phase *v;
	size_t n;
	struct smap keys, texts;
	struct buf key, last; /* last: the key of row last_row, as the same one
				 mostly comes again */
	uint32_t last_row;
	struct smap ranged; /* "src\tphase" that a range names */
	struct phase_step *step;
	struct smap steps; /* "src\titer"; the number in step */
	struct smap devs;  /* src, TAB, the number's bytes, of all work */
	bool has_steps;    /* the lengths of some are known */
	struct {           /* the pieces of a step, to be sorted */
		struct phase_piece *v;
		size_t n, cap, row;
	} sort;
	struct out_src_type type;
};

/* The phase's row; made if it is new. Holds until the next call. */
struct phase *phases_get(struct phases *p, struct mview src, struct mview iter,
    struct mview word, bool by_op);

/* A range names the phase. */
void phases_ranged(struct phases *p, struct phase *ph);

/* An iteration has that length (ns): what its phases leave of it idles. */
void phases_step(
    struct phases *p, struct mview src, struct mview iter, int64_t len);

/* GPU work from lo to hi. */
void phase_gpu(struct phase *ph, int64_t dev, int64_t lo, int64_t hi);

void phases_end(struct phases *p);   /* writes the records and notes */
void phases_clear(struct phases *p); /* frees all but the record's type */

/* phases_idle.c: when the devices idle. */

/* A device of a file has work. */
void phases_dev(struct phases *p, struct mview src, int64_t dev);

/* The row is new: to its iteration. */
void idle_row(struct phases *p, size_t row);

/* Adds up the gaps of an iteration, once, before its pieces are forgotten. */
void idle_sum(struct phases *p, uint32_t step);

/* The same of all iterations, and the time that no piece of work ends. */
void idle_end(struct phases *p);

/* Outside of all steps nothing idles for a phase. */
bool idle_known(const struct phases *p, const struct phase *ph);

void idle_clear(struct phases *p);

#endif
