/*
 * DLProf's twelve detectors, in our words: each is a judge, followed by its
 * name, its threshold and one line that says when it fires. With --dlprof the
 * judges in advise_compat.c write four of them in DLProf's words.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "array.h"
#include "err.h"
#include "num.h"

/* Only dlp-correlate -D tells the mode; otherwise the ranges of ops do. */
static bool
is_tensorflow(const struct facts *f)
{
	return strncmp(f->mode, "tensorflow", 10) == 0 ||
	       (f->mode[0] == '\0' && (f->frameworks & FW_TENSORFLOW) != 0);
}

bool
is_pytorch(const struct facts *f)
{
	return strcmp(f->mode, "pytorch") == 0 ||
	       (f->mode[0] == '\0' && f->ops.pytorch > 0);
}

bool
amp_is_unknown(const struct facts *f, struct advise_verdict *v)
{
	if (f->ops.eligible == 0 || f->ops.typed > 0)
		return false;
	verdict_unjudged(v, "types of the ops: argument markers, or kernels"
			    " whose names tell them");
	return true;
}

/* Fires if there are ops of other types than half precision and none of half
 * precision. Ops that TF32 has put onto Tensor Cores do not count. */
static void
judge_amp(const struct facts *f, double limit, struct advise_verdict *v)
{
	uint64_t n = f->ops.no_tc;

	if (amp_is_unknown(f, v))
		return;
	v->judged = f->ops.half == 0 && (double)n > limit ? V_YES : V_NO;
	buf_u64(&v->value, n);
	verdict_gain(v, f->eligible_ns);
	v->within = "tc_unused";
	verdict_where(v, "ops", "tc", "no", "tc_eligible", "yes");
	say_count(&v->problem, n, "op");
	buf_printf(&v->problem,
	    " could use Tensor Cores and %s not, and none runs in a half"
	    " precision type",
	    n == 1 ? "does" : "do");
	buf_puts(&v->advice,
	    "mixed precision: torch.autocast, with a GradScaler for float16");
}

const struct advise_rule rule_amp = {
	.id = "amp_detector",
	.version = 1,
	.dlprof = true,
	.limit = 0,
	.unit = "ops",
	.limit_dlprof = true,
	.help =
	    "ops could use Tensor Cores, and none has a half precision type",
	.judge = judge_amp,
	.dlprof_judge = dlprof_amp,
};

static void
judge_cudnn_benchmark(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	(void)limit;
	if (!is_pytorch(f) || f->ops.conv == 0)
		return;
	if (f->model[M_BENCHMARK_OFF] < 0) {
		verdict_unjudged(v, "the model's configuration: markers of"
				    " nvidia_dlprof_pytorch_nvtx");
		return;
	}
	v->judged = f->model[M_BENCHMARK_OFF] == 1 ? V_YES : V_NO;
	verdict_where(v, "ops", "family", "conv");
	buf_puts(&v->problem, "cuDNN's benchmark mode is off, and the model"
			      " has convolutions");
	buf_puts(&v->advice,
	    "Set torch.backends.cudnn.benchmark = True, if the sizes of the"
	    " inputs stay the same");
}

const struct advise_rule rule_cudnn_benchmark = {
	.id = "cudnn_benchmark_detector",
	.version = 1,
	.dlprof = true,
	.limit_dlprof = true,
	.help =
	    "torch.backends.cudnn.benchmark is off, and there are convolutions",
	.judge = judge_cudnn_benchmark,
};

static void
judge_slow_api(const struct facts *f, double limit, struct advise_verdict *v)
{
	static const struct {
		int setting;
		const char *name;
	} slow[] = { { M_ANOMALY, "detect_anomaly" },
		{ M_GRADCHECK, "gradcheck" },
		{ M_GRADGRADCHECK, "gradgradcheck" },
		{ M_RECORD, "record_function" },
		{ M_PROFILE, "autograd_profile" },
		{ M_ANOMALY_SET, "autograd_set_detect_anomaly" } };
	size_t i;
	bool told = false;

	(void)limit;
	if (!is_pytorch(f))
		return;
	for (i = 0; i < ARRAY_LEN(slow); i++) {
		told |= f->model[slow[i].setting] >= 0;
		if (f->model[slow[i].setting] == 1) {
			buf_puts(&v->evidence, v->evidence.len > 0 ? ", " : "");
			buf_puts(&v->evidence, slow[i].name);
		}
	}
	v->judged = v->evidence.len > 0 ? V_YES : V_NO;
	if (v->judged == V_NO && !told)
		verdict_unjudged(v, "the model's configuration: markers of"
				    " nvidia_dlprof_pytorch_nvtx");
	buf_printf(&v->problem,
	    "Functions for debugging slow the training down: %s",
	    buf_str(&v->evidence));
	buf_puts(&v->advice, "Turn them off, once the model is right");
}

