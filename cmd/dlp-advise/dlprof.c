/*
 * DLProf's detectors. Where its wording is known the problem and the advice
 * are with --dlprof what DLProf 1.8 printed, as scripts read them; all else
 * is worded here, with the same facts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "rule.h"

static bool
is_tensorflow(const struct facts *f)
{
	return strncmp(f->mode, "tensorflow", 10) == 0;
}

static bool
is_pytorch(const struct facts *f)
{
	return strcmp(f->mode, "pytorch") == 0 ||
	       (f->mode[0] == '\0' && f->ops.pytorch > 0);
}

/* The guide has some detectors for PyTorch and TensorFlow only. */
static bool
is_engine(const struct facts *f)
{
	return f->compat && strcmp(f->mode, "tensorrt") == 0;
}

/* Ops of another type than half precision, and none that has it. As our advice
 * those count that TF32 has not brought onto Tensor Cores. */
void
amp(const struct facts *f, double limit, struct verdict *v)
{
	uint64_t n = f->compat ? f->ops.eligible - f->ops.half : f->ops.no_tc;

	if (is_engine(f))
		return;
	if (f->ops.eligible > 0 && f->ops.typed == 0) {
		unjudged(v, "types of the ops: argument markers, or kernels"
			    " whose names tell them");
		return;
	}
	v->judged = f->ops.half == 0 && (double)n > limit ? V_YES : V_NO;
	buf_u64(&v->value, n);
	if (!f->compat) {
		v->share = share_pct(f, f->eligible_ns);
		v->within = "tc_unused";
		put_count(&v->problem, n, "op");
		buf_printf(&v->problem,
		    " could use Tensor Cores and %s not, and none runs in a"
		    " half precision type",
		    n == 1 ? "does" : "do");
		buf_puts(&v->advice,
		    "mixed precision: torch.autocast, with a GradScaler for"
		    " float16");
		return;
	}
	buf_printf(&v->problem,
	    "%llu ops were eligible to use tensor cores but none are using"
	    " FP16",
	    (unsigned long long)n);
	buf_puts(&v->advice,
	    "Try enabling AMP (Automatic Mixed Precision). For more"
	    " information:"
	    " https://developer.nvidia.com/automatic-mixed-precision");
}

/* What the CPU did meanwhile: the largest kind of API calls, if it is the main
 * part of that time. */
static const char *
cpu_part(const struct facts *f)
{
	static const char *const say[N_CPU] = {
		[C_LAUNCH] = ", mostly launches: launch less, by torch.compile"
			     " or CUDA graphs",
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
	if (2 * share_pct(f, f->cpu_ns[best]) < busy_pct(f, 1U << B_CPU))
		return ", mostly the program itself, between its CUDA calls: "
		       "dlp"
		       " gaps FILE tells where";
	return say[best];
}

struct part {
	int class;
	const char *name, *advice, *own; /* own NULL: cpu_part */
};

static const struct part parts[] = {
	{ B_CPU, "CPU",
	    "Consider swapping ops that are running on the CPU for equivalent"
	    " GPU ops",
	    NULL },
	{ B_LOAD, "Dataloader",
	    "Consider more workers for the dataloader, or a faster one",
	    ": more workers, or less to do for them" },
	{ B_IO, "I/O", "Consider reading the data ahead of their use",
	    ": read the data ahead of their use" },
	{ B_OTHER, "Other",
	    "Consider looking at what the program does while no op runs",
	    ": nothing that was recorded runs then: start-up, or code without"
	    " ranges and CUDA calls" },
	{ B_MEM, "Copying", NULL,
	    ": dlp copies FILE tells what is copied, and from which memory" },
};
#define N_DLPROF_PART 4 /* DLProf knew no copies */

/* The largest part of the time in which no kernel ran. */
static void
say_largest(const struct facts *f, struct verdict *v)
{
	size_t n = f->compat ? N_DLPROF_PART : sizeof(parts) / sizeof(parts[0]);
	const struct part *best = parts, *p;
	double pct;

	for (p = parts; p < parts + n; p++)
		if (busy_pct(f, 1U << p->class) >
		    busy_pct(f, 1U << best->class))
			best = p;
	pct = busy_pct(f, 1U << best->class);
	if (f->compat)
		buf_printf(&v->advice,
		    "%s has the highest (non-GPU) usage at %.1f%%."
		    " %s",
		    best->name, pct, best->advice);
	else
		buf_printf(&v->advice,
		    "%s takes %.1f %% of the time meanwhile%s", best->name, pct,
		    best->own != NULL ? best->own : cpu_part(f));
	v->share = pct;
	v->within = best->class == B_LOAD ? "dataloader_detector" : NULL;
}

static bool
say_unused(const struct facts *f, struct buf *b)
{
	size_t i, n = 0;

	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].n_kern == 0 && dev_kernels(&f->dev[i]) == 0) {
			buf_puts(b, n++ > 0 ? ", " : "");
			buf_i64(b, f->dev[i].dev);
		}
	return n > 0;
}

