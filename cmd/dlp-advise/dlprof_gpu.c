/* DLProf's detectors of GPUs: their use, their memory; see dlprof.h. */
#include "dlprof.h"

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