const struct advise_rule rule_slow_api = {
	.id = "slow_api_detector",
	.version = 1,
	.dlprof = true,
	.limit_dlprof = true,
	.help = "anomaly detection, gradcheck or the autograd profiler is on",
	.judge = judge_slow_api,
};

static void
judge_marked(const struct facts *f, bool torch, struct advise_verdict *v)
{
	if (!torch || f->maker.torch) /* torch.profiler names ops itself */
		return;
	v->judged =
	    f->ops.pytorch == 0 && f->model[M_EMIT_NVTX] != 1 ? V_YES : V_NO;
	buf_puts(&v->problem,
	    "PyTorch's emit_nvtx was not used: backward work cannot be told"
	    " apart");
	buf_puts(&v->advice,
	    "Run the training loop under torch.autograd.profiler.emit_nvtx"
	    "(record_shapes=True)");
}

/* The names of kernels tell PyTorch, too. */
static void
judge_no_emit_nvtx(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	(void)limit;
	if (f->n_kern > 0 && f->kind[K_GRAPH].n == f->n_kern) {
		verdict_unjudged(v, "kernels outside of CUDA graphs");
		return;
	}
	judge_marked(f, is_pytorch(f) || (f->frameworks & FW_PYTORCH) != 0, v);
	v->within = "no_op";
	verdict_where(v, "ops", "op", "-");
}

static void
dlprof_no_emit_nvtx(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	(void)limit;
	judge_marked(f, is_pytorch(f), v);
}

const struct advise_rule rule_no_emit_nvtx = {
	.id = "emit_nvtx_detector",
	.version = 1,
	.dlprof = true,
	.limit_dlprof = true,
	.help = "PyTorch without emit_nvtx",
	.judge = judge_no_emit_nvtx,
	.dlprof_judge = dlprof_no_emit_nvtx,
};

static void
judge_bad_shape(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!is_tensorflow(f))
		return;
	if (!f->has_tc) {
		verdict_unjudged(v, "Tensor Core use: dlp-flops");
		return;
	}
	v->judged = (double)f->ops.half_no_tc > limit ? V_YES : V_NO;
	buf_u64(&v->value, f->ops.half_no_tc);
	say_count(&v->problem, f->ops.half_no_tc, "half precision op");
	buf_puts(&v->problem, f->ops.half_no_tc == 1
				  ? " does not use tensor cores because of its"
				    " shapes"
				  : " do not use tensor cores because of their"
				    " shapes");
	buf_puts(&v->advice,
	    "Make batch size, channels and layer sizes multiples of 8");
}

const struct advise_rule rule_bad_shape = {
	.id = "bad_tensor_shape_detector",
	.version = 1,
	.dlprof = true,
	.limit = 0,
	.unit = "ops",
	.limit_dlprof = true,
	.help = "TensorFlow: half precision ops do not use Tensor Cores",
	.judge = judge_bad_shape,
};

static void
judge_no_fusion(const struct facts *f, double limit, struct advise_verdict *v)
{
	(void)limit;
	if (!is_tensorflow(f) || strcmp(f->mode, "tensorflow2") == 0)
		return;
	v->judged = f->ops.xla == 0 && f->ops.all > 0 ? V_YES : V_NO;
	buf_puts(&v->problem, "No fused ops detected: XLA is off");
	buf_puts(&v->advice, "XLA (TF_XLA_FLAGS=--tf_xla_auto_jit=2)");
	if (f->mode[0] == '\0')
		buf_puts(&v->advice, ", or tf.function(jit_compile=True)");
}

const struct advise_rule rule_no_fusion = {
	.id = "no_fusion_detector",
	.version = 1,
	.dlprof = true,
	.limit_dlprof = true,
	.help = "TensorFlow: nothing of XLA is seen",
	.judge = judge_no_fusion,
};

/* The activity of the CPU meanwhile: the largest kind of API calls, if it is
 * the main part of that time. */
