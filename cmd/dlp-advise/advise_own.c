/*
 * The rules that DLProf did not have: each is a judge, followed by its name,
 * its threshold and one line that says when it fires. Thresholds of 5 % for
 * data loading, 10 % for communication and 90 % for memory are those of the
 * TensorBoard profiler plugin; the others are our own choice.
 */
#include "advise.h"
#include "num.h"

static double
idle_pct(const struct facts *f)
{
	return facts_busy_pct(
	    f, 1U << B_LOAD | 1U << B_IO | 1U << B_CPU | 1U << B_OTHER);
}

/* Calls cost no more than the time that the GPU waits. */
static double
wait_pct(const struct facts *f, int64_t ns)
{
	double share = facts_share_pct(f, ns);
	double idle = idle_pct(f);

	return !f->has_busy ? -1 : share < idle ? share : idle;
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
	for (i = 0; i < f->n_dev; i++)
		if (!f->dev[i].used) {
			buf_puts(&unused, n++ > 0 ? ", " : "");
			buf_i64(&unused, f->dev[i].dev);
		}
	buf_u64(&v->value, n);
	if ((double)n > limit)
		say_unused_gpus(v, buf_str(&unused));
	buf_free(&unused);
}

const struct advise_rule rule_unused_gpus = {
	.id = "unused_gpus",
	.limit = 0,
	.unit = "GPUs",
	.help = "visible GPUs on which nothing runs",
	.judge = judge_unused_gpus,
};

static void
judge_sync_calls(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (verdict_no_steps(f, v))
		return;
	verdict_above(v, facts_per_iter(f, f->sync.all.n), limit);
	v->share = wait_pct(f, f->sync.all.ns);
	tops_put(&f->sync, &v->evidence, 3);
	buf_printf(&v->problem,
	    "The CPU waits for the GPU %s times per iteration, for ",
	    buf_str(&v->value));
	say_time(&v->problem,
	    f->sync.all.ns / (int64_t)(f->n_iter > 0 ? f->n_iter : 1));
	buf_puts(&v->advice,
	    "Avoid .item(), .cpu(), print() of tensors, boolean masks and"
	    " nonzero() inside the step; copy with non_blocking=True from"
	    " pinned memory");
}

const struct advise_rule rule_sync_calls = {
	.id = "sync_calls",
	.limit = 1,
	.unit = "calls per iteration",
	.help = "API calls that wait for the GPU",
	.judge = judge_sync_calls,
};

static void
judge_launch_bound(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	double wait = facts_share_pct(f, f->gap_ns[G_LAUNCH]), kern, every;
	int64_t wall = 0;
	size_t i, used = 0;

	if (!f->has_busy) {
		verdict_unjudged(v, "busy records: dlp-busy");
		return;
	}
	if (!f->has_gaps && idle_pct(f) > limit) {
		verdict_unjudged(v, "gap records: dlp-gaps");
		return;
	}
	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].n_kern > 0) {
			wall = num_add(wall, facts_dev_wall(&f->dev[i]));
			used++;
		}
	if (used == 0 || f->n_kern == 0 || verdict_no_steps(f, v))
		return;
	v->share = wait;
	kern = (double)f->kern_ns / (double)f->n_kern;
	every = (double)wall / (double)f->n_kern;
	if (verdict_above(v, wait, limit) && kern >= every)
		v->judged = V_NO;
	buf_printf(&v->problem,
	    "The GPU waits for launches for %.1f %% of the time (launch-bound"
	    " in dlp gaps): a kernel takes ",
	    wait);
	say_time(&v->problem, (int64_t)kern);
	buf_puts(&v->problem, " on average, and one is launched every ");
	say_time(&v->problem, (int64_t)every);
	buf_printf(&v->evidence, "%.0f kernels per iteration",
	    facts_per_iter(f, f->n_kern));
	buf_puts(&v->advice,
	    "Launch less: torch.compile, CUDA graphs, fused or foreach"
	    " optimizers; or give each kernel more to do (batch size)");
}

const struct advise_rule rule_launch_bound = {
	.id = "launch_bound",
	.limit = 30,
	.unit = "percent",
	.help = "idle time that dlp-gaps calls launch-bound, and kernels are "
		"shorter than the time between two of them",
	.judge = judge_launch_bound,
};

