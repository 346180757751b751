/* The rules that DLProf did not have; see rule.h. */
#include "num.h"
#include "rule.h"

static double
idle_pct(const struct facts *f)
{
	return busy_pct(
	    f, 1U << B_LOAD | 1U << B_IO | 1U << B_CPU | 1U << B_OTHER);
}

/* What calls cost is at most what the GPU waits meanwhile. */
static double
wait_pct(const struct facts *f, int64_t ns)
{
	double share = share_pct(f, ns);
	double idle = idle_pct(f);

	return !f->has_busy ? -1 : share < idle ? share : idle;
}

void
sync_calls(const struct facts *f, double limit, struct verdict *v)
{
	if (no_steps(f, v))
		return;
	above(v, per_iter(f, f->sync.all.n), limit);
	v->share = wait_pct(f, f->sync.all.ns);
	tops_put(&f->sync, &v->evidence, 3);
	buf_printf(&v->problem,
	    "The CPU waits for the GPU %s times per iteration, for ",
	    buf_str(&v->value));
	put_time(&v->problem,
	    f->sync.all.ns / (int64_t)(f->n_iter > 0 ? f->n_iter : 1));
	buf_puts(&v->advice,
	    "Avoid .item(), .cpu(), print() of tensors, boolean masks and"
	    " nonzero() inside the step; copy with non_blocking=True from"
	    " pinned memory");
}

void
launch_bound(const struct facts *f, double limit, struct verdict *v)
{
	double wait = share_pct(f, f->gap_ns[G_LAUNCH]), kern, every;
	int64_t wall = 0;
	size_t i, used = 0;

	if (!f->has_busy) {
		unjudged(v, "busy records: dlp-busy");
		return;
	}
	if (!f->has_gaps && idle_pct(f) > limit) {
		unjudged(v, "gap records: dlp-gaps");
		return;
	}
	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].n_kern > 0) {
			wall = num_add(wall, dev_wall(&f->dev[i]));
			used++;
		}
	if (used == 0 || f->n_kern == 0 || no_steps(f, v))
		return;
	v->share = wait;
	kern = (double)f->kern_ns / (double)f->n_kern;
	every = (double)wall / (double)f->n_kern;
	if (above(v, wait, limit) && kern >= every)
		v->judged = V_NO;
	buf_printf(&v->problem,
	    "The GPU waits for launches for %.1f %% of the time (launch-bound"
	    " in dlp gaps): a kernel takes ",
	    wait);
	put_time(&v->problem, (int64_t)kern);
	buf_puts(&v->problem, " on average, and one is launched every ");
	put_time(&v->problem, (int64_t)every);
	buf_printf(
	    &v->evidence, "%.0f kernels per iteration", per_iter(f, f->n_kern));
	buf_puts(&v->advice,
	    "Launch less: torch.compile, CUDA graphs, fused or foreach"
	    " optimizers; or give each kernel more to do (batch size)");
}

