/*
 * What a program has in use already, so that no rule recommends it again: its
 * framework, a compiler, CUDA graphs, optimizers that launch little, the layout
 * of tensors, fused attention and TF32. All of it is seen by what ran.
 */

#include "advise.h"
#include "array.h"
#include "num.h"
#include "out.h"

static void
add_kind(struct facts *f, int kind, int64_t dur)
{
	f->kind[kind].n++;
	f->kind[kind].ns = num_add(f->kind[kind].ns, dur);
}

/* PyTorch: Optimizer.step#Shampoo.step; those with fused=True are known. */
static void
add_other_optimizer(struct facts *f, const struct use_kernel *k)
{
	static const char mark[] = "Optimizer.step#";
	static const char *const fused[] = { "Adagrad", "Adam", "AdamW",
		"SGD" };
	struct mview name = k->layer;
	const char *at, *end = NULL;

	while ((at = mv_find(name, mark)) != NULL) { /* the innermost */
		name = mv(at + sizeof(mark) - 1, name.s + name.n);
		end = mv_find(name, ".step");
	}
	if (end == NULL || end == name.s)
		return;
	name = mv(name.s, end);
	if (!mv_listed(name, fused, ARRAY_LEN(fused)))
		tops_add(&f->other_opt, name.s, name.n, k->dur, 0);
}

/* PyTorch: _foreach_add_, _fused_adamw_; Apex: FusedAdam. */
static void
add_optimizer(struct facts *f, const struct use_kernel *k)
{
	int kind = K_OPTIMIZER;

	if (k->fused || mv_starts(k->op, "_fused_") || mv_has(k->op, "Fused"))
		kind = K_FUSED;
	else if ((k->phase.s == NULL || mv_eq(k->phase, "optimizer")) &&
		 !mv_starts(k->op, "_foreach_copy") &&
		 (mv_starts(k->op, "_foreach_") ||
		     mv_starts(k->name, "multi_tensor_apply")))
		kind = K_FOREACH;
	else if (!mv_eq(k->phase, "optimizer"))
		return;
	add_kind(f, kind, k->dur);
	if (kind != K_FUSED)
		add_other_optimizer(f, k);
	if (kind != K_FUSED && k->op.s != NULL)
		tops_add(&f->optimizer, k->op.s, k->op.n, k->dur, 0);
}

/* What the name of a kernel says. */
enum {
	SAYS_NHWC = 1,
	SAYS_TO_NHWC = 2,
	SAYS_TO_NCHW = 4,
	SAYS_NORM = 8,
	SAYS_ATTENTION = 16,
	SAYS_KNOWN = 32
};

static unsigned
look_at_name(struct mview name)
{
	static const struct {
		const char *part;
		unsigned says;
	} parts[] = { { "nhwc", SAYS_NHWC }, { "NHWC", SAYS_NHWC },
		{ "nchwToNhwc", SAYS_TO_NHWC }, { "nhwcToNchw", SAYS_TO_NCHW },
		{ "batchnorm", SAYS_NORM }, { "batch_norm", SAYS_NORM },
		{ "flash", SAYS_ATTENTION }, { "fmha", SAYS_ATTENTION },
		{ "sdpa", SAYS_ATTENTION }, { "attention", SAYS_ATTENTION } };
	unsigned says = SAYS_KNOWN;
	size_t i;

	for (i = 0; i < ARRAY_LEN(parts); i++)
		if (mv_has(name, parts[i].part))
			says |= parts[i].says;
	return says;
}

#define MAX_NAMES 4096
#define NAME_MAX_LEN 1024

/* A program has few kernels and launches each many times. */
static unsigned
says(struct facts *f, struct mview name)
{
	uint32_t no;

	if (name.s == NULL || name.n > NAME_MAX_LEN)
		return look_at_name(name);
	if (f->said_by.n > MAX_NAMES)
		smap_clear(&f->said_by);
	no = smap_put(&f->said_by, name.s, name.n, NULL);
	if (f->said_by.val[no] == 0)
		f->said_by.val[no] = look_at_name(name);
	return (unsigned)f->said_by.val[no];
}

