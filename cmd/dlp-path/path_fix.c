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
	[FIX_STRAGGLER] = "straggler",
};

/* Ranges of ops are written and formatted in the op's own time and just before
 * it: their dispatch alone is short. A launch takes longer, too; what recording
 * it takes outside of the call is the op's own time, or not seen at all. */
#define OP_PART 0.9
#define BEFORE_PART 0.5
#define LAUNCH_PART 0.4
#define LAUNCH_ALONE 0.7
#define TORCH_PART 0.85 /* of these: torch.profiler writes no texts */
#define FULL 8          /* times the median launch */
#define OP_PIECES 2     /* times the longest of nine in ten pieces, at most */

/* Products reach these parts of the peak of TF32 and of the memory's rate;
 * those of bf16 as much, with the casts around them. Where FLOPs or peaks are
 * unknown they take a part of their time in fp32. */
#define TENSOR_PART 0.3
#define MEMORY_PART 0.7
#define TENSOR_LEAST 3000
#define TENSOR_CORES 0.27

/* A fused optimizer reads and writes each parameter once, in one launch. */
#define FUSED_WORK 0.4
#define FUSED_CPU 0.1

/* ns: what the program does longer than that outside of ops, calls and phases
 * is no part of a graph */
#define HOST_NS 1000000

#define PINNED 25.0F /* bytes a ns, of an unknown device */
#define WORKERS                                                                \
	8 /* that a loader without any gets, if there are twice as many        \
	   * CPUs */
#define LARGE ((int64_t)1 << 20) /* a copy that shows the rate of its link */

/* Lengths by bins of 64 ns. */
#define BINS 2048
#define BIN_NS 64

struct lengths {
	uint64_t n[BINS], all;
};

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

/* What recording takes at most, of each file: it has a recorder of its own. */
static void
measure_rank(struct path *p, uint32_t rank)
{
	const struct path_piece *v = p->pieces.v;
	struct lengths *op = xcalloc(2, sizeof(*op)), *l;
	const struct path_what *w;
	int64_t bin;
	size_t i, k;

	for (i = 0; i < p->n_thread; i++)
		for (k = p->thread[i].piece_lo;
		     k + 1 < p->thread[i].piece_hi && p->thread[i].rank == rank;
		     k++) {
			w = (struct path_what *)p->whats.v + v[k].what;
			if ((w->is & (IS_OP | IS_LAUNCH)) == 0)
				continue;
			l = &op[(w->is & IS_LAUNCH) != 0];
			bin = (v[k + 1].start - v[k].start) / BIN_NS;
			l->n[bin < BINS ? bin : BINS - 1]++;
			l->all++;
		}
	p->rank[rank].op_most = OP_PIECES * lengths_at(&op[0], 9);
	p->rank[rank].launch_most = lengths_at(&op[1], 5);
	free(op);
}

void
path_fix_open(struct path *p)
{
	const struct path_what *w;
	size_t i;

	for (i = 0; i < p->n_rank; i++)
		measure_rank(p, (uint32_t)i);
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
	if (p->arrivals.n > 0)
		p->fixes |= FIX_BIT(FIX_STRAGGLER);
}

uint16_t
path_fix_is(const struct rec *r, const struct path_act *a)
{
	struct mview text = rec_get(r, COL_text), op = rec_get(r, COL_op);
	struct mview api = rec_get(r, COL_api);
	unsigned is = a->type == ACT_OP ? IS_OP : 0;

	if (a->type != ACT_RANGE || a->phase != PATH_NONE)
		is |= IS_PROGRAM;
	if (mv_eq(rec_get(r, COL_phase), "optimizer"))
		is |= IS_OPTIMIZER;
	if (mv_has(text, "DataLoader") || mv_has(text, "dataload") ||
	    mv_has(op, "DataLoader") || mv_has(text, "next_batch"))
		is |= IS_LOADER;
	if (mv_has(text, "MultiProcessing") || mv_has(op, "MultiProcessing"))
		is |= IS_WAIT;
	if (mv_eq(op, "item") || mv_eq(op, "_local_scalar_dense") ||
	    mv_eq(op, "is_nonzero"))
		is |= IS_ITEM;
	if (mv_has(api, "ynchronize") ||
	    (mv_has(api, "emcpy") && !mv_has(api, "Async")))
		is |= IS_BLOCK;
	if (mv_has(api, "Malloc") || mv_has(api, "Free"))
		is |= IS_ALLOC;
	return (uint16_t)is;
}

