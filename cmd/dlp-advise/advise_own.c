/*
 * The rules that DLProf did not have: each is a judge, followed by its name,
 * its threshold and one line that says when it fires. Thresholds of 5 % for
 * data loading, 10 % for communication and 90 % for memory are those of the
 * TensorBoard profiler plugin; the others are our own choice.
 */
#include <string.h>

#include "advise.h"
#include "array.h"
#include "num.h"

#define IDLE (1U << B_LOAD | 1U << B_IO | 1U << B_CPU | 1U << B_OTHER)

static double
idle_pct(const struct facts *f)
{
	return facts_busy_pct(f, IDLE);
}

/* Calls cost no more than the time that the GPU waits. */
static void
gain_of_calls(const struct facts *f, int64_t ns, struct advise_verdict *v)
{
	int64_t idle = facts_busy_ns(f, IDLE);

	if (f->has_busy)
		verdict_gain(v, ns < idle ? ns : idle);
}

/* idle time after or in waits, in percent, that makes them count */
#define SYNC_PCT 1

/* The op with the most of this time; if most has no op, the kernel. */
static void
say_first_op(
    const struct facts *f, const struct tops *t, struct advise_verdict *v)
{
	bool ops = 2 * f->no_op_ns <= f->kern_ns;
	size_t n;
	const char *s = tops_first(t, &n);

	if (s != NULL)
		verdict_where(
		    v, ops ? "ops" : "kernels", ops ? "op" : "short", s);
}

/* A rule that needs idle time by reason. */
static bool
no_gaps(const struct facts *f, struct advise_verdict *v)
{
	if (f->has_gaps || (f->has_busy && facts_busy_ns(f, IDLE) == 0))
		return false;
	verdict_untimed(f, v, "gap records: dlp-gaps");
	return true;
}

/* A part of DLProf's detector of underutilized GPUs, which ignores idle time as
 * soon as a GPU is unused; here both are judged. */
static void
judge_unused_gpus(const struct facts *f, double limit, struct advise_verdict *v)
{
	struct buf unused = { 0 };
	uint64_t n = 0;
	size_t i;

	if (verdict_no_work(f, v))
		return;
	if (f->maker.torch || f->maker.rocprof) {
		verdict_unjudged(v,
		    maker_text(&f->maker, NULL,
			"other processes: a trace of torch.profiler holds one",
			"other processes: a file of rocprofv3 holds one"));
		return;
	}
	for (i = 0; i < f->n_dev; i++)
		if (!f->dev[i].used) {
			buf_puts(&unused, n++ > 0 ? ", " : "");
			buf_i64(&unused, f->dev[i].dev);
		}
	if (f->n_dev - n == 1 && f->comm.all.n > 0)
		n = 0; /* one rank of several: the others are theirs */
	buf_u64(&v->value, n);
	verdict_where(v, "devices");
	if ((double)n > limit)
		say_unused_gpus(v, buf_str(&unused));
	buf_free(&unused);
}

const struct advise_rule rule_unused_gpus = {
	.id = "unused_gpus",
	.version = 1,
	.limit = 0,
	.unit = "GPUs",
	.help = "visible GPUs on which nothing runs",
	.judge = judge_unused_gpus,
};

/* What the program calls, by the op of the call that waited; mk: PyTorch's
 * names. */
static void
say_sync_advice(const struct facts *f, struct advise_verdict *v)
{
	static const struct {
		const char *op, *say;
	} known[] = {
		{ " of item", "the .item() (or float(), print()) of a tensor" },
		{ " of _local_scalar_dense", "the .item() of a tensor" },
		{ " of is_nonzero", "the test of a tensor (if x:)" },
		{ " of nonzero", "the nonzero() or the boolean mask" },
		{ " of index", "the index by a boolean mask" },
		{ " of masked_select", "the masked_select()" },
		{ " of unique", "the unique()" },
		{ " of to", "the copy: .to(device, non_blocking=True) from"
			    " pinned memory, or .cpu()" },
		{ " of copy_", "the copy: copy_(non_blocking=True) from pinned"
			       " memory, or .cpu()" },
		{ "cudaDeviceSynchronize", "torch.cuda.synchronize()" },
		{ "hipDeviceSynchronize", "torch.cuda.synchronize()" },
	};
	size_t n, i, k;
	const char *s = tops_first(&f->sync, &n), *at;

	if ((f->frameworks & FW_PYTORCH) == 0) {
		buf_puts(&v->advice, "Move the wait to the end of the step, or"
				     " launch the next work before it");
		return;
	}
	for (i = 0; i < ARRAY_LEN(known) && s != NULL; i++) {
		at = strstr(s, known[i].op);
		k = strlen(known[i].op);
		if (at != NULL && (at[k] == '\0' || at[k] == ' '))
			break;
	}
	if (s != NULL && i < ARRAY_LEN(known))
		buf_printf(&v->advice,
		    "Move %s out of the step, or to its end, or do it in some"
		    " steps only",
		    known[i].say);
	else
		buf_puts(&v->advice,
		    "Avoid .item(), .cpu(), print() of tensors, boolean masks"
		    " and nonzero() inside the step");
	if (f->scaler)
		buf_puts(&v->advice,
		    "; GradScaler's .item() is in scaler.step(): an optimizer"
		    " with fused=True checks for inf on the GPU, and bfloat16"
		    " needs no GradScaler");
}

/* Waiting costs nothing while the GPU has work, so calls count only if the GPU
 * idles until the call has returned, or afterwards. */
