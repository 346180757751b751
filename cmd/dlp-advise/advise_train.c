/*
 * Rules about how a program computes, each with a remedy of its framework, and
 * silent if that is in use: the layout of tensors, optimizers, attention,
 * chains of small kernels, compiled regions. The thresholds are ours.
 */
#include <string.h>

#include "advise.h"
#include "num.h"

static bool
is_torch(const struct facts *f)
{
	return (f->frameworks & FW_PYTORCH) != 0;
}

void
judge_channels_last(const struct facts *f, struct advise_verdict *v)
{
	const struct facts_sum *in = &f->kind[K_TO_NHWC];
	const struct facts_sum *out = &f->kind[K_TO_NCHW];
	int64_t ns = num_add(in->ns, out->ns);

	if (!is_torch(f) || f->kind[K_CONV].n == 0)
		return;
	verdict_kernels(f, ns, v);
	if (use_of(f, USE_CHANNELS_LAST) == USE_YES)
		v->judged = V_NO;
	buf_u64(verdict_let(v, "in"), in->n);
	say_time(verdict_let(v, "in_time"), in->ns);
	buf_u64(verdict_let(v, "out"), out->n);
	say_time(verdict_let(v, "out_time"), out->ns);
}

/* Up to so many kernels per step are few already: SGD takes one or two. */
#define FEW_KERNELS 2

/* The optimizer's kernels, and the time in which the GPU waits for them. */
void
judge_fused_optimizer(const struct facts *f, struct advise_verdict *v)
{
	int64_t kern = num_add(f->kind[K_FOREACH].ns, f->kind[K_OPTIMIZER].ns);
	size_t len;
	uint64_t n = f->kind[K_FOREACH].n + f->kind[K_OPTIMIZER].n;
	double per_step = facts_per_iter(f, n);

	if (!is_torch(f) || n + f->kind[K_FUSED].n == 0)
		return;
	verdict_share(f, num_add(kern, f->opt_idle_ns), v);
	if (use_of(f, USE_FUSED) == USE_YES || per_step <= FEW_KERNELS)
		v->judged = V_NO;
	tops_put(&f->optimizer, &v->evidence, 3);
	buf_printf(verdict_let(v, "kernels"), "%.0f", per_step);
	if (f->other_opt.all.ns > kern / 2 && kern > 0)
		buf_puts(
		    verdict_let(v, "other"), tops_first(&f->other_opt, &len));
}

void
judge_sdpa(const struct facts *f, struct advise_verdict *v)
{
	const struct facts_sum *k = f->kind;
	int64_t products =
	    num_mul(2, k[K_VALUES].ns); /* queries and keys, too */

	if (!is_torch(f) || k[K_ATTENTION].n + k[K_SCORES].n == 0)
		return;
	verdict_kernels(f, k[K_SCORES].ns, v);
	/* the one kernel computes them, too, without their casts and copies */
	verdict_gain(
	    v, num_add(num_add(k[K_SCORES].ns, products), f->softmax_idle_ns));
	tops_put(&f->scores, &v->evidence, 3);
}

void
judge_loss_chain(const struct facts *f, struct advise_verdict *v)
{
	if (!is_torch(f) || f->kind[K_LOSS].n == 0)
		return;
	verdict_kernels(f, f->kind[K_LOSS].ns, v);
	buf_printf(verdict_let(v, "kernels"), "%.0f",
	    facts_per_iter(f, f->kind[K_LOSS].n));
	say_time(verdict_let(v, "time"), f->kind[K_LOSS].ns);
}

void
judge_pointwise_chain(const struct facts *f, struct advise_verdict *v)
{
	if (!is_torch(f) || f->kind[K_POINTWISE].n == 0)
		return;
	if (verdict_lacks(v, !f->has_family, "families of kernels: dlp-flops"))
		return;
	verdict_kernels(f, f->kind[K_POINTWISE].ns, v);
	/* one op alone is no chain */
	if (use_of(f, USE_COMPILED) == USE_YES ||
	    (f->chain.names.n == 1 && f->chain.all.n == f->n_kern))
		v->judged = V_NO;
	tops_put(&f->chain, &v->evidence, 3);
}