void
underutilized(const struct facts *f, double limit, struct verdict *v)
{
	struct buf unused = { 0 };
	double pct = busy_pct(f, 1U << B_TC | 1U << B_KERN | 1U << B_GRAPH);

	if (f->n_dev == 0) {
		unjudged(v, "GPUs: the profile names none");
	} else if (!f->compat && work_ns(f) <= 0 &&
		   pct + busy_pct(f, 1U << B_MEM) <= 0) {
		unjudged(v, "GPU work: the profile has none");
	} else if (say_unused(f, &unused)) {
		v->judged = V_YES;
		buf_printf(&v->problem,
		    "Not all visible GPUs are used: device IDs not used: %s",
		    buf_str(&unused));
		buf_puts(&v->advice,
		    "Use all GPUs, or make only those visible that are"
		    " needed");
		buf_printf(&v->value, "%.1f", pct);
	} else if (!f->has_busy) {
		unjudged(v, "busy records: dlp-busy");
	} else {
		v->judged = pct < limit ? V_YES : V_NO;
		buf_printf(&v->value, "%.1f", pct);
		if (f->compat)
			buf_printf(&v->problem,
			    "The GPU is underutilized: Only %.1f%% of the"
			    " profiled time is spent on GPU kernel operations",
			    pct);
		else
			buf_printf(&v->problem,
			    "The GPU runs kernels for %.1f %% of the time",
			    pct);
		say_largest(f, v);
	}
	buf_free(&unused);
}

void
imbalanced(const struct facts *f, double limit, struct verdict *v)
{
	double pct, lo = 101, hi = -1;
	size_t i, n = 0;

	for (i = 0; i < f->n_dev; i++) {
		if (dev_wall(&f->dev[i]) <= 0 || f->dev[i].n_kern == 0)
			continue;
		pct = 100.0 * (double)dev_kernels(&f->dev[i]) /
		      (double)dev_wall(&f->dev[i]);
		lo = pct < lo ? pct : lo;
		hi = pct > hi ? pct : hi;
		buf_printf(&v->evidence, "%sdevice %lld: %.1f %%",
		    n++ > 0 ? "; " : "", (long long)f->dev[i].dev, pct);
	}
	if (!f->has_busy) {
		unjudged(v, "busy records: dlp-busy");
		return;
	}
	if (n < 2)
		return;
	above(v, hi - lo, limit);
	buf_printf(&v->problem,
	    "The GPUs are not used evenly: between %.1f%% and %.1f%% of the"
	    " profiled time",
	    lo, hi);
	buf_puts(&v->advice,
	    "Give each GPU the same amount of work, and look for the rank"
	    " that the others wait for");
}