static void
judge_sync_calls(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t idle = num_add(f->gap_ns[G_SYNC], f->gap_ns[G_AFTER_SYNC]);

	if (verdict_no_steps(f, v) || no_gaps(f, v))
		return;
	if (verdict_above(v, facts_per_iter(f, f->sync.all.n), limit) &&
	    facts_share_pct(f, idle) < SYNC_PCT)
		v->judged = V_NO;
	verdict_gain(v, idle);
	v->within = f->gap_ns[G_AFTER_SYNC] >= f->gap_ns[G_SYNC]
			? "idle_after_sync"
			: NULL;
	verdict_where(v, "gaps", "class",
	    f->gap_ns[G_AFTER_SYNC] > f->gap_ns[G_SYNC] ? "after-sync"
							: "sync");
	tops_put(&f->sync, &v->evidence, 3);
	buf_printf(&v->problem,
	    "The CPU waits for the GPU %s times per step, and the GPU idles"
	    " for ",
	    buf_str(&v->value));
	say_time(&v->problem, idle / (int64_t)(f->n_iter > 0 ? f->n_iter : 1));
	buf_puts(&v->problem, " per step until it gets work again");
	say_sync_advice(f, v);
}

const struct advise_rule rule_sync_calls = {
	.id = "sync_calls",
	.version = 2,
	.limit = 1,
	.unit = "calls per iteration",
	.help = "API calls that wait for the GPU, for which it idles for 1 % "
		"of the time",
	.judge = judge_sync_calls,
};

static void
judge_idle_after_sync(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t ns = f->gap_ns[G_AFTER_SYNC];

	if (no_gaps(f, v))
		return;
	verdict_above(v, facts_share_pct(f, ns), limit);
	verdict_gain(v, ns);
	verdict_where(v, "gaps", "class", "after-sync");
	tops_put(&f->gap_in[G_AFTER_SYNC], &v->evidence, 3);
	buf_printf(&v->problem,
	    "The GPU idles for %s %% of the time after calls that waited for"
	    " it, until the program has launched work again",
	    buf_str(&v->value));
	say_sync_advice(f, v);
}

const struct advise_rule rule_idle_after_sync = {
	.id = "idle_after_sync",
	.version = 1,
	.limit = 3,
	.unit = "percent",
	.help = "idle time after a call that waited for the GPU has returned",
	.judge = judge_idle_after_sync,
};

static void
say_launches(const struct facts *f, int64_t wall, struct advise_verdict *v)
{
	double kern = (double)f->kern_ns / (double)f->n_kern;

	double n = facts_per_iter(f, f->n_launch);

	buf_printf(
	    &v->problem, ": %.0f launch%s per step", n, n < 1.5 ? "" : "es");
	if (f->n_launch < f->n_kern)
		buf_printf(&v->problem, " start%s %.0f kernels",
		    n < 1.5 ? "s" : "", facts_per_iter(f, f->n_kern));
	buf_puts(&v->problem, ", one every ");
	say_time(&v->problem, wall / (int64_t)f->n_launch);
	buf_puts(&v->problem, "; a kernel takes ");
	say_time(&v->problem, (int64_t)kern);
	buf_puts(&v->problem, " on average");
}

/* What the ranges of a run of an op cost: dlp-record counts them. Otherwise
 * the least that was measured: emit_nvtx writes four or five ranges for a run,
 * and formats the sizes of their inputs; 1,477 ranges for 389 runs made a step
 * of 8.6 ms take 11.6 ms (PyTorch 2.11, no profiler). */
static int64_t
run_cost(const struct facts *f)
{
	if (f->marker_ns > 0 && f->n_marked_all > 0)
		return f->marker_ns / (int64_t)f->n_marked_all;
	return 7000;
}

/* What the ranges of ops cost in the steps. The GPU waits for it. */
static int64_t
marker_cost(const struct facts *f)
{
	int64_t ns = num_mul((int64_t)f->n_marked, run_cost(f));

	return ns < f->gap_ns[G_LAUNCH] ? ns : f->gap_ns[G_LAUNCH];
}

/* How much of the launch-bound time is due to the recording alone. A trace of
 * torch.profiler does not tell. On an H200 steps took 1.4 times (LeNet, without
 * any option) to 1.8 times (ResNet-50, record_shapes) as long as under Nsight
 * Systems with emit_nvtx. */
static void
say_marker_cost(const struct facts *f, int64_t ns, struct advise_verdict *v)
{
	double pct = facts_share_pct(f, ns);

	if (f->maker.torch) {
		buf_puts(&v->problem, ". A part of that is torch.profiler's"
				      " own time");
		if (f->options[0] != '\0')
			buf_printf(&v->problem, " (%s)", f->options);
		buf_puts(&v->problem, "; a trace does not tell how much");
		buf_puts(&v->advice,
		    "First time a step without the profiler. Then launch"
		    " less: ");
		return;
	}
	if (pct < rule_marker_cost.limit)
		return;
	buf_printf(&v->problem,
	    ". At least %.0f %% of the time is due to the recording: to the"
	    " ranges of ops",
	    pct);
	buf_printf(&v->advice,
	    "First see how much is left without the ranges of ops (%s)."
	    " Then launch less: ",
	    f->marker_ns > 0 ? "dlp-record --markers=layers"
			     : "no emit_nvtx, only ranges of steps");
}