/* How many times as long a product in fp32 takes with Tensor Cores. */
static float
tensor_factor(struct path *p, const struct rec *r, const struct path_work *w)
{
	const struct path_peaks *k = path_peaks_of(p, r);
	double flop = 0, bytes = 0, now, len = (double)(w->end - w->start);

	(void)rec_real(r, COL_flop, &flop);
	(void)rec_real(r, COL_bytes, &bytes);
	if (flop <= 0 || len <= 0 || k == NULL || k->tensor == 0)
		return (float)TENSOR_CORES;
	now = flop / (1000 * TENSOR_PART * k->tensor);
	if (k->gb_s > 0 && bytes / (MEMORY_PART * k->gb_s) > now)
		now = bytes / (MEMORY_PART * k->gb_s);
	now += TENSOR_LEAST;
	return now < len ? (float)(now / len) : 1;
}

/* In fp32 an op can have many kernels, of Fourier transforms and the like, that
 * one with Tensor Cores replaces. */
static void
read_product(struct path *p, const struct rec *r, struct path_work *w)
{
	struct mview fam = rec_get(r, COL_family), why = rec_get(r, COL_tc_why);
	struct mview role = rec_get(r, COL_role);
	int64_t op;
	bool product = fam.n > 0 && kind_is_product(fam.s, fam.n);
	bool fp32 = mv_eq(why, "fp32") || (product && mv_eq(why, "fft"));
	uint32_t no = PATH_NONE;

	w->helps = w->product = PATH_NONE;
	if (w->tag != TAG_KERNEL || (!product && !fp32))
		return;
	if (rec_num(r, COL_op_id, &op))
		no = w->product = smap_put_pair(
		    &p->retype.ops, p->stream[w->stream].rank, op, NULL);
	if (product && no != PATH_NONE &&
	    (mv_eq(role, "aux") || mv_eq(role, "part"))) {
		w->helps = no;
		return;
	}
	if (no != PATH_NONE && fp32)
		p->retype.ops.val[no] |= OP_FP32;
	if (no != PATH_NONE && mv_eq(rec_get(r, COL_tc), "yes"))
		p->retype.ops.val[no] |= OP_TENSOR_CORES;
	if (!fp32)
		return;
	w->fix |= FIX_BIT(FIX_TENSOR_CORES);
	w->tensor = tensor_factor(p, r, w);
}

/* A copy over the link of a device: what it tells, or would take if pinned. */
static void
read_copy(struct path *p, const struct rec *r, struct path_work *w)
{
	struct mview from = rec_get(r, COL_src_mem);
	const struct path_peaks *k = path_peaks_of(p, r);
	double rate = (double)w->bytes / (double)(w->end - w->start);
	struct path_rank *rank = &p->rank[p->stream[w->stream].rank];

	if (mv_eq(from, "pageable")) {
		w->fix |= FIX_BIT(FIX_COPIES);
		w->pinned = k != NULL ? (float)k->pinned : PINNED;
	} else if (mv_eq(from, "pinned") && w->bytes >= LARGE &&
		   w->end > w->start && rate > rank->pinned) {
		rank->pinned = rate;
	}
}

