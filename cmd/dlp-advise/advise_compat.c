/*
 * --dlprof: judges that decide, and word their findings, as DLProf 1.8 did,
 * because scripts read its text. They count all visible GPUs, and do not know
 * gaps or copies.
 */
#include <string.h>

#include "advise.h"
#include "array.h"

/* The user guide has some detectors only for PyTorch and TensorFlow. */
static bool
is_engine(const struct facts *f)
{
	return strcmp(f->mode, "tensorrt") == 0;
}

void
dlprof_amp(const struct facts *f, double limit, struct advise_verdict *v)
{
	uint64_t n = f->ops.eligible - f->ops.half;

	if (is_engine(f) || amp_is_unknown(f, v))
		return;
	v->judged = f->ops.half == 0 && (double)n > limit ? V_YES : V_NO;
	buf_u64(&v->value, n);
	buf_printf(&v->problem,
	    "%llu ops were eligible to use tensor cores but none are using"
	    " FP16",
	    (unsigned long long)n);
	buf_puts(&v->advice,
	    "Try enabling AMP (Automatic Mixed Precision). For more"
	    " information:"
	    " https://developer.nvidia.com/automatic-mixed-precision");
}

/* GPUs without a kernel, as a list; empty if there are none. */
static void
put_unused(const struct facts *f, struct buf *b)
{
	const struct device *d;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		d = &f->dev[i];
		if (d->n_kern > 0 || facts_dev_kernels(d) > 0)
			continue;
		buf_puts(b, b->len > 0 ? ", " : "");
		buf_i64(b, d->dev);
	}
}

/* The largest part of the time in which no kernel ran. */
static void
say_idle_part(const struct facts *f, struct advise_verdict *v)
{
	static const struct {
		int class;
		const char *name, *advice;
	} parts[] = {
		{ B_CPU, "CPU",
		    "Consider swapping ops that are running on the CPU for"
		    " equivalent GPU ops" },
		{ B_LOAD, "Dataloader",
		    "Consider more workers for the dataloader, or a faster"
		    " one" },
		{ B_IO, "I/O", "Consider reading the data ahead of their use" },
		{ B_OTHER, "Other",
		    "Consider looking at what the program does while no op"
		    " runs" },
	};
	size_t i, best = 0;
	double pct, most = -1;

	for (i = 0; i < ARRAY_LEN(parts); i++) {
		pct = facts_busy_pct(f, 1U << parts[i].class);
		if (pct > most) {
			most = pct;
			best = i;
		}
	}
	buf_printf(&v->advice,
	    "%s has the highest (non-GPU) usage at %.1f%%."
	    " %s",
	    parts[best].name, most, parts[best].advice);
	verdict_gain(v, facts_busy_ns(f, 1U << parts[best].class));
	v->within = parts[best].class == B_LOAD ? "dataloader_detector" : NULL;
}

/* Unused GPUs; if there are none, GPUs that idle. */
void
dlprof_underutilized(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	double pct =
	    facts_busy_pct(f, 1U << B_TC | 1U << B_KERN | 1U << B_GRAPH);
	struct buf unused = { 0 };

	if (verdict_no_devices(f, v))
		return;
	buf_printf(&v->value, "%.1f", pct);
	put_unused(f, &unused);
	if (unused.len > 0) {
		say_unused_gpus(v, buf_str(&unused));
	} else if (!f->has_busy) {
		verdict_untimed(f, v, "busy records: dlp-busy");
	} else {
		v->judged = pct < limit ? V_YES : V_NO;
		buf_printf(&v->problem,
		    "The GPU is underutilized: Only %.1f%% of the profiled"
		    " time is spent on GPU kernel operations",
		    pct);
		say_idle_part(f, v);
	}
	buf_free(&unused);
}

/* The idle time inside the ranges of the loader. */
static void
judge_load_time(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!verdict_above(v, facts_busy_pct(f, 1U << B_LOAD), limit))
		return;
	verdict_gain(v, facts_busy_ns(f, 1U << B_LOAD));
	verdict_where(v, "gaps", "class", "dataloader");
	buf_printf(&v->problem,
	    "%s%% of the aggregated run was spent in the dataloader while"
	    " the GPU was idle",
	    buf_str(&v->value));
	say_load_advice(v);
}

/* If there are no ops of DALI it recommends DALI, whatever the time. */
void
dlprof_dataloader(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!is_pytorch(f))
		return;
	if (!f->has_busy && f->ops.dali > 0) {
		verdict_untimed(f, v, "busy records: dlp-busy");
		return;
	}
	judge_load_time(f, limit, v);
	if (v->judged == V_YES || f->ops.dali > 0)
		return;
	v->judged = V_YES;
	buf_puts(&v->problem, "No DALI ops detected");
	buf_puts(&v->advice,
	    "Consider using NVIDIA DALI, a library that is a high performance"
	    " alternative to built-in data loaders and data iterators. Learn"
	    " more here: https://developer.nvidia.com/DALI");
}

void
dlprof_batch_size(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!is_engine(f) && !batch_is_unknown(f, v))
		judge_free_memory(f, limit, v);
}
