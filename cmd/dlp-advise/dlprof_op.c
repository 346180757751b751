/* DLProf's detectors of ops and of the model's settings; see dlprof.h. */
#include "dlprof.h"

#include <string.h>

bool
is_tensorflow(const struct facts *f)
{
	return strncmp(f->mode, "tensorflow", 10) == 0;
}

bool
is_pytorch(const struct facts *f)
{
	return strcmp(f->mode, "pytorch") == 0 ||
	       (f->mode[0] == '\0' && f->ops.pytorch > 0);
}

bool
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