static void
say_cpu_part(const struct facts *f, struct buf *b)
{
	static const char *const say[N_CPU] = {
		[C_FIRST] = ", mostly first calls, which start CUDA and load"
			    " modules: profile later steps",
		[C_MODULE] = ", mostly loading of modules, of start-up: profile"
			     " later steps",
		[C_ALLOC] = ", mostly allocation of memory: allocate once",
		[C_SYNC] = ", mostly waiting for the GPU: synchronize less",
		[C_COPY] = ", mostly calls that copy: copy less, or from pinned"
			   " memory",
	};
	int i, best = 0;

	for (i = 1; i < N_CPU; i++)
		if (f->cpu_ns[i] > f->cpu_ns[best])
			best = i;
	if (2 * facts_share_pct(f, f->cpu_ns[best]) <
	    facts_busy_pct(f, 1U << B_CPU))
		buf_puts(b, ", mostly the program itself, between its CUDA"
			    " calls: dlp gaps FILE tells where");
	else if (best == C_LAUNCH)
		buf_printf(b, ", mostly launches: launch less: %s",
		    use_launch_advice(f));
	else
		buf_puts(b, say[best]);
}

/* The reasons why a GPU waits, and their remedies; NULL: say_cpu_part(). */
static const struct {
	int class;
	const char *name, *advice;
} idle_parts[] = {
	{ B_CPU, "CPU", NULL },
	{ B_LOAD, "Dataloader", ": more workers, or less to do for them" },
	{ B_IO, "I/O", ": read the data ahead of their use" },
	{ B_OTHER, "Other",
	    ": nothing that was recorded runs then: start-up, or code without"
	    " ranges and CUDA calls" },
	{ B_MEM, "Copying",
	    ": dlp copies FILE tells what is copied, and from which memory" },
};

/* The classes of dlp-gaps, their meaning, and their remedy. */
static const struct {
	const char *class, *say;
	const char *rule; /* the rule about it; NULL if there is none */
} gap_parts[N_GAP] = {
	[G_LAUNCH] = { "launch-bound", NULL, "launch_bound" },
	[G_STARTUP] = { "startup",
	    "first calls, which start CUDA and load modules: profile later"
	    " steps",
	    NULL },
	[G_SYNC] = { "sync", "waiting for the GPU: synchronize less", NULL },
	[G_DATA] = { "dataloader",
	    "loading of data: more workers, or less to do for them",
	    "dataloader_detector" },
	[G_COMM] = { "comm-wait", "communication on the CPU", NULL },
	[G_ALLOC] = { "allocation", "allocation of memory: allocate once",
	    NULL },
	[G_MODULE] = { "module-load",
	    "loading of modules, of start-up: profile later steps", NULL },
	[G_OS] = { "os-wait",
	    "calls of the operating system: dlp waits FILE tells which", NULL },
	[G_PROFILER] = { "profiler", "the profiler itself: record less", NULL },
	[G_QUEUED] = { "queued",
	    "short gaps between works that were launched in time", NULL },
	[G_END] = { "end", "the steps go on after their last GPU work", NULL },
	[G_UNKNOWN] = { "unknown",
	    "nothing that was recorded: code without ranges and CUDA calls, or"
	    " work from before the recording",
	    NULL },
	[G_AFTER_SYNC] = { "after-sync",
	    "the program had waited for the GPU and launched nothing ahead",
	    "idle_after_sync" },
	[G_GRAPH_UPDATE] = { "graph-update",
	    "updates of CUDA graphs: keep addresses and sizes the same", NULL },
	[G_HOST] = { "host-only",
	    "the program itself, which calls nothing of CUDA", NULL },
};

/* Gaps are short up to this mean length, ns: a GPU that has nothing else to
 * wait for begins a launched kernel within microseconds. */
#define SHORT_GAP 100000

static void
say_gap(const struct facts *f, int c, struct buf *b)
{
	const struct top *all = &f->gap_in[c].all;

	if (c == G_LAUNCH)
		buf_printf(b, "launch-bound: %s", use_launch_advice(f));
	else if (c == G_QUEUED && all->n > 0 &&
		 all->ns / (int64_t)all->n > SHORT_GAP)
		buf_puts(b, "work that was launched, and that the GPU began"
			    " late: it waits for an event of another stream,"
			    " or for another process");
	else
		buf_puts(b, gap_parts[c].say);
}

#define REASON_PCT 1 /* less is no reason */

/* The largest cause of idle time or copies; false if there is none, or dlp-gaps
 * has not run. */