static void
judge_launch_bound(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	double wait = facts_share_pct(f, f->gap_ns[G_LAUNCH]);
	int64_t wall = 0, own;
	size_t i;

	if (!f->has_busy) {
		verdict_untimed(f, v, "busy records: dlp-busy");
		return;
	}
	if (!f->has_gaps && idle_pct(f) > limit) {
		verdict_untimed(f, v, "gap records: dlp-gaps");
		return;
	}
	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].n_kern > 0)
			wall = num_add(wall, facts_dev_wall(&f->dev[i]));
	if (wall == 0 || f->n_kern == 0 || verdict_no_steps(f, v))
		return;
	if (verdict_above(v, wait, limit) && f->kern_ns >= wall)
		v->judged = V_NO;
	own = f->maker.torch ? 0 : marker_cost(f);
	verdict_gain(v, f->gap_ns[G_LAUNCH] - own);
	verdict_where(v, "gaps", "class", "launch-bound");
	buf_printf(&v->problem,
	    "The GPU waits for launches for %.1f %% of the time", wait);
	if (f->n_launch > 0)
		say_launches(f, wall, v);
	say_marker_cost(f, own, v);
	tops_put(&f->gap_in[G_LAUNCH], &v->evidence, 3);
	if (v->advice.len == 0)
		buf_puts(&v->advice, "Launch less: ");
	buf_puts(&v->advice, use_launch_advice(f));
	buf_puts(&v->advice,
	    "; dlp whatif --zero-launch FILE predicts what that gains at most");
}

const struct advise_rule rule_launch_bound = {
	.id = "launch_bound",
	.version = 3,
	.limit = 30,
	.unit = "percent",
	.help = "idle time that dlp-gaps calls launch-bound, and kernels are "
		"shorter than the time between two of them",
	.judge = judge_launch_bound,
};

/* The time in which nothing but communication runs. */
static int64_t
bare_ns(const struct facts *f, int64_t *all)
{
	int64_t bare = 0;
	size_t i;

	*all = 0;
	for (i = 0; i < f->n_dev; i++) {
		*all = num_add(*all, facts_dev_comm(&f->dev[i]));
		bare = num_add(bare, facts_dev_bare(&f->dev[i]));
	}
	return bare;
}

/* Fully sharded programs gather and scatter for more than one layer. */
static bool
shards(const struct facts *f)
{
	static const char *const names[] = { "all_gather", "reduce_scatter" };
	size_t i;
	uint32_t at;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		at = smap_find(&f->coll.names, names[i], strlen(names[i]));
		if (at == SMAP_NONE || facts_per_iter(f, f->coll.v[at].n) < 2)
			return false;
	}
	return true;
}

/* As DistributedDataParallel does: gradients are summed, nothing is sharded. */
static bool
reduces(const struct facts *f)
{
	size_t n = 0;
	const char *s = tops_first(&f->coll, &n);

	return s != NULL && text_is(s, n, "all_reduce") && !shards(f);
}

/* The rank that the others waited for, for more than half of the time; NULL if
 * there is no such rank. */
static const char *
late_rank(const struct facts *f, size_t *n)
{
	const char *s = tops_first(&f->late, n);
	uint32_t at = s != NULL ? smap_find(&f->late.names, s, *n) : SMAP_NONE;

	return at != SMAP_NONE && f->late.v[at].ns > f->late.all.ns / 2 ? s
									: NULL;
}

static bool
is_late_rank(const struct facts *f)
{
	size_t n;
	const char *s = late_rank(f, &n);

	return s != NULL && n == f->rank.len && memcmp(s, f->rank.s, n) == 0;
}

/* For whom the collectives of a rank waited, or who waited for it. */
static void
say_late_rank(const struct facts *f, struct buf *b)
{
	size_t n;
	const char *s = late_rank(f, &n);

	if (is_late_rank(f))
		buf_puts(b, ". The other ranks wait for this one");
	else if (s != NULL)
		buf_printf(b, " for rank %.*s, which waits least", (int)n, s);
	else
		buf_puts(b, " for other ranks, not always for the same one");
}

static void
advise_late_rank(const struct facts *f, struct buf *b)
{
	size_t n;
	const char *s = late_rank(f, &n);

	if (is_late_rank(f))
		buf_puts(b,
		    "Find out why it comes late: its other findings, and"
		    " dlp ranks FILE...");
	else if (s != NULL)
		buf_printf(b,
		    "Find out why rank %.*s comes late: its findings, and"
		    " dlp ranks FILE...",
		    (int)n, s);
	else
		buf_puts(b, "dlp ranks FILE... tells which rank is late when");
	buf_puts(b, "; dlp whatif --no-straggler FILE... predicts the steps if"
		    " no rank waited");
}

/* What to do about communication, as far as it is known whether it waits. */
static void
advise_comm(const struct facts *f, int64_t all, struct buf *b)
{
	if (f->ranked && f->rank_wait > all / 2) {
		advise_late_rank(f, b);
		return;
	}
	buf_puts(b,
	    f->ranked ? "Most of it is sending, not waiting"
		      : "Record all ranks: dlp ranks FILE... tells waiting for"
			" a late rank from sending");
	buf_puts(b, "; dlp whatif --perfect-overlap FILE predicts what hiding"
		    " it gains at most");
	if ((f->frameworks & FW_PYTORCH) != 0 && reduces(f))
		buf_puts(b,
		    "; overlap sending with the backward pass"
		    " (DistributedDataParallel's bucket_cap_mb), or send half"
		    " precision (bf16_compress_hook)");
}