/* cuDNN: nchwToNhwcKernel, nhwcToNchwKernel; sm80_xmma_fprop_..._nhwckrsc_nhwc,
 * batchnorm_fwtr_nhwc_semiPersist. */
static void
add_layout(struct facts *f, const struct use_kernel *k, unsigned name)
{
	bool nhwc = (name & SAYS_NHWC) != 0;

	if ((name & SAYS_TO_NHWC) != 0)
		add_kind(f, K_TO_NHWC, k->dur);
	else if ((name & SAYS_TO_NCHW) != 0)
		add_kind(f, K_TO_NCHW, k->dur);
	else if (nhwc && (name & SAYS_NORM) != 0)
		add_kind(f, K_NORM_NHWC, k->dur);
	else if (mv_eq(k->family, "conv")) {
		add_kind(f, K_CONV, k->dur);
		if (nhwc)
			add_kind(f, K_CONV_NHWC, k->dur);
	}
}

/* Families of work that is limited by memory, which a compiler fuses into one
 * pass over it. */
static void
add_chain(struct facts *f, const struct use_kernel *k)
{
	static const char *const family[] = { "pointwise", "activation",
		"copy" };
	struct mview name = k->op.s != NULL ? k->op : k->name;
	size_t i;

	if (mv_eq(k->phase, "optimizer"))
		return;
	/* halves are those of a rotary embedding, not a cache that grows */
	if (mv_eq(k->op, "cat") && !k->halves)
		add_kind(f, K_CAT, k->dur);
	if (mv_eq(k->family, "loss"))
		add_kind(f, K_LOSS, k->dur);
	for (i = 0; i < ARRAY_LEN(family); i++)
		if (mv_eq(k->family, family[i])) {
			add_kind(f, K_POINTWISE, k->dur);
			if (name.s != NULL)
				tops_add(&f->chain, name.s, name.n, k->dur, 0);
		}
}

void
use_add(struct facts *f, const struct use_kernel *k)
{
	unsigned name = says(f, k->name);

	if (k->graph)
		add_kind(f, K_GRAPH, k->dur);
	if (mv_starts(k->name, "triton_") ||
	    mv_has(k->op, "CompiledFunction") ||
	    mv_has(k->layer, "Torch-Compiled Region"))
		add_kind(f, K_COMPILED, k->dur);
	if ((name & SAYS_ATTENTION) != 0 || mv_eq(k->family, "attention"))
		add_kind(f, K_ATTENTION, k->dur);
	else if (k->scores && mv_eq(k->family, "gemm")) {
		add_kind(f, K_VALUES, k->dur);
	} else if (k->scores) {
		add_kind(f, K_SCORES, k->dur);
		tops_add(&f->scores, k->op.s, k->op.n, k->dur, 0);
	}
	/* attention has a switch of its own */
	if (mv_eq(k->dtype, "tf32") &&
	    (mv_eq(k->family, "gemm") || mv_eq(k->family, "conv")))
		add_kind(f, K_TF32, k->dur);
	add_optimizer(f, k);
	add_layout(f, k, name);
	add_chain(f, k);
}

static enum use_state
use_if(bool any, bool yes)
{
	return yes ? USE_YES : any ? USE_NO : USE_UNKNOWN;
}

/* A channels-last model has batch norms of that layout. Without them the
 * conversions tell: cuDNN converts the two inputs of a product, and its result
 * back, so the more frequent direction is that of the inputs. */
static enum use_state
channels_last(const struct facts *f)
{
	uint64_t in = f->kind[K_TO_NHWC].n, out = f->kind[K_TO_NCHW].n;

	if (f->kind[K_CONV].n == 0)
		return USE_UNKNOWN;
	if (f->kind[K_NORM_NHWC].n > 0 || out > in)
		return USE_YES;
	return in > 0 ? USE_NO : use_if(false, f->kind[K_CONV_NHWC].n > 0);
}