static bool
say_gaps(const struct facts *f, struct advise_verdict *v)
{
	int c = facts_gap_most(f);
	double pct = c >= 0 ? facts_share_pct(f, f->gap_ns[c]) : 0;

	if (!f->has_gaps || pct < REASON_PCT ||
	    pct <= facts_busy_pct(f, 1U << B_MEM))
		return false;
	verdict_gain(v, f->gap_ns[c]);
	v->within = gap_parts[c].rule;
	verdict_where(v, "gaps", "class", gap_parts[c].class);
	tops_put(&f->gap_in[c], &v->evidence, 2);
	buf_printf(&v->advice,
	    "It idles for %.1f %% of the time for one reason: ", pct);
	say_gap(f, c, &v->advice);
	buf_puts(&v->advice, "; dlp gaps FILE tells when");
	return true;
}

/* Names in the advice the largest part of the time in which no kernel runs;
 * that time is the ceiling of the finding. */
static void
say_largest(const struct facts *f, struct advise_verdict *v)
{
	size_t i, best = 0;
	double pct, most = -1;

	if (say_gaps(f, v))
		return;
	for (i = 0; i < ARRAY_LEN(idle_parts); i++) {
		pct = facts_busy_pct(f, 1U << idle_parts[i].class);
		if (pct > most) {
			most = pct;
			best = i;
		}
	}
	buf_printf(&v->advice, "%s takes %.1f %% of the time meanwhile",
	    idle_parts[best].name, most);
	if (idle_parts[best].advice != NULL)
		buf_puts(&v->advice, idle_parts[best].advice);
	else
		say_cpu_part(f, &v->advice);
	verdict_gain(v, facts_busy_ns(f, 1U << idle_parts[best].class));
	verdict_where(v, "gaps");
	if (idle_parts[best].class == B_MEM)
		verdict_where(v, "copies");
	v->within =
	    idle_parts[best].class == B_LOAD ? "dataloader_detector" : NULL;
}

static void
judge_underutilized(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	double pct =
	    facts_busy_pct(f, 1U << B_TC | 1U << B_KERN | 1U << B_GRAPH);

	if (verdict_no_work(f, v))
		return;
	buf_printf(&v->value, "%.1f", pct);
	if (!f->has_busy) {
		verdict_untimed(f, v, "busy records: dlp-busy");
		return;
	}
	v->judged = pct < limit ? V_YES : V_NO;
	buf_printf(
	    &v->problem, "The GPU runs kernels for %.1f %% of the time", pct);
	if (f->queue_full.all.n > 0) {
		buf_clear(&v->evidence);
		tops_put(&f->queue_full, &v->evidence, 1);
		buf_puts(&v->evidence, " of launches that waited for the GPU");
	}
	say_largest(f, v);
}

const struct advise_rule rule_underutilized = {
	.id = "underutilized_gpu_detector",
	.version = 1,
	.dlprof = true,
	.limit = 50,
	.unit = "percent",
	.limit_dlprof = true,
	.help = "kernels run less than this share of the time; with -D also "
		"unused GPUs",
	.judge = judge_underutilized,
	.dlprof_judge = dlprof_underutilized,
};

/* spin: kernels that communicate count as work, as in DLProf. */
static void
judge_balance(
    const struct facts *f, double limit, bool spin, struct advise_verdict *v)
{
	double pct, lo = 101, hi = -1;
	size_t i, n = 0;
	int64_t work;

	for (i = 0; i < f->n_dev; i++) {
		if (facts_dev_wall(&f->dev[i]) <= 0 || f->dev[i].n_kern == 0)
			continue;
		work = facts_dev_kernels(&f->dev[i]);
		if (!spin)
			work = num_sub(work, facts_dev_bare(&f->dev[i]));
		pct = 100.0 * (double)work / (double)facts_dev_wall(&f->dev[i]);
		lo = pct < lo ? pct : lo;
		hi = pct > hi ? pct : hi;
		buf_printf(&v->evidence, "%sdevice %lld: %.1f %%",
		    n++ > 0 ? "; " : "", (long long)f->dev[i].dev, pct);
	}
	if (!f->has_busy) {
		verdict_untimed(f, v, "busy records: dlp-busy");
		return;
	}
	if (n < 2)
		return;
	verdict_above(v, hi - lo, limit);
	buf_printf(&v->problem,
	    "The GPUs are not used evenly: between %.1f %% and %.1f %% of the"
	    " profiled time",
	    lo, hi);
	buf_puts(&v->advice,
	    "Give each GPU the same amount of work, and look for the rank"
	    " that the others wait for");
}

/* A kernel that communicates spins until the other GPUs come: a GPU that waits
 * would look busy. */
