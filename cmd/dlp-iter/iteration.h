/* An iteration: what it adds up to, and its record. */
#ifndef ITERATION_H
#define ITERATION_H

#include "layout.h"
#include "out.h"

/* The record types that dlp-iter writes, each without src and with it. They
 * are made when they are first needed. */
struct iter_out {
	struct out_type *iter[2], *listed[2], *cand[2], *stable[2];
	struct out_type *cut[2][2]; /* and without column dropped and with it */
};

/* One of them: t[0] or t[1]. cols has n names, the last of which is src. */
struct out_type *iter_out_type(struct out_type **t, const char *tag,
    const char *const *cols, int n, const char *src);

/* From when to when the events of a file reach. */
struct iter_extent {
	bool any, any_work;       /* an event, a start of work was seen */
	int64_t first, last;      /* of the events */
	int64_t work_lo, work_hi; /* first and last start of work: launches
				     and ops */
};

static inline void
extent_event(struct iter_extent *e, int64_t lo, int64_t hi)
{
	if (!e->any || lo < e->first)
		e->first = lo;
	if (!e->any || hi > e->last)
		e->last = hi;
	e->any = true;
}

static inline void
extent_work(struct iter_extent *e, int64_t t)
{
	if (!e->any_work || t < e->work_lo)
		e->work_lo = t;
	if (!e->any_work || t > e->work_hi)
		e->work_hi = t;
	e->any_work = true;
}

struct iter_acc {
	bool has_gpu;
	int64_t gpu_lo, gpu_hi;
	struct ivl gpu;   /* the newest part of the union */
	int64_t gpu_done; /* length of the part before it, up to */
	int64_t done_hi;  /* this time */
	int64_t kern_ns;
	uint64_t n_kern, n_op;
};

struct iter_accs {
	struct iter_acc *v; /* of iterations base, base + 1, ... */
	size_t base, n, cap;
	uint64_t late; /* came when their iteration was written */
	bool has_gpu;
	int64_t gpu_hi; /* of all of them so far */
};

void acc_add(struct iter_accs *a, size_t n, const struct iter_item *m);
struct iter_acc *acc_at(
    struct iter_accs *a, size_t n); /* NULL: written already */
void acc_drop(struct iter_accs *a); /* the first one */
int64_t acc_gpu_ns(const struct iter_acc *c);
void acc_clear(struct iter_accs *a);

struct iteration { /* the fields of its record */
	int64_t iter, start, dur, cpu_hi, gpu_lo, gpu_hi, gpu, step, kern_ns;
	uint64_t n_kern, n_op;
	bool has_cpu, has_dur, has_gpu, has_step;
	const char *key;
	const char *src; /* escaped; NULL: the input names no files */
};

/* Of iteration n, whose sums are c. key is shown where cuts made it. *end is
 * where the step before it ended, NO_TIME if it is the first, and becomes
 * where this one ends. */
void iteration_make(struct iteration *x, size_t n, const struct layout *p,
    const struct iter_extent *e, const struct iter_acc *c, const char *key,
    int64_t *end);

/* Writes it as an iter record. */
void iteration_put(struct iter_out *o, const struct iteration *x);

/* Appends its fields to a record that has begun. */
void iteration_fields(const struct iteration *x);

#endif
