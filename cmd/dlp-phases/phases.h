/*
 * What the phases of a section's iterations take.
 *
 *	phases_row(p, src, iter, word, by_op)	the row to add something to
 *	phase_gpu(row, dev, lo, hi)	work
 *	phases_step(p, src, iter, len)	the iteration is over: its rows go
 *	phases_end(p)			writes the phase records
 *
 * Only the rows of open iterations are in memory; the others are on a tape.
 *
 * A gap between two pieces of an iteration's work on a device belongs to the
 * phase whose work ends it; the time of the step before its first work and
 * after its last belongs to no phase. So the busy and the idle time of an
 * iteration's phases add up to the step's length on each device of the file,
 * where no two work at the same time.
 */
#ifndef DLP_PHASES_H
#define DLP_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ivl.h"
#include "map.h"
#include "mview.h"
#include "out.h"
#include "tape.h"

struct phase {                /* a row */
	const char *word;     /* escaped; NULL: no phase */
	struct flat cpu, gpu; /* by process; by device */
	struct phase_extent {
		int64_t dev, lo, hi;
	} * ext; /* of the GPU work, by device */
	int n_ext, ext_cap;
	int64_t api_ns, gpu_ns, thread_ns, op_ns;
	int64_t idle_ns; /* the devices idle before work of it */
	uint64_t n_kern, n_gpu;
	bool by_op;  /* forward, known from ops only: if a range of the file
			names the phase, its work is of no phase */
	bool ranged; /* a range names it */
	bool made;   /* by a record, not only for the rest of its step */
};

struct phase_step {             /* an open iteration */
	uint32_t id;            /* in phases.steps */
	const char *src, *iter; /* escaped; NULL: unset */
	struct phase **row;     /* in the order in which they were made */
	int n, cap;
	int64_t len; /* of the step, ns; below 0: unknown */
};

struct phases {                   /* zeroed, but for the tape: phases_clear() */
	struct smap steps;        /* "src\titer" of all iterations */
	struct phase_step **open; /* by number; NULL: it is over */
	size_t n_open, open_cap;
	struct phase_step *last; /* mostly the next one, too */
	struct phase **spare;    /* rows to use again */
	int n_spare, spare_cap;
	struct smap texts;  /* of src and phases: they are few */
	struct smap ranged; /* "src\tphase" that a range names */
	struct smap devs;   /* src, TAB, the number's bytes, of all work */
	bool has_steps;     /* the lengths of some are known */
	uint64_t late;      /* iterations begun again after their end */
	struct buf key;
	struct phase_pieces { /* of a step, to be sorted */
		struct phase_piece {
			int64_t dev, lo, hi;
			int row;
		} * v;
		size_t n, cap;
		int row;
	} sort;
	struct tape done; /* iterations that are over: phases_tape.c */
	struct out_src_type type;
};

/* The row of a phase in an iteration of a file; made if it is new. Holds until
 * the iteration's end. */
struct phase *phases_row(struct phases *p, struct mview src, struct mview iter,
    struct mview word, bool by_op);

/* GPU work of the row from lo to hi. */
void phase_gpu(struct phase *ph, int64_t dev, int64_t lo, int64_t hi);

/* A device of a file has work. */
void phases_dev(struct phases *p, struct mview src, int64_t dev);

/* A range of the file names the row's phase. */
void phases_ranged(struct phases *p, struct mview src, struct phase *ph);

/* An iteration is over; its step has that length (ns): what its phases leave of
 * it idles. */
void phases_step(
    struct phases *p, struct mview src, struct mview iter, int64_t len);

/* Writes the records and notes. */
void phases_end(struct phases *p);

/* Frees all but the record's type. */
void phases_clear(struct phases *p);

/* Of the files of this folder: an iteration that is over, to the tape, with the
 * time in which all its work runs, and idles before work (ns); it keeps nothing
 * of it. */
void phases_keep(
    struct phases *p, struct phase_step *s, int64_t busy, int64_t idle);

/* Writes what is on the tape as phase records. */
void phases_play(struct phases *p);

/* The key "a\tb", in p->key; NULL is an empty text. */
const struct buf *phases_key(struct phases *p, struct mview a, struct mview b);

/* The text of a word that may be NULL. */
static inline struct mview
phases_text(const char *s)
{
	return (struct mview){ s, s != NULL ? strlen(s) : 0 };
}

/* A phase's work becomes another's. */
void phase_join(struct phase *to, const struct phase *from);

#endif
