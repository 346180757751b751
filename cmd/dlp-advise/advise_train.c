/*
 * Rules about how a program computes, each with a remedy of its framework, and
 * silent if that is in use: the layout of tensors, optimizers, attention,
 * chains of small kernels, compiled regions. The thresholds are ours.
 */
#include "advise.h"
#include "num.h"

static bool
is_torch(const struct facts *f)
{
	return (f->frameworks & FW_PYTORCH) != 0;
}

/* Judges the part of the kernels' time that one kind of kernels takes. */
static bool
kind_above(
    const struct facts *f, int64_t ns, double limit, struct advise_verdict *v)
{
	verdict_gain(v, ns);
	return verdict_above(v, facts_kern_pct(f, ns), limit);
}

static void
judge_channels_last(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	const struct facts_sum *in = &f->kind[K_TO_NHWC];
	const struct facts_sum *out = &f->kind[K_TO_NCHW];
	int64_t ns = num_add(in->ns, out->ns);

	if (!is_torch(f) || f->kind[K_CONV].n == 0)
		return;
	if (kind_above(f, ns, limit, v) &&
	    use_of(f, USE_CHANNELS_LAST) == USE_YES)
		v->judged = V_NO;
	verdict_where(v, "kernels", "short", "nchwToNhwcKernel");
	buf_printf(
	    &v->evidence, "to NHWC: %llu kernels, ", (unsigned long long)in->n);
	say_time(&v->evidence, in->ns);
	buf_printf(
	    &v->evidence, "; back: %llu kernels, ", (unsigned long long)out->n);
	say_time(&v->evidence, out->ns);
	buf_printf(&v->problem,
	    "%s %% of the kernels' time converts tensors between the layouts"
	    " NCHW and NHWC, because convolutions on Tensor Cores want NHWC",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Keep tensors in that layout:"
	    " model.to(memory_format=torch.channels_last), and the input as"
	    " well");
}

const struct advise_rule rule_channels_last = {
	.id = "channels_last",
	.version = 1,
	.limit = 2,
	.unit = "percent",
	.help = "kernels that convert layouts for convolutions",
	.judge = judge_channels_last,
};

/* Up to so many kernels per step are few already: SGD takes one or two. */
#define FEW_KERNELS 2

/* The optimizer's kernels, and the time in which the GPU waits for them. */
static void
judge_fused_optimizer(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	int64_t kern = num_add(f->kind[K_FOREACH].ns, f->kind[K_OPTIMIZER].ns);
	int64_t ns = kern;
	size_t len;
	uint64_t n = f->kind[K_FOREACH].n + f->kind[K_OPTIMIZER].n;

	if (!is_torch(f) || n + f->kind[K_FUSED].n == 0)
		return;
	if (verdict_no_steps(f, v))
		return;
	ns = num_add(ns, f->opt_idle_ns);
	verdict_gain(v, ns);
	verdict_above(v, facts_share_pct(f, ns), limit);
	if (use_of(f, USE_FUSED) == USE_YES ||
	    facts_per_iter(f, n) <= FEW_KERNELS)
		v->judged = V_NO;
	verdict_where(v, "ops", "phase", "optimizer");
	tops_put(&f->optimizer, &v->evidence, 3);
	buf_printf(&v->problem,
	    "The optimizer takes %s %% of the time, %.0f kernels per step and"
	    " the gaps before them: it reads and writes the parameters once"
	    " for each operation",
	    buf_str(&v->value), facts_per_iter(f, n));
	if (f->other_opt.all.ns > kern / 2 && kern > 0)
		buf_printf(&v->advice,
		    "%s has no fused=True: compile its step,"
		    " torch.compile(optimizer.step)",
		    tops_first(&f->other_opt, &len));
	else
		buf_puts(&v->advice, "Give the optimizer fused=True (Adam,"
				     " AdamW, SGD, Adagrad)");
}

const struct advise_rule rule_fused_optimizer = {
	.id = "fused_optimizer",
	.version = 2,
	.limit = 5,
	.unit = "percent",
	.help = "an optimizer that is not fused, and launches more than 2 "
		"kernels per step",
	.judge = judge_fused_optimizer,
};