static void
judge_exposed_comm(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t all, bare = bare_ns(f, &all);

	if (f->comm.all.n == 0)
		return;
	verdict_above(v, facts_share_pct(f, bare), limit);
	verdict_gain(v, bare);
	verdict_where(v, "ops", "dir", "comm");
	tops_put(&f->coll, &v->evidence, 3);
	buf_printf(&v->problem,
	    "Communication that no other kernel hides takes %s %% of the"
	    " time: ",
	    buf_str(&v->value));
	say_time(&v->problem, bare);
	buf_puts(&v->problem, " of ");
	say_time(&v->problem, all);
	if (f->ranked && f->rank_wait > 0 && !is_late_rank(f)) {
		buf_puts(&v->problem, ". ");
		say_time(&v->problem, f->rank_wait);
		buf_puts(&v->problem, " of the ");
		say_time(&v->problem, all);
		buf_puts(&v->problem, " are waiting");
	}
	if (f->ranked && (f->rank_wait > 0 || is_late_rank(f)))
		say_late_rank(f, &v->problem);
	advise_comm(f, all, &v->advice);
}

const struct advise_rule rule_exposed_comm = {
	.id = "exposed_comm",
	.version = 3,
	.limit = 10,
	.unit = "percent",
	.help = "communication that no other kernel hides",
	.judge = judge_exposed_comm,
};

/* Fully sharded: parameters are gathered before each layer. */
static void
judge_fsdp_prefetch(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t all, bare = bare_ns(f, &all);

	if (!shards(f) || (f->frameworks & FW_PYTORCH) == 0)
		return;
	verdict_above(v, facts_share_pct(f, bare), limit);
	verdict_gain(v, bare);
	v->within = "exposed_comm";
	verdict_where(v, "ops", "op", "all_gather");
	tops_put(&f->coll, &v->evidence, 3);
	buf_printf(&v->problem,
	    "Gathering and scattering of shards is not hidden by other work"
	    " for %s %% of the time",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Prefetch (set_modules_to_forward_prefetch and"
	    " set_modules_to_backward_prefetch of fully_shard), shard larger"
	    " blocks, or keep parameters after the forward pass"
	    " (reshard_after_forward=False)");
}

const struct advise_rule rule_fsdp_prefetch = {
	.id = "fsdp_prefetch",
	.version = 2,
	.limit = 10,
	.unit = "percent",
	.help = "communication of sharded parameters that nothing hides",
	.judge = judge_fsdp_prefetch,
};

/* Known, because all ranks are there. */
static void
judge_known_wait(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t all, bare = bare_ns(f, &all);

	verdict_above(v, facts_share_pct(f, f->rank_wait), limit);
	/* what other work hides costs nothing */
	verdict_gain(v, f->rank_wait < bare ? f->rank_wait : bare);
	buf_puts(&v->problem, "Collectives take ");
	say_time(&v->problem, all);
	buf_puts(&v->problem, ", and ");
	say_time(&v->problem, f->rank_wait);
	buf_puts(&v->problem, " of it are waiting");
	say_late_rank(f, &v->problem);
	advise_late_rank(f, &v->advice);
}

/* The same collective takes longer if it waits for another rank. */
static void
judge_rank_wait(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t wait = 0;
	size_t i;

	if (f->comm.all.n == 0)
		return;
	v->within = "exposed_comm";
	verdict_where(v, "ops", "dir", "comm");
	tops_put(&f->coll, &v->evidence, 3);
	if (f->ranked) {
		judge_known_wait(f, limit, v);
		return;
	}
	if (f->n_alike == 0) {
		verdict_unjudged(v, "sizes of the collectives: ranges of"
				    " torch.distributed, with shapes");
		return;
	}
	for (i = 0; i < f->alike.n; i++)
		wait =
		    num_add(wait, f->alike_v[i].ns - (int64_t)f->alike_v[i].n *
							 f->alike_v[i].least);
	verdict_above(v, facts_share_pct(f, wait), limit);
	verdict_gain(v, wait);
	buf_puts(&v->problem,
	    "Collectives of the same size on this rank take longer than the"
	    " fastest of them, in all by ");
	say_time(&v->problem, wait);
	buf_puts(&v->problem, ": probably they wait for another rank");
	buf_puts(&v->advice,
	    "Record all ranks, and look for the late one: dlp ranks FILE..."
	    " also sees what one rank cannot, a rank that is late each time;"
	    " dlp whatif --no-straggler FILE... predicts the steps without");
}

const struct advise_rule rule_rank_wait = {
	.id = "rank_wait",
	.version = 2,
	.limit = 5,
	.unit = "percent",
	.help = "collectives wait for other ranks; without these, they take"
		" longer than the fastest of the same size",
	.judge = judge_rank_wait,
};

/* In percent of all work, because kernels wait for copies. */
static void
judge_pageable_copies(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t all = facts_work_ns(f);

	if (all <= 0)
		return;
	verdict_above(
	    v, 100.0 * (double)f->pageable.all.ns / (double)all, limit);
	verdict_gain(v, f->pageable.all.ns);
	verdict_where(
	    v, "copies", f->pageable_src ? "src_mem" : "dst_mem", "pageable");
	tops_put(&f->pageable, &v->evidence, 3);
	buf_printf(&v->problem,
	    "%s %% of the GPU's work is copying from or to pageable memory,"
	    " slowly and while the CPU waits: ",
	    buf_str(&v->value));
	say_size(&v->problem, f->pageable.all.bytes);
	buf_puts(
	    &v->advice, (f->frameworks & FW_PYTORCH) != 0
			    ? "Use pinned memory: DataLoader(pin_memory=True),"
			      " tensor.pin_memory(), with non_blocking=True"
			    : "Use pinned memory, as from cudaMallocHost() or"
			      " cudaHostRegister()");
}

const struct advise_rule rule_pageable_copies = {
	.id = "pageable_copies",
	.version = 1,
	.limit = 5,
	.unit = "percent",
	.help = "the part of the GPU's work that copies pageable memory",
	.judge = judge_pageable_copies,
};

static void
judge_alloc_calls(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (verdict_no_steps(f, v))
		return;
	verdict_above(v, facts_per_iter(f, f->alloc.all.n), limit);
	gain_of_calls(f, f->alloc.all.ns, v);
	verdict_where(v, "gaps", "class", "allocation");
	tops_put(&f->alloc, &v->evidence, 3);
	buf_printf(&v->problem,
	    "The driver allocates or frees memory %s times per iteration",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    (f->frameworks & FW_PYTORCH) != 0
		? "Keep sizes the same from step to step, leave"
		  " torch.cuda.empty_cache() out of the loop, try"
		  " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
		: "Allocate once, or from a pool (cudaMallocAsync)");
}

const struct advise_rule rule_alloc_calls = {
	.id = "alloc_calls",
	.version = 1,
	.limit = 0,
	.unit = "calls per iteration",
	.help = "calls of the driver's allocators",
	.judge = judge_alloc_calls,
};

static void
judge_few_blocks(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (f->n_sized == 0) {
		if (f->n_kern > 0)
			verdict_unjudged(v, "multiprocessors of the device");
		return;
	}
	verdict_above(v, facts_kern_pct(f, f->few_ns), limit);
	verdict_gain(v, f->few_ns);
	say_first_op(f, &f->few, v);
	tops_put(&f->few, &v->evidence, 3);
	buf_printf(&v->problem,
	    "%llu of %llu kernels have fewer blocks than the GPU has"
	    " multiprocessors, which leaves %s %% of the kernels' time unused",
	    (unsigned long long)f->n_few, (unsigned long long)f->n_sized,
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Give them more to do at once: a larger batch, fused ops, or"
	    " several streams");
}

const struct advise_rule rule_few_blocks = {
	.id = "few_blocks",
	.version = 2,
	.limit = 10,
	.unit = "percent",
	.help = "time of multiprocessors for which a kernel has no block",
	.judge = judge_few_blocks,
};

static void
judge_loader_workers(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	double pct = facts_busy_pct(f, 1U << B_LOAD);

	if (pct <= limit)
		return;
	if (f->model[M_WORKERS] < 0) {
		verdict_unjudged(v, "num_workers: the configuration that"
				    " nvidia_dlprof_pytorch_nvtx marks");
		return;
	}
	verdict_gain(v, facts_busy_ns(f, 1U << B_LOAD));
	verdict_where(v, "gaps", "class", "dataloader");
	buf_printf(&v->value, "%.1f", pct);
	v->judged = f->model[M_WORKERS] == 0 ? V_YES : V_NO;
	buf_printf(&v->problem,
	    "The data loader has no workers, and the GPU waits for it for"
	    " %.1f %% of the time",
	    pct);
	buf_puts(&v->advice, "Set num_workers of the DataLoader above 0");
}

const struct advise_rule rule_loader_workers = {
	.id = "loader_workers",
	.version = 1,
	.limit = 5,
	.unit = "percent",
	.help = "a GPU waits longer for a data loader without workers",
	.judge = judge_loader_workers,
};

static void
judge_memory_full(const struct facts *f, double limit, struct advise_verdict *v)
{
	const struct device *d, *worst = NULL;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		d = &f->dev[i];
		if (d->mem_peak > 0 && d->mem_total > 0 &&
		    (worst == NULL ||
			(double)d->mem_peak / (double)d->mem_total >
			    (double)worst->mem_peak / (double)worst->mem_total))
			worst = d;
	}
	if (worst == NULL) {
		verdict_no_memory(f, v);
		return;
	}
	verdict_where(v, "mem");
	verdict_above(v,
	    100.0 * (double)worst->mem_peak / (double)worst->mem_total, limit);
	buf_printf(&v->problem,
	    "%s %% of the memory of device %lld are in use"
	    " at the peak",
	    buf_str(&v->value), (long long)worst->dev);
	buf_puts(&v->advice,
	    "A little more and it runs out: activation checkpointing, smaller"
	    " batches with accumulation, or a sharded optimizer");
}

