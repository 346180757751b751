/* DLProf's detectors of GPUs: their use, their memory; see dlprof.h. */
#include "dlprof.h"

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

/* What a class of dlp-gaps is, and what to do. */
static const char *
gap_part(int class)
{
	static const char *const say[N_GAP] = {
		[G_LAUNCH] = "launch-bound: launch less, by torch.compile or"
			     " CUDA graphs",
		[G_STARTUP] = "first calls, which start CUDA and load"
			      " modules: profile later steps",
		[G_SYNC] = "waiting for the GPU: synchronize less",
		[G_DATA] = "loading of data: more workers, or less to do for"
			   " them",
		[G_COMM] = "communication on the CPU",
		[G_ALLOC] = "allocation of memory: allocate once",
		[G_MODULE] = "loading of modules, of start-up: profile later"
			     " steps",
		[G_OS] = "calls of the operating system: dlp waits FILE tells"
			 " which",
		[G_PROFILER] = "the profiler itself: record less",
		[G_QUEUED] = "short gaps between works that were launched in"
			     " time",
		[G_UNKNOWN] = "nothing that was recorded: code without ranges"
			      " and CUDA calls",
	};

	return say[class];
}

/* What idles or copies most; false if dlp-gaps has not told. */
static bool
say_gaps(const struct facts *f, struct verdict *v)
{
	int c = gap_most(f);
	double pct = c >= 0 ? share_pct(f, f->gap_ns[c]) : 0;

	if (f->compat || !f->has_gaps || pct <= busy_pct(f, 1U << B_MEM))
		return false;
	v->share = pct;
	v->within = c == G_LAUNCH ? "launch_bound"
		    : c == G_DATA ? "dataloader_detector"
				  : NULL;
	buf_printf(&v->advice,
	    "It idles for %.1f %% of the time for one reason: %s; dlp gaps FILE"
	    " tells when",
	    pct, gap_part(c));
	return true;
}

/* The largest part of the time in which no kernel ran. */
static void
say_largest(const struct facts *f, struct verdict *v)
{
	size_t n = f->compat ? N_DLPROF_PART : sizeof(parts) / sizeof(parts[0]);
	const struct part *best = parts, *p;
	double pct;

	if (say_gaps(f, v))
		return;
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

/* DLProf counts kernels alone. */
static uint64_t
say_unused(const struct facts *f, struct buf *b)
{
	const struct device *d;
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		d = &f->dev[i];
		if (f->compat ? d->n_kern > 0 || dev_kernels(d) > 0 : d->used)
			continue;
		buf_puts(b, n++ > 0 ? ", " : "");
		buf_i64(b, d->dev);
	}
	return n;
}

static void
put_unused(struct verdict *v, struct buf *unused)
{
	v->judged = V_YES;
	buf_printf(&v->problem,
	    "Not all visible GPUs are used: device IDs not used: %s",
	    buf_str(unused));
	buf_puts(&v->advice,
	    "Use all GPUs, or make only those visible that are needed");
}

static bool
no_work(const struct facts *f, struct verdict *v)
{
	if (f->n_dev == 0)
		unjudged(v, "GPUs: the profile names none");
	else if (!f->compat && work_ns(f) <= 0 &&
		 busy_pct(f, 1U << B_TC | 1U << B_KERN | 1U << B_GRAPH |
				 1U << B_MEM) <= 0)
		unjudged(v, "GPU work: the profile has none");
	else
		return false;
	return true;
}

/* A part of DLProf's detector, which is silent about the rest of the time then;
 * here that is judged for itself. */
void
unused_gpus(const struct facts *f, double limit, struct verdict *v)
{
	struct buf unused = { 0 };
	uint64_t n;

	if (no_work(f, v))
		return;
	n = say_unused(f, &unused);
	buf_u64(&v->value, n);
	if ((double)n > limit)
		put_unused(v, &unused);
	buf_free(&unused);
}

static void
say_busy(const struct facts *f, double pct, struct verdict *v)
{
	if (f->compat) {
		buf_printf(&v->problem,
		    "The GPU is underutilized: Only %.1f%% of the"
		    " profiled time is spent on GPU kernel operations",
		    pct);
		return;
	}
	buf_printf(
	    &v->problem, "The GPU runs kernels for %.1f %% of the time", pct);
	if (f->queue_full.all.n > 0) {
		tops_put(&f->queue_full, &v->evidence, 1);
		buf_puts(&v->evidence, " of launches that waited for the GPU");
	}
}

void
underutilized(const struct facts *f, double limit, struct verdict *v)
{
	struct buf unused = { 0 };
	double pct = busy_pct(f, 1U << B_TC | 1U << B_KERN | 1U << B_GRAPH);

	if (no_work(f, v))
		return;
	buf_printf(&v->value, "%.1f", pct);
	if (f->compat && say_unused(f, &unused) > 0) {
		put_unused(v, &unused);
	} else if (!f->has_busy) {
		unjudged(v, "busy records: dlp-busy");
	} else {
		v->judged = pct < limit ? V_YES : V_NO;
		say_busy(f, pct, v);
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
