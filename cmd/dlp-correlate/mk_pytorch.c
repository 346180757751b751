/*
 * The texts of PyTorch's emit_nvtx:
 *
 *	NAME[, seq = N][, op_id = N][, sizes = [...]][, input_op_ids = [...]]
 *
 * of all versions (with seq alone, with sizes since 1.2, with op_id since
 * 1.12). NAME can hold commas and equals signs itself, so that the tail is
 * what is a tail to the end of the text. A range with a tail is an op; but
 * record_function ranges get an op_id too, and they are the program's own.
 * Without a tail only names of known namespaces are ops.
 */
#include "mk_parsers.h"
#include "mk_tail.h"

static const char frame_prefix[] = "autograd::engine::evaluate_function: ";

/* Ranges that PyTorch and its libraries make by record_function. */
static const char *const records[] = {
	"FSDP::",
	"Optimizer.",
	"ProfilerStep#",
	"enumerate(DataLoader)#",
	"[pl][",
	"## Call CompiledFxGraph",
	"Torch-Compiled Region",
	"DistributedDataParallel.",
	"DataParallel.",
	"TorchDynamo Cache Lookup",
	"AOTDispatcher Runtime Wrapper",
};

/* Namespaces whose names are ops even where nothing else says so. */
static const char *const spaces[] = {
	"aten::",
	"torch::autograd::",
	"c10d::",
	"c10d_functional::",
	"_c10d_functional::",
	"nccl:",
	"gloo:",
	"mpi:",
	"prim::",
	"prims::",
	"quantized::",
	"torchvision::",
	"torchaudio::",
	"torch_scatter::",
	"torch_sparse::",
	"sparse::",
	"mkldnn::",
	"mkldnn_prepacked::",
	"onednn::",
	"xformers::",
	"xformers_flash::",
	"xformers_python::",
	"flash_attn::",
	"fbgemm::",
	"vllm::",
	"_C::",
	"inductor::",
	"static_runtime::",
	"caffe2::",
	"rngprims::",
	"profiler::",
	"quantized_decomposed::",
	"symm_mem::",
	"torch_ipex::",
	"bitsandbytes::",
	"transformer_engine::",
	"tex_ts::",
	"mamba_ssm::",
	"detectron2::",
};

/* Ops of PyTorch's own that have no namespace. */
static const char *const plain[] = { "detach", "detach_", "record_param_comms",
	"CudaTransfer" };

/* Backward nodes that do not end in Backward. */
static const char *const nodes[] = { "AccumulateGrad", "CopySlices",
	"CppFunction", "CopyBackwards", "GraphRoot", "UndefinedGrad" };

#define N(a) (sizeof(a) / sizeof((a)[0]))

static bool
starts_any(struct mview v, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v.s[0] == list[i][0] && mv_starts(v, list[i]))
			return true;
	return false;
}

static bool
is_any(struct mview v, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (mv_eq(v, list[i]))
			return true;
	return false;
}

/* The last component of a C++ name: behind the last :: that is in no <>. */
static struct mview
last_part(struct mview v)
{
	const char *p, *e = v.s + v.n;
	int deep = 0;

	for (p = e; p > v.s; p--) {
		deep += p[-1] == '>' && !(p - 1 > v.s && p[-2] == '-');
		deep -= p[-1] == '<';
		if (deep <= 0 && p[-1] == ':')
			break;
	}
	return mv(p, e);
}

static void
split_name(struct marker *m)
{
	const char *e;

	if (mv_starts(m->name, "aten::"))
		m->op = mv(m->name.s + 6, m->name.s + m->name.n);
	else
		m->op = last_part(m->name);
	for (e = m->op.s; e > m->name.s && e[-1] == ':';)
		e--;
	if (e > m->name.s)
		m->mod = mv(m->name.s, e);
}

/* ...Backward or ...Backward0; *n is what stands before it. */
static bool
backward_suffix(const char *s, size_t *n)
{
	static const char word[] = "Backward";
	size_t k = *n, w = sizeof(word) - 1;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	if (k < w || memcmp(s + k - w, word, w) != 0)
		return false;
	*n = k - w;
	return true;
}

bool
marker_is_backward(const char *s, size_t n)
{
	struct mview v = { s, n };
	size_t k = n;

	if (backward_suffix(s, &k) || mv_starts(v, "torch::autograd::"))
		return true;
	return n > 0 &&
	       (s[0] == 'A' || s[0] == 'C' || s[0] == 'G' || s[0] == 'U') &&
	       is_any(v, nodes, N(nodes));
}