static void
judge_exposed_comm(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t hidden, all = 0, bare = 0, wall = 0;
	size_t i, k;

	for (i = 0; i < f->n_dev; i++) {
		const struct device *d = &f->dev[i];

		wall = num_add(wall, d->n_kern > 0 ? facts_dev_wall(d) : 0);
		all = num_add(all, ivl_len(&d->comm));
		for (k = 0; k < d->comm.n; k++) {
			hidden = ivl_len_in(
			    &d->work, d->comm.v[k].lo, d->comm.v[k].hi);
			bare += d->comm.v[k].hi - d->comm.v[k].lo - hidden;
		}
	}
	if (f->comm.all.n == 0)
		return;
	wall = wall > 0 ? wall : f->span_ns;
	v->share = facts_share_pct(f, bare);
	verdict_above(
	    v, wall > 0 ? 100.0 * (double)bare / (double)wall : 0, limit);
	tops_put(&f->comm, &v->evidence, 3);
	buf_printf(&v->problem,
	    "Communication that no other kernel hides takes %s %% of the"
	    " time: ",
	    buf_str(&v->value));
	say_time(&v->problem, bare);
	buf_puts(&v->problem, " of ");
	say_time(&v->problem, all);
	buf_puts(&v->advice,
	    "Overlap it with the backward pass (bucket sizes,"
	    " gradient_as_bucket_view), communicate in half precision, look"
	    " for a rank that comes late");
}

const struct advise_rule rule_exposed_comm = {
	.id = "exposed_comm",
	.limit = 10,
	.unit = "percent",
	.help = "communication that no other kernel hides",
	.judge = judge_exposed_comm,
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
	v->share = facts_share_pct(f, f->pageable.all.ns);
	tops_put(&f->pageable, &v->evidence, 3);
	buf_printf(&v->problem,
	    "%s %% of the GPU's work is copying from or to pageable memory,"
	    " slowly and while the CPU waits: ",
	    buf_str(&v->value));
	say_size(&v->problem, f->pageable.all.bytes);
	buf_puts(&v->advice, "Use pinned memory: DataLoader(pin_memory=True),"
			     " tensor.pin_memory(), with non_blocking=True");
}

const struct advise_rule rule_pageable_copies = {
	.id = "pageable_copies",
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
	v->share = wait_pct(f, f->alloc.all.ns);
	tops_put(&f->alloc, &v->evidence, 3);
	buf_printf(&v->problem,
	    "The driver allocates or frees memory %s times per iteration",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Keep sizes the same from step to step, leave"
	    " torch.cuda.empty_cache() out of the loop, try"
	    " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
}

const struct advise_rule rule_alloc_calls = {
	.id = "alloc_calls",
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
	v->share = facts_share_pct(f, f->few_ns);
	tops_put(&f->few, &v->evidence, 3);
	buf_printf(&v->problem,
	    "%llu of %llu kernels, %s %% of their time, have fewer blocks"
	    " than the GPU has multiprocessors",
	    (unsigned long long)f->n_few, (unsigned long long)f->n_sized,
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Give them more to do at once: a larger batch, fused ops, or"
	    " several streams");
}

const struct advise_rule rule_few_blocks = {
	.id = "few_blocks",
	.limit = 20,
	.unit = "percent",
	.help = "kernels in fewer blocks than the GPU has multiprocessors",
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
	v->share = pct;
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
		verdict_unjudged(v, "memory events: nsys profile"
				    " --cuda-memory-usage=true");
		return;
	}
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
	buf_printf(&v->problem,
	    "%llu runs of CUDA graphs, %s %% of the GPU's work, were recorded"
	    " as a whole: their kernels are not known",
	    (unsigned long long)f->n_graph, buf_str(&v->value));
	buf_puts(
	    &v->advice, "Record with nsys profile --cuda-graph-trace=node");
}

const struct advise_rule rule_graph_level = {
	.id = "graph_level",
	.limit = 0,
	.unit = "percent",
	.help = "time of CUDA graphs that were recorded as a whole",
	.judge = judge_graph_level,
};

static void
judge_no_op(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (f->n_kern == 0)
		return;
	verdict_above(v, facts_kern_pct(f, f->no_op_ns), limit);
	buf_printf(&v->problem, "%s %% of the kernels' time belongs to no op",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Run the training loop under torch.autograd.profiler.emit_nvtx"
	    "(record_shapes=True); dlp coverage FILE says what is missing");
}