void
dataloader(const struct facts *f, double limit, struct verdict *v)
{
	double pct = busy_pct(f, 1U << B_LOAD);

	if (!is_pytorch(f))
		return;
	if (!f->has_busy && !(f->compat && f->ops.dali == 0)) {
		unjudged(v, "busy records: dlp-busy");
		return;
	}
	buf_printf(&v->value, "%.1f", pct);
	if (pct > limit) {
		v->judged = V_YES;
		v->share = pct;
		buf_printf(&v->problem,
		    "%.1f%% of the aggregated run was spent in the dataloader"
		    " while the GPU was idle",
		    pct);
		buf_puts(&v->advice,
		    "More worker processes (num_workers) and pinned memory"
		    " (pin_memory) for the dataloader, or NVIDIA DALI");
	} else if (f->compat && f->ops.dali == 0) {
		v->judged = V_YES;
		buf_puts(&v->problem, "No DALI ops detected");
		buf_puts(&v->advice,
		    "Consider using NVIDIA DALI, a library that is a high"
		    " performance alternative to built-in data loaders and"
		    " data iterators. Learn more here:"
		    " https://developer.nvidia.com/DALI");
	}
}

void
no_iterations(const struct facts *f, double limit, struct verdict *v)
{
	(void)limit;
	if (f->key_found < 0) {
		unjudged(v, "iterations: dlp-iter --dlprof");
		return;
	}
	v->judged = f->key_found == 0 ? V_YES : V_NO;
	buf_puts(&v->problem,
	    "Unable to split profile into training iterations: key op ");
	buf_put(&v->problem, f->key.s, f->key.len);
	buf_puts(&v->problem, " not found");
	buf_puts(&v->advice, "Specify key op by setting the --key_op argument");
}