bool
marker_forward_of(const char *s, size_t n, struct mview *fwd)
{
	struct mview v = last_part((struct mview){ s, n });
	size_t k = v.n;

	if (mv_starts(v, "CppNode<") && v.s[v.n - 1] == '>') {
		*fwd = mv(v.s + 8, v.s + v.n - 1);
		return fwd->n > 0;
	}
	if (!backward_suffix(v.s, &k) || k == 0)
		return false;
	*fwd = mv(v.s, v.s + k);
	return true;
}

/* N5torch8autograd14AccumulateGradE, as PyTorch 0.4 had it: op and mod. */
static bool
mangled(struct marker *m)
{
	static const char pre[] = "N5torch8autograd";
	const char *p = m->text.s + sizeof(pre) - 1;
	const char *e = m->text.s + m->text.n;
	size_t n = 0;

	if (!mv_starts(m->text, pre))
		return false;
	while (p < e && *p >= '0' && *p <= '9' && n < 4096)
		n = n * 10 + (size_t)(*p++ - '0');
	if (n == 0 || (size_t)(e - p) != n + 1 || e[-1] != 'E')
		return false;
	m->kind = MK_BWD;
	m->by = BY_PYTORCH;
	m->op = m->name = mv(p, e - 1);
	m->mod = (struct mview){ "torch::autograd", 15 };
	return true;
}

/* A name with an op_id but no seq: where there are op_ids, ops have a
 * namespace and no blanks; record_function ranges can have sizes, too. */
static bool
looks_like_op(struct mview v)
{
	return starts_any(v, spaces, N(spaces)) || is_any(v, plain, N(plain)) ||
	       mv_starts(v, "triton_") || /* Inductor's kernels */
	       (mv_find(v, "::") != NULL && memchr(v.s, ' ', v.n) == NULL);
}

static bool
set_kind(struct marker *m, enum marker_kind kind)
{
	m->kind = kind;
	m->by = BY_PYTORCH;
	split_name(m);
	if (mv_find(m->op, "CheckpointFunction") != NULL)
		m->flags |= MK_GROUP;
	return true;
}

/* sizes alone, as 1.2 wrote them for ops without seq. */
static bool
nameless(struct marker *m)
{
	m->kind = MK_OP;
	m->by = BY_PYTORCH;
	m->flags |= MK_DAMAGED;
	m->op = (struct mview){ "unknown", 7 };
	return true;
}

static bool
with_tail(struct marker *m)
{
	if (m->name.n == 0)
		return nameless(m);
	if (starts_any(m->name, records, N(records))) {
		m->by = BY_PYTORCH;
		return false;
	}
	if (marker_is_backward(m->name.s, m->name.n))
		return set_kind(m, MK_BWD);
	if (m->seq >= 0 || (m->op_id < 0 && m->sizes.s != NULL) ||
	    looks_like_op(m->name))
		return set_kind(m, MK_OP);
	m->by = m->op_id >= 0 ? BY_PYTORCH : BY_USER;
	return false;
}

static bool
without_tail(struct marker *m)
{
	size_t n = m->name.n;
	char last = m->name.s[n - 1];

	if (starts_any(m->name, spaces, N(spaces)))
		return set_kind(
		    m, marker_is_backward(m->name.s, n) ? MK_BWD : MK_OP);
	if (last >= '0' && last <= '9' && m->name.s[0] >= 'A' &&
	    m->name.s[0] <= 'Z' && memchr(m->name.s, ' ', n) == NULL &&
	    backward_suffix(m->name.s, &n) && n > 0)
		return set_kind(m, MK_BWD);
	return last == 'E' && mangled(m);
}

bool
mk_pytorch(struct marker *m)
{
	size_t n = sizeof(frame_prefix) - 1;
	int r = mk_tail(m);

	if (m->name.n > n && m->name.s[0] == 'a' &&
	    memcmp(m->name.s, frame_prefix, n) == 0) {
		m->name = mv(m->name.s + n, m->name.s + m->name.n);
		set_kind(m, MK_BWD_FRAME);
	} else if (r == 0 ? !without_tail(m) : !with_tail(m)) {
		/* a user's text that happens to end in ", s" stays whole */
		if (r < 0 && m->by == BY_USER)
			m->name = m->text;
		return false;
	}
	if (r < 0)
		m->flags |= MK_DAMAGED;
	return true;
}