const struct advise_rule rule_memory_full = {
	.id = "memory_full",
	.version = 1,
	.limit = 90,
	.unit = "percent",
	.help = "the peak of device memory",
	.judge = judge_memory_full,
};

static void
judge_graph_level(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t all = facts_work_ns(f);

	if (f->n_graph == 0)
		return;
	verdict_above(
	    v, all > 0 ? 100.0 * (double)f->graph_ns / (double)all : 0, limit);
	verdict_where(v, "kernels", "short", "[CUDA graph]");
	buf_printf(&v->problem,
	    "%llu runs of CUDA graphs, %s %% of the GPU's work, were recorded"
	    " as a whole: their kernels are not known",
	    (unsigned long long)f->n_graph, buf_str(&v->value));
	buf_puts(
	    &v->advice, "Record with nsys profile --cuda-graph-trace=node");
}

const struct advise_rule rule_graph_level = {
	.id = "graph_level",
	.version = 1,
	.limit = 0,
	.unit = "percent",
	.help = "time of CUDA graphs that were recorded as a whole",
	.judge = judge_graph_level,
};

/* How the program's framework writes ranges of its ops. */
static const char *
how_to_mark(const struct facts *f)
{
	if (f->maker.torch && f->kind[K_GRAPH].ns > f->no_op_ns / 2)
		return "Kernels that a graph replays have no ops here: give the"
		       " trace in which the graphs were captured, dlp-parse"
		       " --capture CAPTURE FILE";
	if (f->maker.torch && f->no_call_ns > f->no_op_ns / 2 &&
	    f->no_call_ns < f->kern_ns)
		return "Their launches are not in the trace, as of work from"
		       " before it: call torch.cuda.synchronize() before the"
		       " recording begins, or leave out its first step"
		       " (schedule)";
	if (f->maker.ops)
		return "They were launched outside of ops, as kernels of Triton"
		       " and of extensions are that a program calls itself:"
		       " torch.library.triton_op or custom_op makes them an op,"
		       " record_function gives them a name";
	if (f->maker.torch)
		return "Record ops and calls:"
		       " torch.profiler.profile(activities=[ProfilerActivity."
		       "CPU"
		       ", ProfilerActivity.CUDA]), after some steps without it"
		       " (schedule)";
	if ((f->frameworks & FW_XLA) != 0 &&
	    f->kind[K_GRAPH].ns > f->no_op_ns / 2)
		return "Kernels of libraries in a command buffer do not say"
		       " which instruction called them: record with"
		       " XLA_FLAGS=--xla_gpu_enable_command_buffer=, where"
		       " ranges of their launches do";
	if ((f->frameworks & FW_XLA) != 0)
		return "Give parts of the program names (jax.named_scope), and"
		       " record with -t cuda,nvtx";
	if (f->kind[K_GRAPH].ns > f->no_op_ns / 2)
		return "The CUDA graph was captured before the recording began:"
		       " record the capture, too, with ranges of ops";
	if (f->maker.rocprof)
		return (f->frameworks & FW_PYTORCH) != 0
			   ? "Run the training loop under"
			     " torch.autograd.profiler.emit_nvtx"
			     "(record_shapes=True), and record with rocprofv3"
			     " --marker-trace"
			   : "Put ranges around the program's functions"
			     " (roctxRangePushA), and record with rocprofv3"
			     " --marker-trace";
	if ((f->frameworks & FW_PYTORCH) != 0)
		return "Run the training loop under"
		       " torch.autograd.profiler.emit_nvtx"
		       "(record_shapes=True)";
	if ((f->frameworks & FW_TENSORFLOW) != 0)
		return "TensorFlow writes ranges of its ops in NVIDIA's builds"
		       " (nvtx-plugins); record them with -t cuda,nvtx";
	if ((f->frameworks & FW_MXNET) != 0)
		return "MXNet writes ranges of its ops if it was built with"
		       " USE_NVTX=1; record them with -t cuda,nvtx";
	return "Put NVTX ranges around the program's functions"
	       " (nvtxRangePushA), and record them with -t cuda,nvtx";
}