static void
judge_sdpa(const struct facts *f, double limit, struct advise_verdict *v)
{
	const struct facts_sum *k = f->kind;

	if (!is_torch(f) || k[K_ATTENTION].n + k[K_SCORES].n == 0)
		return;
	kind_above(f, k[K_SCORES].ns, limit, v);
	verdict_gain(v, num_add(k[K_SCORES].ns, f->softmax_idle_ns));
	verdict_where(v, "ops", "op", "softmax");
	tops_put(&f->scores, &v->evidence, 3);
	buf_printf(&v->problem,
	    "Attention is computed in several kernels, which write its scores"
	    " to memory and read them again: %s %% of the kernels' time,"
	    " without the products",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "torch.nn.functional.scaled_dot_product_attention computes"
	    " attention in one kernel");
	if (use_of(f, USE_SDPA) == USE_YES)
		buf_puts(&v->advice, ", as in other layers of this program");
}

const struct advise_rule rule_sdpa = {
	.id = "sdpa",
	.version = 1,
	.limit = 1,
	.unit = "percent",
	.help = "attention that is computed in several kernels",
	.judge = judge_sdpa,
};

static void
judge_loss_chain(const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!is_torch(f) || f->kind[K_LOSS].n == 0)
		return;
	kind_above(f, f->kind[K_LOSS].ns, limit, v);
	if (use_of(f, USE_COMPILED) == USE_YES)
		v->within = "pointwise_chain";
	verdict_where(v, "ops", "family", "loss");
	buf_printf(&v->evidence, "%.0f kernels%s, ",
	    facts_per_iter(f, f->kind[K_LOSS].n),
	    facts_has_steps(f) ? " per step" : "");
	say_time(&v->evidence, f->kind[K_LOSS].ns);
	buf_printf(&v->problem,
	    "The loss takes %s %% of the kernels' time: each of its kernels"
	    " reads and writes all logits",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "Compile the loss function (torch.compile) together with the last"
	    " layer and its casts, or use a loss that is fused with the last"
	    " linear layer");
}

const struct advise_rule rule_loss_chain = {
	.id = "loss_chain",
	.version = 1,
	.limit = 5,
	.unit = "percent",
	.help = "kernels of the loss",
	.judge = judge_loss_chain,
};

static void
judge_pointwise_chain(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!is_torch(f) || f->kind[K_POINTWISE].n == 0)
		return;
	if (!f->has_family) {
		verdict_unjudged(v, "families of kernels: dlp-flops");
		return;
	}
	if (kind_above(f, f->kind[K_POINTWISE].ns, limit, v) &&
	    use_of(f, USE_COMPILED) == USE_YES)
		v->judged = V_NO;
	verdict_where(v, "ops", "family", "pointwise");
	tops_put(&f->chain, &v->evidence, 3);
	buf_printf(&v->problem,
	    "%s %% of the kernels' time are element-wise kernels, each of"
	    " which reads and writes whole tensors",
	    buf_str(&v->value));
	buf_puts(
	    &v->advice, "torch.compile fuses chains of them into one kernel");
}

const struct advise_rule rule_pointwise_chain = {
	.id = "pointwise_chain",
	.version = 1,
	.limit = 20,
	.unit = "percent",
	.help = "element-wise kernels of a program that is not compiled",
	.judge = judge_pointwise_chain,
};

static void
judge_reduce_overhead(
    const struct facts *f, double limit, struct advise_verdict *v)
{
	if (!is_torch(f) || use_of(f, USE_COMPILED) != USE_YES ||
	    verdict_no_steps(f, v))
		return;
	if (!f->has_gaps) {
		verdict_untimed(f, v, "gap records: dlp-gaps");
		return;
	}
	verdict_gain(v, f->gap_ns[G_LAUNCH]);
	verdict_above(v, facts_share_pct(f, f->gap_ns[G_LAUNCH]), limit);
	if (use_of(f, USE_GRAPHS) == USE_YES)
		v->judged = V_NO;
	v->within = "launch_bound";
	verdict_where(v, "gaps", "class", "launch-bound");
	tops_put(&f->gap_in[G_LAUNCH], &v->evidence, 3);
	buf_printf(&v->problem,
	    "The program is compiled, and its kernels are launched one by one:"
	    " the GPU waits for launches for %s %% of the time",
	    buf_str(&v->value));
	buf_puts(&v->advice,
	    "torch.compile(model, mode=\"reduce-overhead\") replays compiled"
	    " regions as CUDA graphs");
}

const struct advise_rule rule_reduce_overhead = {
	.id = "reduce_overhead",
	.version = 1,
	.limit = 10,
	.unit = "percent",
	.help = "a compiled program that waits for launches, without CUDA "
		"graphs",
	.judge = judge_reduce_overhead,
};