void
path_fix_read(struct path *p, const struct rec *r, struct path_work *w)
{
	if (w->tag == TAG_COMM)
		w->fix |= FIX_BIT(FIX_COMM);
	if (w->tag == TAG_KERNEL &&
	    (mv_eq(rec_get(r, COL_phase), "optimizer") ||
		mv_eq(rec_get(r, COL_family), "optimizer")))
		w->fix |= FIX_BIT(FIX_OPTIMIZER);
	read_product(p, r, w);
	if (w->tag == TAG_COPY)
		read_copy(p, r, w);
	p->fixes |= w->fix;
}

bool
path_needless(const struct path *p, unsigned on, uint32_t helps)
{
	return (on & FIX_BIT(FIX_TENSOR_CORES)) != 0 && helps != PATH_NONE &&
	       p->retype.ops.val[helps] == OP_FP32;
}

double
path_fix_work(const struct path *p, unsigned on, const struct path_work *w)
{
	double f = 1, len = (double)(w->end - w->start), now;

	if (path_needless(p, on, w->helps))
		return 0;
	on &= w->fix;
	if ((on & FIX_BIT(FIX_OPTIMIZER)) != 0)
		f *= FUSED_WORK;
	if ((on & FIX_BIT(FIX_TENSOR_CORES)) != 0 &&
	    path_measured(p, w) == NULL)
		f *= w->tensor;
	if ((on & FIX_BIT(FIX_COPIES)) != 0 && w->bytes >= 0) {
		now = p->rank[p->stream[w->stream].rank].pinned;
		now = now > 0 ? now : w->pinned;
		now = (double)w->bytes / now;
		if (now < len)
			f *= now / len;
	}
	return f;
}

int64_t
path_workers(const struct path *p)
{
	int64_t half = p->maker.n_cpu / 2;

	if (p->workers > 0)
		return p->workers;
	return half == 0 || half > WORKERS ? WORKERS : half;
}

/* ns of a piece that recording takes. */
static double
recorded(const struct path *p, const struct path_rank *k,
    const struct path_what *what, double ns)
{
	double most = (double)k->op_most, part = 0;
	uint32_t is = what->is;

	if ((is & IS_LAUNCH) != 0) {
		most = (double)k->launch_most;
		part = what->op != PATH_NONE ? LAUNCH_PART : LAUNCH_ALONE;
	} else if ((is & IS_LOADER) != 0) {
		part = 0;
	} else if ((is & IS_OP) != 0) {
		part = OP_PART;
	} else if ((is & IS_BEFORE) != 0) {
		part = BEFORE_PART;
	}
	part *= p->maker.torch ? TORCH_PART : 1;
	return part * (ns < most ? ns : most);
}

int64_t
path_fix_cpu(const struct path *p, const struct path_rank *k, unsigned on,
    const struct path_what *what, int64_t ns)
{
	double left = (double)ns;
	uint32_t is = what->is;

	if (((on & FIX_BIT(FIX_SYNC)) != 0 && (is & IS_ITEM) != 0) ||
	    path_needless(p, on, what->helps) ||
	    ((on & FIX_BIT(FIX_LOADER)) != 0 && (is & IS_LOADER) != 0) ||
	    ((on & FIX_BIT(FIX_ALLOC)) != 0 && (is & IS_ALLOC) != 0))
		return 0;
	if ((on & FIX_BIT(FIX_LAUNCHES)) != 0 && (is & IS_LOADER) == 0 &&
	    ((is & IS_PROGRAM) != 0 || ns < HOST_NS))
		return 0;
	/* the call waits, because the queue of launches is full */
	if ((on & ~FIX_ASKED) != 0 && (is & IS_LAUNCH) != 0 &&
	    ns > FULL * k->launch_most)
		left = (double)k->launch_most;
	if ((on & FIX_BIT(FIX_RECORDED)) != 0)
		left -= recorded(p, k, what, left);
	if ((on & FIX_BIT(FIX_OPTIMIZER)) != 0 && (is & IS_OPTIMIZER) != 0)
		left *= FUSED_CPU;
	return (int64_t)(left + 0.5);
}
