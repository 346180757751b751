/* The rules of Tensor Cores that DLProf did not have; see rule.h. */
#include "rule.h"

/* The part of the kernels' time with that reason. */
static void
tc_part(const struct facts *f, const struct tops *t, double limit,
    struct verdict *v)
{
	if (!f->has_tc_why) {
		unjudged(v, "Tensor Core use: dlp-flops");
		return;
	}
	above(v, kern_pct(f, t->all.ns), limit);
	v->share = share_pct(f, t->all.ns);
	tops_put(t, &v->evidence, 3);
}

/* All GPUs that are known are Volta or Turing; where none is, the kernels are
 * built for those. */
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

void
tc_fp32(const struct facts *f, double limit, struct verdict *v)
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

void
tc_unaligned(const struct facts *f, double limit, struct verdict *v)
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

void
tc_unused(const struct facts *f, double limit, struct verdict *v)
{
	if (!f->has_tc) {
		unjudged(v, "Tensor Core use: dlp-flops");
		return;
	}
	above(v, kern_pct(f, f->eligible_ns), limit);
	v->share = share_pct(f, f->eligible_ns);
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
