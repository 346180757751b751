/*
 * The changes that findings of dlp-advise are about, and the time that
 * recording takes. docs/accuracy.md has the measurements behind the numbers.
 */
#include <stdlib.h>

#include "array.h"
#include "cols.h"
#include "path.h"

const char *const path_fix_names[N_FIX] = {
	[FIX_LAUNCHES] = "launches",
	[FIX_LOADER] = "loader",
	[FIX_SYNC] = "sync",
	[FIX_COPIES] = "copies",
	[FIX_OPTIMIZER] = "optimizer",
	[FIX_TENSOR_CORES] = "tensor_cores",
	[FIX_ALLOC] = "alloc",
	[FIX_COMM] = "comm",
};

/* Ranges of ops are written and formatted in the op's own time and just before
 * it: their dispatch alone is short. A launch takes as much longer. */
#define OP_PART 0.9
#define BEFORE_PART 0.5
#define LAUNCH_PART 0.4
#define FULL 8      /* times the median launch */
#define OP_PIECES 2 /* times the longest of nine in ten pieces, at most */

/* Products reach half of what the peaks of TF32 and fp32 promise; those of bf16
 * as much, with the casts around them. */
#define TENSOR_CORES 0.27

/* A fused optimizer reads and writes each parameter once, in one launch. */
#define FUSED_WORK 0.4
#define FUSED_CPU 0.1

/* ns: what the program does longer than that outside of ops, calls and phases
 * is no part of a graph */
#define HOST_NS 1000000

#define PINNED 25.0 /* bytes a ns */

/* Lengths by bins of 64 ns. */
#define BINS 2048
#define BIN_NS 64

struct lengths {
	uint64_t n[BINS], all;
};

static void
lengths_add(struct lengths *l, int64_t ns)
{
	int64_t i = ns / BIN_NS;

	l->n[i < BINS ? i : BINS - 1]++;
	l->all++;
}

/* That of which so many tenths are shorter. */
static int64_t
lengths_at(const struct lengths *l, uint64_t tenths)
{
	uint64_t n = 0;
	int i = 0;

	while (i < BINS - 1 && (n += l->n[i]) <= l->all * tenths / 10)
		i++;
	return (int64_t)i * BIN_NS + BIN_NS / 2;
}

void
path_fix_open(struct path *p)
{
	const struct path_piece *v = p->pieces.v;
	struct lengths *op = xcalloc(2, sizeof(*op));
	const struct path_what *w;
	size_t i, k;

	for (i = 0; i < p->n_thread; i++)
		for (k = p->thread[i].piece_lo; k + 1 < p->thread[i].piece_hi;
		     k++) {
			w = (struct path_what *)p->whats.v + v[k].what;
			if ((w->is & (IS_OP | IS_LAUNCH)) != 0)
				lengths_add(&op[(w->is & IS_LAUNCH) != 0],
				    v[k + 1].start - v[k].start);
		}
	p->op_most = OP_PIECES * lengths_at(&op[0], 9);
	p->launch_most = lengths_at(&op[1], 5);
	free(op);
	for (i = 0; i < p->whats.n; i++) {
		w = (struct path_what *)p->whats.v + i;
		if ((w->is & IS_LOADER) != 0)
			p->fixes |= FIX_BIT(FIX_LOADER);
		if ((w->is & IS_ALLOC) != 0)
			p->fixes |= FIX_BIT(FIX_ALLOC);
	}
	for (i = 0; i < p->points.n; i++)
		if (path_point_no(p, (int64_t)i)->blocked)
			p->fixes |= FIX_BIT(FIX_SYNC);
	p->fixes |= FIX_BIT(FIX_LAUNCHES);
}