static void
judge_no_op(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (f->n_kern == 0)
		return;
	verdict_above(v, facts_kern_pct(f, f->no_op_ns), limit);
	verdict_where(v, "ops", "op", "-");
	buf_printf(&v->problem, "%s %% of the kernels' time belongs to no op",
	    buf_str(&v->value));
	buf_printf(&v->advice, "%s; dlp coverage FILE says what is missing",
	    how_to_mark(f));
}

const struct advise_rule rule_no_op = {
	.id = "no_op",
	.version = 1,
	.limit = 10,
	.unit = "percent",
	.help = "kernels of which no op is known",
	.judge = judge_no_op,
};

static void
judge_profiler_cost(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	if (f->span_ns <= 0)
		return;
	verdict_above(
	    v, 100.0 * (double)f->over_ns / (double)f->span_ns, limit);
	gain_of_calls(f, f->over_ns, v);
	verdict_where(v, "gaps", "class", "profiler");
	buf_printf(&v->problem,
	    "The profiler itself took %s %% of the time that was recorded",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Record less (-t cuda,nvtx, no sampling), and only some steps");
}

const struct advise_rule rule_profiler_cost = {
	.id = "profiler_cost",
	.version = 1,
	.limit = 5,
	.unit = "percent",
	.help = "time that the profiler took for itself",
	.judge = judge_profiler_cost,
};

/* Records of CUPTI and calls that load code, each moment once. */
static void
judge_lazy_loading(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	if (f->span_ns <= 0)
		return;
	verdict_above(
	    v, 100.0 * (double)f->load_ns / (double)f->span_ns, limit);
	gain_of_calls(f, f->load_ns, v);
	verdict_where(v, "gaps", "class", "module-load");
	tops_put(&f->gap_in[G_MODULE], &v->evidence, 3);
	buf_printf(&v->problem,
	    "CUDA loaded code for %s %% of the time that was recorded, as it"
	    " does at the first use of a kernel",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    f->maker.amd ? "Profile later steps"
			 : "Profile later steps; or let all be loaded at the"
			   " start: CUDA_MODULE_LOADING=EAGER");
}

const struct advise_rule rule_lazy_loading = {
	.id = "lazy_loading",
	.version = 2,
	.limit = 5,
	.unit = "percent",
	.help = "time in which CUDA loaded or compiled code",
	.judge = judge_lazy_loading,
};

/* The GPU waits in the steps for what the program does once. */
/* Steps that are not judged, because they are so long. */
static void
judge_slow_steps(const struct facts *f, double limit, struct advise_verdict *v)
{
	const struct facts_slow *s = &f->slow;
	double pct;

	if (s->n_step == 0)
		verdict_unjudged(v, "the lengths of steps: dlp-iter --stable");
	if (s->n_step < 10 || s->of_ns <= 0) /* too few to be typical */
		return;
	pct = 100.0 * (double)s->ns / (double)s->of_ns;
	if (!verdict_above(v, pct, limit))
		return;
	verdict_gain(v, (int64_t)(pct / 100 * (double)facts_wall_ns(f)));
	verdict_where(v, "iters");
	buf_printf(&v->problem,
	    "%lld of %lld steps take%s more than 1.5 times the median; the"
	    " time beyond it is %s %% of the time of all steps after warm-up."
	    " The other findings are about steps without them",
	    (long long)s->n, (long long)s->n_step, s->n == 1 ? "s" : "",
	    buf_str(&v->value));
	buf_printf(
	    &v->evidence, "the longest: iteration %lld", (long long)s->most);
	buf_printf(&v->advice,
	    "Look at what happens there and not in others: dlp gaps -i %lld"
	    " FILE; often it is a checkpoint, an evaluation, the data loader"
	    " or Python's garbage collection. dlp iters FILE lists all steps",
	    (long long)s->most);
}

const struct advise_rule rule_slow_steps = {
	.id = "slow_steps",
	.version = 1,
	.limit = 3,
	.unit = "percent",
	.help = "steps that take more than 1.5 times the median",
	.judge = judge_slow_steps,
};

static void
judge_one_off(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t ns = num_add(f->gap_ns[G_MODULE], f->gap_ns[G_STARTUP]);
	int most =
	    f->gap_ns[G_MODULE] >= f->gap_ns[G_STARTUP] ? G_MODULE : G_STARTUP;

	if (verdict_no_steps(f, v) || no_gaps(f, v))
		return;
	verdict_above(v, facts_share_pct(f, ns), limit);
	verdict_gain(v, ns);
	v->within = "lazy_loading";
	verdict_where(
	    v, "gaps", "class", most == G_MODULE ? "module-load" : "startup");
	tops_put(&f->gap_in[most], &v->evidence, 3);
	buf_printf(&v->problem,
	    "The steps contain work that a program does once: the GPU waits"
	    " for it for %s %% of their time",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Judge later steps (-i N-M), or record after more warm-up:"
	    " these steps are not typical");
}

const struct advise_rule rule_one_off = {
	.id = "one_off",
	.version = 1,
	.limit = 3,
	.unit = "percent",
	.help = "the GPU waits in the steps for loading of code and first "
		"calls",
	.judge = judge_one_off,
};

static void
judge_marker_cost(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t ns = marker_cost(f);

	if (f->maker.torch) {
		verdict_unjudged(v, "what torch.profiler's records cost");
		return;
	}
	if (verdict_no_steps(f, v) || f->n_marked == 0 || no_gaps(f, v))
		return;
	verdict_above(v, facts_share_pct(f, ns), limit);
	verdict_gain(v, ns);
	v->within = "launch_bound";
	verdict_where(v, "gaps", "class", "launch-bound");
	buf_printf(&v->evidence, "%.0f runs of ops per step, ",
	    facts_per_iter(f, f->n_marked));
	say_time(&v->evidence, run_cost(f));
	buf_puts(&v->evidence, " each");
	buf_printf(&v->problem,
	    "An estimate: writing the ranges of ops (emit_nvtx) costs %s %% of"
	    " the time, while the GPU waits for launches",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Take the length of a step from a run without emit_nvtx, with"
	    " ranges around steps only: this program launches faster than"
	    " the profile shows");
}

const struct advise_rule rule_marker_cost = {
	.id = "marker_cost",
	.version = 2,
	.limit = 5,
	.unit = "percent",
	.help = "an estimate of what writing the ranges of ops costs",
	.judge = judge_marker_cost,
};

/* Rows of the file that dlp-parse could not read. */
static uint64_t
unread_rows(const struct facts *f)
{
	static const char name[] = "bad_rows";
	uint32_t i = smap_find(f->notes, name, sizeof(name) - 1);

	return i == SMAP_NONE ? 0 : f->notes->val[i];
}

static void
judge_lost_events(const struct facts *f, double limit, struct advise_verdict *v)
{
	uint64_t unread = unread_rows(f);

	buf_u64(&v->value, f->lost.all.n + unread);
	v->judged = (double)(f->lost.all.n + unread) > limit ? V_YES : V_NO;
	tops_put(&f->lost, &v->evidence, 2);
	if (f->lost.all.n == 0 && unread > 0) {
		say_count(&v->problem, unread, "row");
		buf_puts(&v->problem, " of the file cannot be read: sums are"
				      " too small, and idle time is too long");
		buf_puts(&v->advice, "Export the file again; dlp-parse says"
				     " which table it is");
		return;
	}
	buf_puts(&v->problem, "The recorder lost events: sums are too small");
	buf_puts(&v->advice, "Record fewer steps, or larger buffers");
}

const struct advise_rule rule_lost_events = {
	.id = "lost_events",
	.version = 2,
	.limit = 0,
	.unit = "messages",
	.help = "the recorder says that it lost events, or rows of the file"
		" cannot be read",
	.judge = judge_lost_events,
};

/* Judges the part of the kernels' time that has one reason. */
static void
tc_part(const struct facts *f, const struct tops *t, double limit,
    struct advise_verdict *v)
{
	if (!f->has_tc_why) {
		verdict_unjudged(v, "Tensor Core use: dlp-flops");
		return;
	}
	verdict_above(v, facts_kern_pct(f, t->all.ns), limit);
	verdict_gain(v, t->all.ns);
	tops_put(t, &v->evidence, 3);
}

/* True if all known GPUs are Volta or Turing or, if none is known, the kernels
 * were built for those. */
static bool
before_ampere(const struct facts *f)
{
	bool any = f->kernel_arch > 0 && f->kernel_arch < 80;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		if (f->dev[i].cc10 >= 80)
			return false;
		any |= f->dev[i].cc10 > 0;
	}
	return any;
}

