/*
 * The texts of PyTorch's emit_nvtx and record_function:
 *
 *	NAME[, seq = N][, op_id = N][, sizes = [...]][, result = [...]]
 *	    [, input_op_ids = [...]]
 *	    [, is_causal = [True]][, types = [...]][, comm = [...]]
 *							(torch.profiler)
 *	    [, inputs = [{"name":...}]]			(dlp-parse --inputs)
 *
 *	aten::addmm, seq = 11, op_id = 34, sizes = [[6], [4, 5], [5, 6]],
 *	    input_op_ids = [(0,-1), (33,0), (12,0)]
 *	autograd::engine::evaluate_function: AddmmBackward0
 *	conv2d, seq = 11	(before 1.6: no namespace)
 *
 * Versions differ: seq alone at first, sizes since 1.2, op_id since 1.12. NAME
 * can hold commas and equals signs itself, so the tail is what reads as a tail
 * up to the end of the text. A range with a tail is an op, except those of
 * record_function: they have an op_id too, and are the program's own. Without
 * a tail only names of known namespaces are ops. Source: getNvtxStr() in
 * torch/csrc/profiler/util.cpp, torch/csrc/profiler/standalone/
 * nvtx_observer.cpp, and torch/csrc/autograd/engine.cpp for the backward.
 */
#include "array.h"
#include "mk.h"

#define SIZES_MAX 262144u /* bytes of a list that are read */

static const char frame_prefix[] = "autograd::engine::evaluate_function: ";

/* Ranges that PyTorch and its libraries open with record_function. */
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

/* Namespaces whose names are always ops. */
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

/* The last component of a C++ name: after the last :: outside of <>. */
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

/* ...Backward or ...Backward0; *n becomes the length before it. */
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

/*
 * True if the name is that of a backward node: ...Backward, ...Backward0,
 * AccumulateGrad, CopySlices, CppFunction, with or without torch::autograd::.
 */