static void
judge_imbalanced(const struct facts *f, double limit, struct advise_verdict *v)
{
	judge_balance(f, limit, false, v);
	verdict_where(v, "devices");
}

static void
dlprof_imbalanced(const struct facts *f, double limit, struct advise_verdict *v)
{
	judge_balance(f, limit, true, v);
}

const struct advise_rule rule_imbalanced = {
	.id = "imbalanced_gpu_detector",
	.version = 1,
	.dlprof = true,
	.limit = 10,
	.unit = "points",
	.help = "the GPUs' shares of busy time differ by more",
	.judge = judge_imbalanced,
	.dlprof_judge = dlprof_imbalanced,
};

void
say_load_advice(struct advise_verdict *v)
{
	buf_puts(&v->advice,
	    "More worker processes (num_workers) and pinned memory"
	    " (pin_memory) for the dataloader, or NVIDIA DALI");
}

/* The idle time of that reason, as every view and report has it. */
static void
judge_dataloader(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t ns =
	    f->has_gaps ? f->gap_ns[G_DATA] : facts_busy_ns(f, 1U << B_LOAD);

	if (!is_pytorch(f))
		return;
	if (!f->has_busy) {
		verdict_untimed(f, v, "busy records: dlp-busy");
		return;
	}
	verdict_above(v, facts_share_pct(f, ns), limit);
	verdict_gain(v, ns);
	verdict_where(v, "gaps", "class", "dataloader");
	tops_put(&f->gap_in[G_DATA], &v->evidence, 3);
	buf_printf(&v->problem,
	    "The GPU idles for %s %% of the time because the program waits for"
	    " the data loader",
	    buf_str(&v->value));
	say_load_advice(v);
}

const struct advise_rule rule_dataloader = {
	.id = "dataloader_detector",
	.version = 2,
	.dlprof = true,
	.limit = 5,
	.unit = "percent",
	.help = "a GPU waits longer for the data loader, or nothing of DALI is "
		"seen",
	.judge = judge_dataloader,
	.dlprof_judge = dlprof_dataloader,
};

/* From DLProf's sample, or from memory events. */
static bool
memory_of(const struct facts *f, int64_t *used, int64_t *total)
{
	size_t i;

	*used = f->mem_used;
	*total = f->mem_total;
	for (i = 0; i < f->n_dev && f->n_mem > 0; i++)
		if (f->dev[i].mem_peak > *used) {
			*used = f->dev[i].mem_peak;
			*total = f->dev[i].mem_total;
		}
	return *used > 0 && *total > 0;
}

bool
batch_is_unknown(const struct facts *f, struct advise_verdict *v)
{
	int64_t used, total;

	if (memory_of(f, &used, &total))
		return false;
	verdict_no_memory(f, v);
	return true;
}

void
judge_free_memory(const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t used, total, times;

	memory_of(f, &used, &total);
	times = total / used;
	buf_i64(&v->value, times);
	v->judged = (double)times >= limit ? V_YES : V_NO;
	buf_printf(&v->problem, "Only %lld %% of the GPU's memory is used",
	    (long long)(100.0 * (double)used / (double)total));
	buf_printf(
	    &v->advice, "A batch size up to %lldx larger", (long long)times);
	say_size(&v->evidence, used);
	buf_puts(&v->evidence, " of ");
	say_size(&v->evidence, total);
}

/* Memory events tell of what was allocated while they were recorded, and
 * parameters are allocated before; DLProf's sample is of all. */
static void
say_recorded_memory(struct advise_verdict *v)
{
	buf_clear(&v->problem);
	buf_clear(&v->advice);
	buf_puts(&v->problem,
	    "Little of the GPU's memory was allocated in the recording: ");
	buf_put(&v->problem, v->evidence.s, v->evidence.len);
	buf_puts(&v->advice,
	    "Try a larger batch, if torch.cuda.max_memory_reserved() or"
	    " nvidia-smi says that memory is free: what was allocated before"
	    " the recording is not known");
}

/* Without steps there is no training, and no batch. */
static void
judge_batch_size(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!batch_is_unknown(f, v) && !verdict_no_steps(f, v)) {
		judge_free_memory(f, limit, v);
		if (f->n_mem > 0)
			say_recorded_memory(v);
	}
	verdict_where(v, "mem");
}

const struct advise_rule rule_batch_size = {
	.id = "batch_size_detector",
	.version = 1,
	.dlprof = true,
	.limit = 2,
	.unit = "times",
	.help = "the memory in use would fit so often into that of the GPU",
	.judge = judge_batch_size,
	.dlprof_judge = dlprof_batch_size,
};