static void
say_fp32_advice(const struct facts *f, struct buf *b)
{
	bool torch = (f->frameworks & FW_PYTORCH) != 0;

	if (before_ampere(f))
		buf_puts(b, torch ? "Use torch.autocast to float16, with a"
				    " GradScaler: this GPU has no TF32"
				  : "Compute in half precision: this GPU has no"
				    " TF32");
	else if (use_of(f, USE_TF32) == USE_YES)
		buf_printf(b,
		    "TF32 is in use, and the library chose FP32 kernels for"
		    " these: other sizes%s",
		    torch ? ", torch.backends.cudnn.benchmark = True, or"
			    " torch.autocast"
			  : ", or half precision");
	else if (torch)
		buf_puts(b, "Allow TF32"
			    " (torch.set_float32_matmul_precision('high'),"
			    " torch.backends.cudnn.allow_tf32 = True), or use"
			    " torch.autocast");
	else
		buf_puts(b, "Allow TF32 in the library (cuBLAS:"
			    " CUBLAS_TF32_TENSOR_OP_MATH), or compute in half"
			    " precision");
	if (!before_ampere(f) && use_of(f, USE_TF32) != USE_YES)
		buf_puts(b, "; dlp whatif --dtype fp32=tf32 FILE estimates"
			    " what that gains");
}