uint8_t
path_fix_is(const struct rec *r, const struct path_act *a)
{
	struct mview text = rec_get(r, COL_text), op = rec_get(r, COL_op);
	struct mview api = rec_get(r, COL_api);
	uint8_t is = a->type == ACT_OP ? IS_OP : 0;

	if (a->type != ACT_RANGE || a->phase != PATH_NONE)
		is |= IS_PROGRAM;
	if (mv_eq(rec_get(r, COL_phase), "optimizer"))
		is |= IS_OPTIMIZER;
	if (mv_has(text, "DataLoader") || mv_has(text, "dataload") ||
	    mv_has(op, "DataLoader") || mv_has(text, "next_batch"))
		is |= IS_LOADER;
	if (mv_eq(op, "item") || mv_eq(op, "_local_scalar_dense") ||
	    mv_eq(op, "is_nonzero"))
		is |= IS_ITEM;
	if (mv_has(api, "Malloc") || mv_has(api, "Free"))
		is |= IS_ALLOC;
	return is;
}

uint8_t
path_fix_of(const struct rec *r, const struct path_work *w)
{
	unsigned fix = 0;

	if (w->tag == TAG_COMM)
		fix |= FIX_BIT(FIX_COMM);
	if (w->tag == TAG_KERNEL &&
	    (mv_eq(rec_get(r, COL_phase), "optimizer") ||
		mv_eq(rec_get(r, COL_family), "optimizer")))
		fix |= FIX_BIT(FIX_OPTIMIZER);
	if (w->tag == TAG_KERNEL && mv_eq(rec_get(r, COL_tc_why), "fp32"))
		fix |= FIX_BIT(FIX_TENSOR_CORES);
	if (w->tag == TAG_COPY && mv_eq(rec_get(r, COL_src_mem), "pageable"))
		fix |= FIX_BIT(FIX_COPIES);
	return (uint8_t)fix;
}

double
path_fix_work(unsigned on, const struct path_work *w)
{
	double f = 1, len = (double)(w->end - w->start);

	on &= w->fix;
	if ((on & FIX_BIT(FIX_OPTIMIZER)) != 0)
		f *= FUSED_WORK;
	if ((on & FIX_BIT(FIX_TENSOR_CORES)) != 0)
		f *= TENSOR_CORES;
	if ((on & FIX_BIT(FIX_COPIES)) != 0 && w->bytes >= 0 &&
	    (double)w->bytes / PINNED < len)
		f *= (double)w->bytes / PINNED / len;
	return f;
}

/* ns of a piece that recording takes. */
static double
recorded(const struct path *p, uint32_t is, double ns)
{
	double most = (double)p->op_most, part = 0;

	if ((is & IS_LAUNCH) != 0) {
		most = (double)p->launch_most;
		part = LAUNCH_PART;
	} else if ((is & IS_LOADER) != 0) {
		part = 0;
	} else if ((is & IS_OP) != 0) {
		part = OP_PART;
	} else if ((is & IS_BEFORE) != 0) {
		part = BEFORE_PART;
	}
	return part * (ns < most ? ns : most);
}

int64_t
path_fix_cpu(
    const struct path *p, unsigned on, const struct path_what *what, int64_t ns)
{
	double left = (double)ns;
	uint32_t is = what->is;

	if (((on & FIX_BIT(FIX_SYNC)) != 0 && (is & IS_ITEM) != 0) ||
	    ((on & FIX_BIT(FIX_LOADER)) != 0 && (is & IS_LOADER) != 0) ||
	    ((on & FIX_BIT(FIX_ALLOC)) != 0 && (is & IS_ALLOC) != 0))
		return 0;
	if ((on & FIX_BIT(FIX_LAUNCHES)) != 0 && (is & IS_LOADER) == 0 &&
	    ((is & IS_PROGRAM) != 0 || ns < HOST_NS))
		return 0;
	/* the call waits, because the queue of launches is full */
	if ((on & ~FIX_BIT(FIX_OPTIONS)) != 0 && (is & IS_LAUNCH) != 0 &&
	    ns > FULL * p->launch_most)
		left = (double)p->launch_most;
	if ((on & FIX_BIT(FIX_RECORDED)) != 0)
		left -= recorded(p, is, left);
	if ((on & FIX_BIT(FIX_OPTIMIZER)) != 0 && (is & IS_OPTIMIZER) != 0)
		left *= FUSED_CPU;
	return (int64_t)(left + 0.5);
}