static bool
marker_is_backward(const char *s, size_t n)
{
	struct mview v = { s, n };
	size_t k = n;

	if (backward_suffix(s, &k) || mv_starts(v, "torch::autograd::"))
		return true;
	return n > 0 &&
	       (s[0] == 'A' || s[0] == 'C' || s[0] == 'G' || s[0] == 'U') &&
	       is_any(v, nodes, ARRAY_LEN(nodes));
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

/* N5torch8autograd14AccumulateGradE: PyTorch 0.4 wrote mangled names. */
static bool
mangled(struct marker *marker)
{
	static const char pre[] = "N5torch8autograd";
	const char *p = marker->text.s + sizeof(pre) - 1;
	const char *e = marker->text.s + marker->text.n;
	size_t n = 0;

	if (!mv_starts(marker->text, pre))
		return false;
	while (p < e && *p >= '0' && *p <= '9' && n < 4096)
		n = n * 10 + (size_t)(*p++ - '0');
	if (n == 0 || (size_t)(e - p) != n + 1 || e[-1] != 'E')
		return false;
	marker->kind = MK_BWD;
	marker->by = BY_PYTORCH;
	marker->op = marker->name = mv(p, e - 1);
	marker->mod = (struct mview){ "torch::autograd", 15 };
	return true;
}

/* A name with an op_id but no seq. Texts with op_ids are new enough that ops
 * have a namespace and no blanks; record_function ranges can have sizes, too.
 */
static bool
looks_like_op(struct mview v)
{
	return starts_any(v, spaces, ARRAY_LEN(spaces)) ||
	       is_any(v, plain, ARRAY_LEN(plain)) ||
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
with_tail(struct marker *marker)
{
	if (marker->name.n == 0)
		return nameless(marker);
	if (starts_any(marker->name, records, ARRAY_LEN(records))) {
		marker->by = BY_PYTORCH;
		return false;
	}
	if (marker_is_backward(marker->name.s, marker->name.n))
		return set_kind(marker, MK_BWD);
	if (marker->seq >= 0 ||
	    (marker->op_id < 0 && marker->sizes.s != NULL) ||
	    looks_like_op(marker->name))
		return set_kind(marker, MK_OP);
	marker->by = marker->op_id >= 0 ? BY_PYTORCH : BY_USER;
	return false;
}

static bool
without_tail(struct marker *marker)
{
	size_t n = marker->name.n;
	char last = marker->name.s[n - 1];

	if (starts_any(marker->name, spaces, ARRAY_LEN(spaces)))
		return set_kind(marker,
		    marker_is_backward(marker->name.s, n) ? MK_BWD : MK_OP);
	if (last >= '0' && last <= '9' && marker->name.s[0] >= 'A' &&
	    marker->name.s[0] <= 'Z' &&
	    memchr(marker->name.s, ' ', n) == NULL &&
	    backward_suffix(marker->name.s, &n) && n > 0)
		return set_kind(marker, MK_BWD);
	return last == 'E' && mangled(marker);
}

/*
 * The tail: the comma that begins it, and its numbers. Its lists are only
 * delimited here and read when they are needed.
 */

/* The number at *p; -1 if it is negative or too large. */
static bool
tail_number(const char **p, const char *e, int64_t *v)
{
	const char *s = *p;
	bool neg = s < e && *s == '-';
	int64_t u = 0;
	int n = 0;

	for (s += neg; s < e && *s >= '0' && *s <= '9'; s++, n++)
		if (n < 18)
			u = u * 10 + (*s - '0');
	if (n == 0)
		return false;
	*v = neg || n > 18 ? -1 : u;
	*p = s;
	return true;
}

/* The place before which a list from s ends, where the next key begins; e if no
 * key follows. */
static const char *
list_end(const char *s, const char *e, const char *next)
{
	const char *q = s;
	size_t n = strlen(next);

	while ((q = memchr(q, next[2], (size_t)(e - q))) != NULL) {
		if (q - s > 2 && (size_t)(e - q) + 2 >= n &&
		    memcmp(q - 2, next, n) == 0)
			return q - 2;
		q++;
	}
	return e;
}

/* Delimits a list, which ends where the next key begins or at the end of the
 * text. */
static bool
tail_list(const char **p, const char *e, struct mview *v)
{
	const char *s = *p;

	if (memchr(s, '=', (size_t)(e - s)) != NULL) {
		e = list_end(s, e, ", result = [");
		e = list_end(s, e, ", types = [");
		e = list_end(s, e, ", is_causal = [");
		e = list_end(s, e, ", input_op_ids = [");
		e = list_end(s, e, ", inputs = [");
		e = list_end(s, e, ", comm = [");
	}
	if (s >= e || *s != '[')
		return false;
	*p = e;
	if (e[-1] != ']')
		return false;
	*v = mv(s, e);
	return true;
}

static const struct tail_key {
	const char *s;
	size_t n;
} keys[] = { { ", seq = ", 8 }, { ", op_id = ", 10 }, { ", sizes = [", 11 },
	{ ", input_op_ids = [", 18 }, { ", result = [", 12 },
	{ ", types = [", 11 }, { ", is_causal = [", 15 },
	{ ", inputs = [", 12 }, { ", comm = [", 10 } };

/* The number of the key at s; -1 if there is none; -2 if s is the beginning of
 * a key that the end of the text cuts off. */
static int
key_at(const char *s, const char *e)
{
	size_t n = (size_t)(e - s);
	int i;

	for (i = 0; i < (int)ARRAY_LEN(keys); i++) {
		const struct tail_key *k = &keys[i];

		if (n >= 3 && s[2] != k->s[2])
			continue;
		if (n >= k->n && memcmp(s, k->s, k->n) == 0)
			return i;
		if (n < k->n && memcmp(s, k->s, n) == 0)
			return -2;
	}
	return -1;
}

/*
 * Reads the tail that begins with the comma at s. 1: a tail to the end of the
 * text; 0: none; -1: a tail that is cut off or malformed; the parts that could
 * be read are set.
 */
static int
read_tail(struct marker *marker, const char *s, const char *e)
{
	int k = 0, n = 0;
	bool ok = true;

	for (; s < e && ok; n++) {
		k = key_at(s, e);
		if (k < 0)
			break;
		s += keys[k].n - (k >= 2);
		if (k == 0)
			ok = tail_number(&s, e, &marker->seq);
		else if (k == 1)
			ok = tail_number(&s, e, &marker->op_id);
		else if (k == 7) { /* the last: JSON that can hold anything */
			marker->args = mv(s, e);
			s = e;
		} else
			ok = tail_list(&s, e,
			    k == 2   ? &marker->sizes
			    : k == 3 ? &marker->input_ids
			    : k == 4 ? &marker->result
			    : k == 5 ? &marker->types
			    : k == 6 ? &marker->causal
				     : &marker->comm);
	}
	if (ok && s == e)
		return 1;
	return (n > 0 && (k >= 2 || s == e)) || k == -2 ? -1 : 0;
}

static int
cut_tail(struct marker *marker)
{
	const char *s = marker->text.s, *e = s + marker->text.n, *p = s;
	int r;

	while ((p = memchr(p, ',', (size_t)(e - p))) != NULL) {
		r = read_tail(marker, p, e);
		if (r != 0) {
			marker->name = mv(s, p);
			return r;
		}
		marker->seq = marker->op_id = -1;
		marker->sizes.s = marker->input_ids.s = NULL;
		marker->result.s = marker->types.s = NULL;
		marker->causal.s = marker->args.s = NULL;
		marker->comm.s = NULL;
		p++;
	}
	return 0;
}

bool
mk_pytorch(struct marker *marker)
{
	size_t n = sizeof(frame_prefix) - 1;
	int r = cut_tail(marker);

	if (marker->name.n > n && marker->name.s[0] == 'a' &&
	    memcmp(marker->name.s, frame_prefix, n) == 0) {
		marker->name =
		    mv(marker->name.s + n, marker->name.s + marker->name.n);
		set_kind(marker, MK_BWD_FRAME);
	} else if (r == 0 ? !without_tail(marker) : !with_tail(marker)) {
		/* a user's text may end in ", s": it stays whole */
		if (r < 0 && marker->by == BY_USER)
			marker->name = marker->text;
		return false;
	}
	if (r < 0)
		marker->flags |= MK_DAMAGED;
	return true;
}

/* The lists in the tail: sizes and input_op_ids. */
static bool
is_size_char(char c)
{
	return (c >= '0' && c <= '9') || c == ',' || c == '-';
}

/* True if brackets are balanced, with only numbers in them. */
static bool
put_sizes(struct buf *buf, struct mview v)
{
	size_t i, deep = 0;

	for (i = 0; i < v.n; i++) {
		char c = v.s[i];

		if (c == ' ')
			continue;
		if (c == ']' ? deep == 0 : c != '[' && !is_size_char(c))
			return false;
		deep += c == '[';
		deep -= c == ']';
		if (deep == 0 && i + 1 < v.n)
			return false;
		buf_putc(buf, c);
	}
	return deep == 0;
}

static bool
clean_sizes(const struct marker *marker, struct mview raw, struct mview *v)
{
	struct buf *out;

	if (raw.s == NULL || raw.n > SIZES_MAX)
		return false;
	out = &marker->in->sizes;
	buf_clear(out);
	buf_reserve(out, raw.n);
	if (!put_sizes(out, raw))
		return false;
	*v = (struct mview){ out->s, out->len };
	return true;
}

bool
marker_sizes(const struct marker *marker, struct mview *v)
{
	return clean_sizes(marker, marker->sizes, v);
}

bool
marker_result(const struct marker *marker, struct mview *v)
{
	return clean_sizes(marker, marker->result, v);
}

/* A number at *p, perhaps negative; *p moves to its end. */
static bool
list_number(const char **p, const char *e, int64_t *v)
{
	bool neg = *p < e && **p == '-';
	const char *s = *p + neg;
	int64_t u = 0;
	int n;

	for (n = 0; s < e && *s >= '0' && *s <= '9' && n < 18; s++, n++)
		u = u * 10 + (*s - '0');
	*p = s;
	*v = neg ? -u : u;
	return n > 0;
}

bool
marker_input(
    const struct marker *marker, size_t *at, int64_t *op_id, int64_t *out)
{
	const char *e, *p;

	if (marker->input_ids.s == NULL || *at >= marker->input_ids.n)
		return false;
	e = marker->input_ids.s + marker->input_ids.n;
	p = memchr(marker->input_ids.s + *at, '(', marker->input_ids.n - *at);
	if (p == NULL)
		return false;
	p++;
	if (!list_number(&p, e, op_id) || p == e || *p++ != ',' ||
	    !list_number(&p, e, out))
		return false;
	*at = (size_t)(p - marker->input_ids.s);
	return true;
}

/*
 * Texts of PyTorch before 1.6 without a sequence number: the bare name of an op
 * or of a backward node.
 */
static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_alnum(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* A capital, letters and digits, Backward, digits. */
static bool
is_node_name(struct mview v)
{
	static const char word[] = "Backward";
	size_t i, n = v.n, w = sizeof(word) - 1;

	while (n > 0 && v.s[n - 1] >= '0' && v.s[n - 1] <= '9')
		n--;
	if (n <= w || !is_upper(v.s[0]) || memcmp(v.s + n - w, word, w) != 0)
		return false;
	for (i = 0; i < n; i++)
		if (!is_alnum(v.s[i]))
			return false;
	return true;
}

bool
marker_bare(struct marker *marker, bool sure)
{
	enum aten_name a;

	if (marker->kind != MK_USER || marker->by != BY_USER ||
	    marker->flags != 0 || marker->name.n == 0)
		return false;
	if (is_node_name(marker->name)) {
		marker->kind = MK_BWD;
	} else {
		a = mk_aten(marker->name);
		if (a == ATEN_NO || (sure && a != ATEN_TELLING))
			return false;
		marker->kind = MK_OP;
	}
	marker->by = BY_PYTORCH;
	marker->op = marker->name;
	return true;
}