/* The next size that suits: tiles of products are multiples of 64. */
static void
say_unaligned_advice(const struct facts *f, struct buf *b)
{
	size_t n;
	const char *s = tops_first(&f->odd_size, &n);
	int64_t v, step, up;

	if (s == NULL || !num_i64(s, n, &v) || v > INT64_MAX - 64) {
		buf_puts(b, "Make the inner sizes (features, channels,"
			    " vocabulary) multiples of 8 in half precision, of"
			    " 4 in TF32, of 16 in 8 bits: pad them");
		return;
	}
	step = v >= 1024 ? 64 : 8;
	up = (v + step - 1) / step * step;
	buf_printf(b, "Pad the size %lld to %lld, a multiple of %lld",
	    (long long)v, (long long)up, (long long)step);
}

static void
judge_tc_fp32(const struct facts *f, double limit, struct advise_verdict *v)
{
	tc_part(f, &f->fp32, limit, v);
	v->within = "tc_unused";
	verdict_where(v, "ops", "tc_why", "fp32");
	if (v->judged != V_YES)
		return;
	buf_printf(&v->problem,
	    "%s %% of the kernels' time are FP32 products without Tensor"
	    " Cores",
	    buf_str(&v->value));
	say_fp32_advice(f, &v->advice);
}

const struct advise_rule rule_tc_fp32 = {
	.id = "tc_fp32",
	.version = 1,
	.limit = 5,
	.unit = "percent",
	.help = "kernels of FP32 products that TF32 or AMP would speed up",
	.judge = judge_tc_fp32,
};

static void
judge_tc_unaligned(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	tc_part(f, &f->unaligned, limit, v);
	if (f->unaligned.all.ns == f->unaligned_ns)
		v->within = "tc_unused";
	verdict_where(v, "ops", "tc_why", "unaligned");
	if (v->judged != V_YES)
		return;
	buf_printf(&v->problem,
	    "%s %% of the kernels' time are products whose sizes keep them"
	    " off Tensor Cores, or make them slow there",
	    buf_str(&v->value));
	say_unaligned_advice(f, &v->advice);
}

const struct advise_rule rule_tc_unaligned = {
	.id = "tc_unaligned",
	.version = 1,
	.limit = 5,
	.unit = "percent",
	.help = "kernels of products whose sizes keep them off Tensor Cores, "
		"or slow",
	.judge = judge_tc_unaligned,
};

static bool
most_are_vectors(const struct facts *f)
{
	size_t n = 0;
	const char *s = tops_first(&f->why, &n);

	return s != NULL && text_is(s, n, "vector");
}

static void
judge_tc_unused(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!f->has_tc) {
		verdict_unjudged(v, "Tensor Core use: dlp-flops");
		return;
	}
	verdict_above(v, facts_kern_pct(f, f->eligible_ns), limit);
	verdict_gain(v, f->eligible_ns);
	verdict_where(v, "ops", "tc", "no", "tc_eligible", "yes");
	tops_put(&f->why, &v->evidence, 4);
	buf_printf(&v->problem,
	    "%s %% of the kernels' time could use Tensor Cores and does not",
	    buf_str(&v->value));
	if (f->fp32.all.ns > f->eligible_ns / 2)
		say_fp32_advice(f, &v->advice);
	else if (f->unaligned_ns > f->eligible_ns / 2)
		say_unaligned_advice(f, &v->advice);
	else if (most_are_vectors(f))
		buf_puts(&v->advice,
		    "Products of a matrix and a vector read each weight for"
		    " one row: give them more rows (a larger batch)");
	buf_printf(&v->advice, "%sdlp tc FILE lists the ops with the reasons",
	    v->advice.len > 0 ? "; " : "");
}

const struct advise_rule rule_tc_unused = {
	.id = "tc_unused",
	.version = 1,
	.limit = 10,
	.unit = "percent",
	.help = "kernels that could use Tensor Cores and do not",
	.judge = judge_tc_unused,
};