enum use_state
use_of(const struct facts *f, int which)
{
	const struct facts_sum *k = f->kind;
	uint64_t opt = k[K_FOREACH].n + k[K_FUSED].n + k[K_OPTIMIZER].n;
	bool attends = k[K_ATTENTION].n + k[K_SCORES].n > 0;

	switch (which) {
	case USE_COMPILED:
		return use_if(f->n_kern > 0,
		    k[K_COMPILED].n > 0 || (f->frameworks & FW_XLA) != 0);
	case USE_GRAPHS:
		return use_if(
		    f->n_kern > 0, k[K_GRAPH].n > 0 || f->n_graph > 0);
	case USE_FOREACH:
		/* a fused optimizer counts its steps by foreach */
		return use_if(opt > 0, k[K_FOREACH].n > 0 && k[K_FUSED].n == 0);
	case USE_FUSED:
		return use_if(opt > 0, k[K_FUSED].n > 0);
	case USE_CHANNELS_LAST:
		return channels_last(f);
	case USE_SDPA:
		return use_if(attends, k[K_ATTENTION].n > 0);
	case USE_TF32:
		return use_if(f->fp32.all.n > 0, k[K_TF32].n > 0);
	default:
		return USE_UNKNOWN;
	}
}

const char *
use_name(int which)
{
	static const char *const name[N_USE] = { "compiled", "graphs",
		"foreach", "fused", "channels_last", "sdpa", "tf32" };

	return name[which];
}

/* Forward work that a thread of autograd launches in the backward pass is
 * computed again, and begins no forward pass. */
static void
add_pass(struct facts *f, const struct rec *r, int64_t dur)
{
	struct mview phase = rec_get(r, COL_phase), dir, op;
	int64_t tid = rec_num_or(r, COL_tid, -1);

	dir = rec_get(r, COL_dir);
	if (mv_eq(dir, "bprop") ||
	    (dir.s == NULL && mv_eq(phase, "backward"))) {
		f->n_pass += f->in_forward;
		f->in_forward = false;
	} else if ((mv_eq(dir, "fprop") && !mv_eq(phase, "optimizer")) ||
		   (dir.s == NULL && mv_eq(phase, "forward"))) {
		if (f->n_pass == 0 && !f->in_forward)
			f->forward_by = tid;
		if (tid != f->forward_by && mv_eq(phase, "backward")) {
			op = rec_get(r, COL_op);
			add_kind(f, K_AGAIN, dur);
			tops_add(&f->again, op.s, op.n, dur, 0);
		}
		f->in_forward |= tid == f->forward_by;
	}
}

/* The sum of hashes does not depend on the order of kernels. */
void
use_add_step(struct facts *f, const struct rec *r, bool graph, int64_t dur)
{
	struct mview name = rec_get(r, COL_short), grid = rec_get(r, COL_grid);
	int64_t no, op = rec_num_or(r, COL_op_id, 0);
	uint64_t h;

	if (!advise_iter(f, r, COL_iter, &no))
		return;
	add_pass(f, r, dur);
	if (graph)
		return;
	h = hash_bytes(name.s, name.n) ^ hash_mix((uint64_t)op);
	h = hash_mix(h) ^ hash_bytes(grid.s, grid.n);
	*map_put(&f->step_shape, (uint64_t)no, NULL) += hash_mix(h);
	++*map_put(&f->step_kernels, (uint64_t)no, NULL);
}

static bool
most_differ(const struct map *steps)
{
	struct map seen = { 0 };
	uint64_t step, v;
	size_t at = 0, n;

	while (map_next(steps, &at, &step, &v))
		map_put(&seen, v, NULL);
	n = seen.n;
	map_free(&seen);
	return steps->n >= 4 && 2 * n > steps->n;
}

enum use_vary
use_varies(const struct facts *f)
{
	return most_differ(&f->step_kernels) ? VARY_KERNELS
	       : most_differ(&f->step_shape) ? VARY_SIZES
					     : VARY_NO;
}