void
exposed_comm(const struct facts *f, double limit, struct verdict *v)
{
	int64_t hidden, all = 0, bare = 0, wall = 0;
	size_t i, k;

	for (i = 0; i < f->n_dev; i++) {
		const struct device *d = &f->dev[i];

		wall = num_add(wall, d->n_kern > 0 ? dev_wall(d) : 0);
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
	v->share = share_pct(f, bare);
	above(v, wall > 0 ? 100.0 * (double)bare / (double)wall : 0, limit);
	tops_put(&f->comm, &v->evidence, 3);
	buf_printf(&v->problem,
	    "Communication that no other kernel hides takes %s %% of the"
	    " time: ",
	    buf_str(&v->value));
	put_time(&v->problem, bare);
	buf_puts(&v->problem, " of ");
	put_time(&v->problem, all);
	buf_puts(&v->advice,
	    "Overlap it with the backward pass (bucket sizes,"
	    " gradient_as_bucket_view), communicate in half precision, look"
	    " for a rank that comes late");
}

/* Of all work, as copies stand in the way of kernels that wait for them. */
void
pageable_copies(const struct facts *f, double limit, struct verdict *v)
{
	int64_t all = work_ns(f);

	if (all <= 0)
		return;
	above(v, 100.0 * (double)f->pageable.all.ns / (double)all, limit);
	v->share = share_pct(f, f->pageable.all.ns);
	tops_put(&f->pageable, &v->evidence, 3);
	buf_printf(&v->problem,
	    "%s %% of the GPU's work is copying from or to pageable memory,"
	    " slowly and while the CPU waits: ",
	    buf_str(&v->value));
	put_size(&v->problem, f->pageable.all.bytes);
	buf_puts(&v->advice, "Use pinned memory: DataLoader(pin_memory=True),"
			     " tensor.pin_memory(), with non_blocking=True");
}

void
alloc_calls(const struct facts *f, double limit, struct verdict *v)
{
	if (no_steps(f, v))
		return;
	above(v, per_iter(f, f->alloc.all.n), limit);
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

void
few_blocks(const struct facts *f, double limit, struct verdict *v)
{
	if (f->n_sized == 0) {
		if (f->n_kern > 0)
			unjudged(v, "multiprocessors of the device");
		return;
	}
	above(v, kern_pct(f, f->few_ns), limit);
	v->share = share_pct(f, f->few_ns);
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

void
loader_workers(const struct facts *f, double limit, struct verdict *v)
{
	double pct = busy_pct(f, 1U << B_LOAD);

	if (pct <= limit)
		return;
	if (f->model[M_WORKERS] < 0) {
		unjudged(v, "num_workers: the configuration that"
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

void
memory_full(const struct facts *f, double limit, struct verdict *v)
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
		unjudged(v, "memory events: nsys profile"
			    " --cuda-memory-usage=true");
		return;
	}
	above(v, 100.0 * (double)worst->mem_peak / (double)worst->mem_total,
	    limit);
	buf_printf(&v->problem,
	    "%s %% of the memory of device %lld are in use"
	    " at the peak",
	    buf_str(&v->value), (long long)worst->dev);
	buf_puts(&v->advice,
	    "A little more and it runs out: activation checkpointing, smaller"
	    " batches with accumulation, or a sharded optimizer");
}

void
graph_level(const struct facts *f, double limit, struct verdict *v)
{
	int64_t all = work_ns(f);

	if (f->n_graph == 0)
		return;
	above(
	    v, all > 0 ? 100.0 * (double)f->graph_ns / (double)all : 0, limit);
	buf_printf(&v->problem,
	    "%llu runs of CUDA graphs, %s %% of the GPU's work, were recorded"
	    " as a whole: their kernels are not known",
	    (unsigned long long)f->n_graph, buf_str(&v->value));
	buf_puts(
	    &v->advice, "Record with nsys profile --cuda-graph-trace=node");
}

void
no_op(const struct facts *f, double limit, struct verdict *v)
{
	if (f->n_kern == 0)
		return;
	above(v, kern_pct(f, f->no_op_ns), limit);
	buf_printf(&v->problem, "%s %% of the kernels' time belongs to no op",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Run the training loop under torch.autograd.profiler.emit_nvtx"
	    "(record_shapes=True); dlp coverage FILE says what is missing");
}

void
profiler_cost(const struct facts *f, double limit, struct verdict *v)
{
	if (f->span_ns <= 0)
		return;
	above(v, 100.0 * (double)f->over_ns / (double)f->span_ns, limit);
	v->share = 100.0 * (double)f->over_ns / (double)f->span_ns;
	buf_printf(&v->problem,
	    "The profiler itself took %s %% of the time that was recorded",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Record less (-t cuda,nvtx, no sampling), and only some steps");
}

void
lazy_loading(const struct facts *f, double limit, struct verdict *v)
{
	double pct;

	if (f->span_ns <= 0)
		return;
	pct = 100.0 * (double)f->load_ns / (double)f->span_ns;
	above(v, pct, limit);
	v->share = pct;
	buf_printf(&v->problem,
	    "CUDA loaded code for %s %% of the time that was recorded, as it"
	    " does at the first use of a kernel",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Profile later steps; or let all be loaded at the start:"
	    " CUDA_MODULE_LOADING=EAGER");
}

void
lost_events(const struct facts *f, double limit, struct verdict *v)
{
	buf_u64(&v->value, f->lost.all.n);
	v->judged = (double)f->lost.all.n > limit ? V_YES : V_NO;
	tops_put(&f->lost, &v->evidence, 2);
	buf_puts(&v->problem, "The recorder lost events: sums are too small");
	buf_puts(&v->advice, "Record fewer steps, or larger buffers");
}