static void
judge_no_iterations(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	(void)limit;
	if (f->key_found < 0) {
		verdict_unjudged(v, "iterations: dlp-iter --dlprof");
		return;
	}
	v->judged = f->key_found == 0 ? V_YES : V_NO;
	verdict_where(v, "iters");
	buf_puts(&v->problem,
	    "Unable to split profile into training iterations: key op ");
	buf_put(&v->problem, f->key.s, f->key.len);
	buf_puts(&v->problem, " not found");
	buf_puts(&v->advice, "Specify key op by setting the --key_op argument");
}

const struct advise_rule rule_no_iterations = {
	.id = "no_iterations_detector",
	.version = 1,
	.dlprof = true,
	.limit_dlprof = true,
	.help = "the key op is not found",
	.judge = judge_no_iterations,
};

static int
by_length(const void *a, const void *b)
{
	const struct facts_iter *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static int64_t
median_length(const struct facts_iter *v, size_t n)
{
	struct facts_iter *w = xmalloc((n + 1) * sizeof(*w));
	int64_t m;

	memcpy(w, v, n * sizeof(*w));
	qsort(w, n, sizeof(*w), by_length);
	m = w[n == 2 ? 0 : n / 2].ns;
	free(w);
	return m;
}

/* The longest sequence of iterations within 10 % of the median, the later one
 * if two are as long; false if there is none. */
static bool
even_range(const struct facts *f, size_t *from, size_t *to)
{
	double m = (double)median_length(f->iter, f->n_iter), x;
	size_t i, len = 0, best = 0;

	for (i = 0; i < f->n_iter; i++) {
		x = (double)f->iter[i].ns;
		len = x >= 0.9 * m && x <= 1.1 * m ? len + 1 : 0;
		if (len > 0 && len >= best) {
			best = len;
			*to = i;
			*from = i + 1 - len;
		}
	}
	return best > 1 && best < f->n_iter;
}

/* What the steps take longer than the median, the shorter one of two. */
static int64_t
uneven_ns(const struct facts *f)
{
	int64_t sum = 0, m = median_length(f->iter, f->n_iter);
	size_t i;

	for (i = 0; i < f->n_iter; i++)
		if (f->iter[i].ns > m)
			sum = num_add(sum, f->iter[i].ns - m);
	return sum;
}

static void
judge_range(const struct facts *f, double limit, struct advise_verdict *v)
{
	double mean = 0, sq = 0;
	size_t i, from = 0, to = 0;

	for (i = 0; i < f->n_iter; i++)
		mean += (double)f->iter[i].ns / (double)f->n_iter;
	for (i = 0; i < f->n_iter; i++)
		sq += ((double)f->iter[i].ns - mean) *
		      ((double)f->iter[i].ns - mean);
	if (mean <= 0 ||
	    !verdict_above(
		v, 100 * sqrt(sq / (double)(f->n_iter - 1)) / mean, limit))
		return;
	verdict_where(v, "iters");
	buf_printf(&v->problem,
	    "The iteration range %lld to %lld holds iterations of very"
	    " different lengths: they deviate by %s %% of their mean",
	    (long long)f->iter[0].no, (long long)f->iter[f->n_iter - 1].no,
	    buf_str(&v->value));
	if (even_range(f, &from, &to))
		buf_printf(&v->advice,
		    "Choose the iteration range %lld to %lld"
		    " (--iter_start=%lld --iter_stop=%lld)",
		    (long long)f->iter[from].no, (long long)f->iter[to].no,
		    (long long)f->iter[from].no, (long long)f->iter[to].no);
	else
		buf_puts(&v->advice,
		    "Profile more iterations, after the warm-up, and choose"
		    " some that are alike");
}

static void
judge_bad_range(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (f->n_iter < 2)
		return;
	judge_range(f, limit, v);
	if (v->judged == V_YES)
		verdict_gain(v, uneven_ns(f));
}

static void
dlprof_bad_range(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (f->n_iter >= 3)
		judge_range(f, limit, v);
}

const struct advise_rule rule_bad_range = {
	.id = "bad_iteration_range_detector",
	.version = 1,
	.dlprof = true,
	.limit = 25,
	.unit = "percent",
	.help = "the iterations' lengths deviate more",
	.judge = judge_bad_range,
	.dlprof_judge = dlprof_bad_range,
};