const struct advise_rule rule_no_op = {
	.id = "no_op",
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
	v->share = 100.0 * (double)f->over_ns / (double)f->span_ns;
	buf_printf(&v->problem,
	    "The profiler itself took %s %% of the time that was recorded",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Record less (-t cuda,nvtx, no sampling), and only some steps");
}

const struct advise_rule rule_profiler_cost = {
	.id = "profiler_cost",
	.limit = 5,
	.unit = "percent",
	.help = "time that the profiler took for itself",
	.judge = judge_profiler_cost,
};

static void
judge_lazy_loading(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	double pct;

	if (f->span_ns <= 0)
		return;
	pct = 100.0 * (double)f->load_ns / (double)f->span_ns;
	verdict_above(v, pct, limit);
	v->share = pct;
	buf_printf(&v->problem,
	    "CUDA loaded code for %s %% of the time that was recorded, as it"
	    " does at the first use of a kernel",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Profile later steps; or let all be loaded at the start:"
	    " CUDA_MODULE_LOADING=EAGER");
}

const struct advise_rule rule_lazy_loading = {
	.id = "lazy_loading",
	.limit = 5,
	.unit = "percent",
	.help = "time in which CUDA loaded or compiled code",
	.judge = judge_lazy_loading,
};

static void
judge_lost_events(const struct facts *f, double limit, struct advise_verdict *v)
{
	buf_u64(&v->value, f->lost.all.n);
	v->judged = (double)f->lost.all.n > limit ? V_YES : V_NO;
	tops_put(&f->lost, &v->evidence, 2);
	buf_puts(&v->problem, "The recorder lost events: sums are too small");
	buf_puts(&v->advice, "Record fewer steps, or larger buffers");
}

const struct advise_rule rule_lost_events = {
	.id = "lost_events",
	.limit = 0,
	.unit = "messages",
	.help = "the recorder says that it lost events",
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
	v->share = facts_share_pct(f, t->all.ns);
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

static const char *
fp32_advice(const struct facts *f)
{
	return before_ampere(f)
		   ? "Use torch.autocast to float16, with a GradScaler: this"
		     " GPU has no TF32"
		   : "Allow TF32 (torch.set_float32_matmul_precision('high'),"
		     " torch.backends.cudnn.allow_tf32 = True; Ampere and"
		     " later), or use torch.autocast";
}

static const char unaligned_advice[] =
    "Make the inner sizes (features, channels, vocabulary) multiples of 8 in"
    " half precision, of 4 in TF32, of 16 in 8 bits: pad them";

static void
judge_tc_fp32(const struct facts *f, double limit, struct advise_verdict *v)
{
	tc_part(f, &f->fp32, limit, v);
	v->within = "tc_unused";
	if (v->judged != V_YES)
		return;
	buf_printf(&v->problem,
	    "%s %% of the kernels' time are FP32 products without Tensor"
	    " Cores",
	    buf_str(&v->value));
	buf_puts(&v->advice, fp32_advice(f));
}

const struct advise_rule rule_tc_fp32 = {
	.id = "tc_fp32",
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
	if (v->judged != V_YES)
		return;
	buf_printf(&v->problem,
	    "%s %% of the kernels' time are products whose sizes keep them"
	    " off Tensor Cores, or make them slow there",
	    buf_str(&v->value));
	buf_puts(&v->advice, unaligned_advice);
}

const struct advise_rule rule_tc_unaligned = {
	.id = "tc_unaligned",
	.limit = 5,
	.unit = "percent",
	.help = "kernels of products whose sizes keep them off Tensor Cores, "
		"or slow",
	.judge = judge_tc_unaligned,
};

static void
judge_tc_unused(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!f->has_tc) {
		verdict_unjudged(v, "Tensor Core use: dlp-flops");
		return;
	}
	verdict_above(v, facts_kern_pct(f, f->eligible_ns), limit);
	v->share = facts_share_pct(f, f->eligible_ns);
	tops_put(&f->why, &v->evidence, 4);
	buf_printf(&v->problem,
	    "%s %% of the kernels' time could use Tensor Cores and does not",
	    buf_str(&v->value));
	if (2 * f->fp32.all.ns > f->eligible_ns)
		buf_printf(&v->advice, "%s; ", fp32_advice(f));
	else if (2 * f->unaligned_ns > f->eligible_ns)
		buf_printf(&v->advice, "%s; ", unaligned_advice);
	buf_puts(&v->advice, "dlp tc FILE lists the ops with the reasons");
}

const struct advise_rule rule_tc_unused = {
	.id = "tc_unused",
	.limit = 10,
	.unit = "percent",
	.help = "kernels that could use Tensor Cores and do not",
	.judge = judge_tc_unused,
};