static int
by_length(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t
median(const int64_t *v, size_t n)
{
	int64_t *w = xmalloc((n + 1) * sizeof(*w)), m;

	memcpy(w, v, n * sizeof(*w));
	qsort(w, n, sizeof(*w), by_length);
	m = w[n / 2];
	free(w);
	return m;
}

/* The longest row of iterations within 10 % of the median, the later one of
 * equals; false if there is none. */
static bool
stable_range(const struct facts *f, size_t *from, size_t *to)
{
	double m = (double)median(f->iter_ns, f->n_iter), x;
	size_t i, len = 0, best = 0;

	for (i = 0; i < f->n_iter; i++) {
		x = (double)f->iter_ns[i];
		len = x >= 0.9 * m && x <= 1.1 * m ? len + 1 : 0;
		if (len > 0 && len >= best) {
			best = len;
			*to = i;
			*from = i + 1 - len;
		}
	}
	return best > 1 && best < f->n_iter;
}

void
bad_range(const struct facts *f, double limit, struct verdict *v)
{
	double mean = 0, sq = 0;
	size_t i, from = 0, to = 0;

	if (f->n_iter < 3)
		return;
	for (i = 0; i < f->n_iter; i++)
		mean += (double)f->iter_ns[i] / (double)f->n_iter;
	for (i = 0; i < f->n_iter; i++)
		sq += ((double)f->iter_ns[i] - mean) *
		      ((double)f->iter_ns[i] - mean);
	if (mean <= 0 ||
	    !above(v, 100 * sqrt(sq / (double)(f->n_iter - 1)) / mean, limit))
		return;
	buf_printf(&v->problem,
	    "The iteration range %lld to %lld holds iterations of very"
	    " different lengths: they deviate by %s%% of their mean",
	    (long long)f->iter_no[0], (long long)f->iter_no[f->n_iter - 1],
	    buf_str(&v->value));
	if (stable_range(f, &from, &to))
		buf_printf(&v->advice,
		    "Choose the iteration range %lld to %lld"
		    " (--iter_start=%lld --iter_stop=%lld)",
		    (long long)f->iter_no[from], (long long)f->iter_no[to],
		    (long long)f->iter_no[from], (long long)f->iter_no[to]);
	else
		buf_puts(&v->advice,
		    "Profile more iterations, after the warm-up, and choose"
		    " some that are alike");
}

void
cudnn_benchmark(const struct facts *f, double limit, struct verdict *v)
{
	(void)limit;
	if (!is_pytorch(f) || f->ops.conv == 0)
		return;
	if (f->model[M_BENCHMARK_OFF] < 0) {
		unjudged(v, "the model's configuration: markers of"
			    " nvidia_dlprof_pytorch_nvtx");
		return;
	}
	v->judged = f->model[M_BENCHMARK_OFF] == 1 ? V_YES : V_NO;
	buf_puts(&v->problem, "cuDNN's benchmark mode is off, and the model"
			      " has convolutions");
	buf_puts(&v->advice,
	    "Set torch.backends.cudnn.benchmark = True, if the sizes of the"
	    " inputs stay the same");
}

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

void
batch_size(const struct facts *f, double limit, struct verdict *v)
{
	int64_t used, total, times;

	if (is_engine(f))
		return;
	if (!memory_of(f, &used, &total)) {
		unjudged(v, "memory events: nsys profile"
			    " --cuda-memory-usage=true");
		return;
	}
	if (!f->compat && no_steps(f, v))
		return; /* no training has no batch */
	times = total / used;
	buf_i64(&v->value, times);
	v->judged = (double)times >= limit ? V_YES : V_NO;
	buf_printf(&v->problem, "Only %lld%% of the GPU's memory is used",
	    (long long)(100.0 * (double)used / (double)total));
	buf_printf(
	    &v->advice, "A batch size up to %lldx larger", (long long)times);
	put_size(&v->evidence, used);
	buf_puts(&v->evidence, " of ");
	put_size(&v->evidence, total);
}

void
slow_api(const struct facts *f, double limit, struct verdict *v)
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
	for (i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		told |= f->model[slow[i].setting] >= 0;
		if (f->model[slow[i].setting] == 1) {
			buf_puts(&v->evidence, v->evidence.len > 0 ? ", " : "");
			buf_puts(&v->evidence, slow[i].name);
		}
	}
	v->judged = v->evidence.len > 0 ? V_YES : V_NO;
	if (v->judged == V_NO && !told)
		unjudged(v, "the model's configuration: markers of"
			    " nvidia_dlprof_pytorch_nvtx");
	buf_printf(&v->problem,
	    "Functions for debugging slow the training down: %s",
	    buf_str(&v->evidence));
	buf_puts(&v->advice, "Turn them off, once the model is right");
}

void
no_emit_nvtx(const struct facts *f, double limit, struct verdict *v)
{
	(void)limit;
	if (!is_pytorch(f))
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

void
bad_shape(const struct facts *f, double limit, struct verdict *v)
{
	if (!is_tensorflow(f))
		return;
	if (!f->has_tc) {
		unjudged(v, "Tensor Core use: dlp-flops");
		return;
	}
	v->judged = (double)f->ops.half_no_tc > limit ? V_YES : V_NO;
	buf_u64(&v->value, f->ops.half_no_tc);
	put_count(&v->problem, f->ops.half_no_tc, "half precision op");
	buf_puts(&v->problem, f->ops.half_no_tc == 1
				  ? " does not use tensor cores because of its"
				    " shapes"
				  : " do not use tensor cores because of their"
				    " shapes");
	buf_puts(&v->advice,
	    "Make batch size, channels and layer sizes multiples of 8");
}

void
no_fusion(const struct facts *f, double limit, struct verdict *v)
{
	(void)limit;
	if (strcmp(f->mode, "tensorflow1") != 0)
		return;
	v->judged = f->ops.xla == 0 && f->ops.all > 0 ? V_YES : V_NO;
	buf_puts(&v->problem, "No fused ops detected: XLA is off");
	buf_puts(&v->advice, "XLA (TF_XLA_FLAGS=--tf_xla_auto_jit=2)");
}