void
judge_reduce_overhead(const struct facts *f, struct advise_verdict *v)
{
	if (!is_torch(f) || use_of(f, USE_COMPILED) != USE_YES ||
	    verdict_no_steps(f, v))
		return;
	if (verdict_lacks_times(f, v, !f->has_gaps, "gap records: dlp-gaps"))
		return;
	verdict_share(f, f->gap_ns[G_LAUNCH], v);
	if (use_of(f, USE_GRAPHS) == USE_YES || facts_passes(f) > 1.5 ||
	    use_varies(f) != VARY_NO)
		v->judged = V_NO;
	tops_put(&f->gap_in[G_LAUNCH], &v->evidence, 3);
}

void
judge_recompute(const struct facts *f, struct advise_verdict *v)
{
	if (!is_torch(f) || f->n_pass == 0)
		return;
	verdict_kernels(f, f->kind[K_AGAIN].ns, v);
	tops_put(&f->again, &v->evidence, 3);
}

/* A program that only infers, and joins the tensors of its last steps with
 * those of each new one. */
void
judge_kv_cache(const struct facts *f, struct advise_verdict *v)
{
	if (!is_torch(f) || f->n_pass > 0 || f->n_kern == 0)
		return;
	verdict_kernels(f, f->kind[K_CAT].ns, v);
	buf_printf(verdict_let(v, "kernels"), "%.0f",
	    facts_per_iter(f, f->kind[K_CAT].n));
}

void
judge_cudnn_plans(const struct facts *f, struct advise_verdict *v)
{
	if (!is_torch(f) || verdict_no_steps(f, v) ||
	    verdict_lacks_times(f, v, !f->has_gaps, "gap records: dlp-gaps"))
		return;
	verdict_share(f, f->plans.all.ns, v);
	tops_put(&f->plans, &v->evidence, 3);
}

/* Frames of torch.compile, and those that it compiled more than once. */
static void
count_regions(
    const struct facts *f, uint64_t *frames, uint64_t *again, struct buf *names)
{
	struct smap seen = { 0 };
	const char *s, *slash;
	bool is_new;
	uint32_t i, at;
	size_t n;

	*again = 0;
	for (i = 0; i < f->regions.n; i++) {
		s = smap_str(&f->regions, i, &n);
		slash = memchr(s, '/', n);
		if (slash == NULL)
			continue;
		at = smap_put(&seen, s, (size_t)(slash - s), &is_new);
		if (seen.val[at]++ == 1 || (is_new && slash[1] != '0')) {
			buf_printf(names, "%s%.*s", *again > 0 ? ", " : "",
			    (int)(slash - s), s);
			++*again;
			seen.val[at] = 2;
		}
	}
	*frames = seen.n;
	smap_free(&seen);
}

void
judge_recompiles(const struct facts *f, struct advise_verdict *v)
{
	struct buf names = { 0 };
	uint64_t frames, again;

	count_regions(f, &frames, &again, &names);
	verdict_number(v, again);
	buf_put(verdict_let(v, "frames"), names.s, names.len);
	buf_free(&names);
}

void
judge_graph_breaks(const struct facts *f, struct advise_verdict *v)
{
	struct buf names = { 0 };
	uint64_t frames, again;

	count_regions(f, &frames, &again, &names);
	buf_free(&names);
	verdict_number(v, frames);
	if (f->lookups.n == 0)
		return;
	buf_u64(verdict_let(v, "lookups"), f->lookups.n);
	say_time(verdict_let(v, "time"), f->lookups.ns);
}

/* Memory that PyTorch's allocator has reserved, and gives to no tensor. */
void
judge_fragmented(const struct facts *f, struct advise_verdict *v)
{
	const struct device *d, *most = NULL;

	for (d = f->dev; d < f->dev + f->n_dev; d++)
		if (most == NULL || d->mem_pool > most->mem_pool)
			most = d;
	if (verdict_lacks(v,
		f->maker.torch && (most == NULL || !most->mem_pool),
		"memory of PyTorch's allocator:"
		" torch.profiler.profile(profile_memory=True)") ||
	    most == NULL || most->mem_pool == 0)
		return;
	verdict_above(
	    v, 100 * (1 - (double)most->mem_peak / (double)most->mem_pool));
	if (most->mem_total == 0 || 2 * most->mem_pool < most->mem_total)
		v->judged = V_NO; /* there is room */
	say_size(verdict_let(v, "reserved"), most->mem_pool);
	say_size(verdict_let(v, "used"), most->mem_peak);
}
