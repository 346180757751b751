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
#include <stddef.h>

#include "array.h"
#include "mk.h"

#define SIZES_MAX 262144u /* bytes of a list that are read */

static const char frame_prefix[] = "autograd::engine::evaluate_function: ";

/* Ranges that PyTorch and its libraries open with record_function. */
static const char *const records[] = { "FSDP::", "Optimizer.", "ProfilerStep#",
	"enumerate(DataLoader)#", "[pl][", "## Call CompiledFxGraph",
	"Torch-Compiled Region", "DistributedDataParallel.", "DataParallel.",
	"TorchDynamo Cache Lookup", "AOTDispatcher Runtime Wrapper" };

/* Ops of PyTorch's own that have no namespace. */
static const char *const plain[] = { "CudaTransfer", "detach", "detach_",
	"record_param_comms" }; /* sorted */

/* Backward nodes that do not end in Backward. */
static const char *const nodes[] = { "AccumulateGrad", "CopyBackwards",
	"CopySlices", "CppFunction", "GraphRoot",
	"UndefinedGrad" }; /* sorted */

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

bool
mk_backward_suffix(const char *s, size_t *n)
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

	if (mk_backward_suffix(s, &k) || mv_starts(v, "torch::autograd::"))
		return true;
	return n > 0 &&
	       (s[0] == 'A' || s[0] == 'C' || s[0] == 'G' || s[0] == 'U') &&
	       mv_listed(v, nodes, ARRAY_LEN(nodes));
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
	if (!mk_backward_suffix(v.s, &k) || k == 0)
		return false;
	*fwd = mv(v.s, v.s + k);
	return true;
}

/* Also splits the name: aten::conv2d is the op conv2d of the module aten. */
static bool
set_kind(struct marker *m, enum marker_kind kind)
{
	const char *e;

	m->kind = kind;
	m->by = BY_PYTORCH;
	if (mv_starts(m->name, "aten::"))
		m->op = mv(m->name.s + 6, m->name.s + m->name.n);
	else
		m->op = last_part(m->name);
	for (e = m->op.s; e > m->name.s && e[-1] == ':';)
		e--;
	if (e > m->name.s)
		m->mod = mv(m->name.s, e);
	if (mv_find(m->op, "CheckpointFunction") != NULL)
		m->flags |= MK_GROUP;
	return true;
}

/* True if the name begins with one of the namespaces of op_words.tab. */
static bool
is_spaced(struct mview v)
{
	const char *p = v.s, *e = v.s + v.n;

	while ((p = memchr(p, ':', (size_t)(e - p))) != NULL)
		if (mk_is(WORD_SPACE, mv(v.s, ++p)))
			return true;
	return false;
}

static bool
with_tail(struct marker *m)
{
	size_t i;

	if (m->name.n == 0) { /* sizes alone, as 1.2 wrote them without seq */
		m->kind = MK_OP;
		m->by = BY_PYTORCH;
		m->flags |= MK_DAMAGED;
		m->op = (struct mview){ "unknown", 7 };
		return true;
	}
	for (i = 0; i < ARRAY_LEN(records); i++)
		if (m->name.s[0] == records[i][0] &&
		    mv_starts(m->name, records[i])) {
			m->by = BY_PYTORCH;
			return false;
		}
	if (marker_is_backward(m->name.s, m->name.n))
		return set_kind(m, MK_BWD);
	/* Texts with op_ids but no seq are new enough that ops have a namespace
	 * and no blanks; record_function ranges can have sizes, too. */
	if (m->seq >= 0 || (m->op_id < 0 && m->sizes.s != NULL) ||
	    is_spaced(m->name) || mv_listed(m->name, plain, ARRAY_LEN(plain)) ||
	    mv_starts(m->name, "triton_") || /* Inductor's kernels */
	    (mv_find(m->name, "::") != NULL &&
		memchr(m->name.s, ' ', m->name.n) == NULL))
		return set_kind(m, MK_OP);
	m->by = m->op_id >= 0 ? BY_PYTORCH : BY_USER;
	return false;
}

static bool
without_tail(struct marker *m)
{
	static const char pre[] = "N5torch8autograd";
	const char *s = m->name.s, *p, *e = m->text.s + m->text.n;
	size_t n = m->name.n;

	if (is_spaced(m->name))
		return set_kind(m, marker_is_backward(s, n) ? MK_BWD : MK_OP);
	if (mk_is_digit(s[n - 1]) && *s >= 'A' && *s <= 'Z' &&
	    memchr(s, ' ', n) == NULL && mk_backward_suffix(s, &n) && n > 0)
		return set_kind(m, MK_BWD);
	/* PyTorch 0.4 wrote mangled names: N5torch8autograd14AccumulateGradE */
	if (!mv_starts(m->text, pre))
		return false;
	for (p = m->text.s + sizeof(pre) - 1, n = 0;
	     p < e && mk_is_digit(*p) && n < 4096; p++)
		n = n * 10 + (size_t)(*p - '0');
	if (n == 0 || (size_t)(e - p) != n + 1 || e[-1] != 'E')
		return false;
	m->kind = MK_BWD;
	m->by = BY_PYTORCH;
	m->op = m->name = mv(p, e - 1);
	m->mod = (struct mview){ "torch::autograd", 15 };
	return true;
}

/*
 * The tail: the comma that begins it, and its numbers. Its lists are only
 * delimited here and read when they are needed.
 */

/* The number at *p; -1 if it is negative or too large. */
static inline bool
read_number(const char **p, const char *e, int64_t *v)
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

static const struct tail_key {
	const char *s;
	size_t n;
	size_t list; /* its place in struct marker; 0: a number */
} keys[] = {
	{ ", seq = ", 8, 0 },
	{ ", op_id = ", 10, 0 },
	{ ", sizes = [", 11, offsetof(struct marker, sizes) },
	{ ", input_op_ids = [", 18, offsetof(struct marker, input_ids) },
	{ ", result = [", 12, offsetof(struct marker, result) },
	{ ", types = [", 11, offsetof(struct marker, types) },
	{ ", is_causal = [", 15, offsetof(struct marker, causal) },
	{ ", inputs = [", 12, offsetof(struct marker, args) },
	{ ", comm = [", 10, offsetof(struct marker, comm) },
};
enum { KEY_SEQ, KEY_OP_ID, KEY_SIZES, KEY_INPUTS = 7, KEYS = 9 };

static struct mview *
list_of(struct marker *m, int key)
{
	return (struct mview *)(void *)((char *)m + keys[key].list);
}

/* Delimits a list, which ends where the next key begins or at the end of the
 * text. */
static bool
tail_list(const char **p, const char *e, struct mview *v)
{
	const char *s = *p, *q;
	const struct tail_key *k;

	if (memchr(s, '=', (size_t)(e - s)) == NULL)
		k = keys + KEYS; /* no key follows */
	else
		k = keys + KEY_SIZES + 1;
	for (; k < keys + KEYS; k++) {
		/* each key has its first letter there */
		for (q = s; (q = memchr(q, k->s[2], (size_t)(e - q))) != NULL;
		     q++)
			if (q - s > 2 && (size_t)(e - q) + 2 >= k->n &&
			    memcmp(q - 2, k->s, k->n) == 0) {
				e = q - 2;
				break;
			}
	}
	if (s >= e || *s != '[')
		return false;
	*p = e;
	if (e[-1] != ']')
		return false;
	*v = mv(s, e);
	return true;
}

/* The number of the key at s; -1 if there is none; -2 if s is the beginning of
 * a key that the end of the text cuts off. */
static int
key_at(const char *s, const char *e)
{
	size_t n = (size_t)(e - s);
	int i;

	for (i = 0; i < KEYS; i++) {
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
read_tail(struct marker *m, const char *s, const char *e)
{
	int k = 0, n = 0;
	bool ok = true;

	for (; s < e && ok; n++) {
		k = key_at(s, e);
		if (k < 0)
			break;
		s += keys[k].n - (k >= KEY_SIZES);
		if (k < KEY_SIZES) {
			ok = read_number(
			    &s, e, k == KEY_SEQ ? &m->seq : &m->op_id);
		} else if (k == KEY_INPUTS) { /* the last: JSON that can hold
					       * anything */
			m->args = mv(s, e);
			s = e;
		} else {
			ok = tail_list(&s, e, list_of(m, k));
		}
	}
	if (ok && s == e)
		return 1;
	return (n > 0 && (k >= KEY_SIZES || s == e)) || k == -2 ? -1 : 0;
}

bool
mk_pytorch(struct marker *m)
{
	const char *s = m->text.s, *e = s + m->text.n, *p;
	size_t n = sizeof(frame_prefix) - 1;
	int k, r = 0;

	for (p = s; r == 0 && (p = memchr(p, ',', (size_t)(e - p))) != NULL;
	     p++) {
		r = read_tail(m, p, e);
		if (r != 0) {
			m->name = mv(s, p);
			continue;
		}
		m->seq = m->op_id = -1;
		for (k = KEY_SIZES; k < KEYS; k++)
			list_of(m, k)->s = NULL;
	}
	if (m->name.n > n && m->name.s[0] == 'a' &&
	    memcmp(m->name.s, frame_prefix, n) == 0) {
		m->name = mv(m->name.s + n, m->name.s + m->name.n);
		set_kind(m, MK_BWD_FRAME);
	} else if (r == 0 ? !without_tail(m) : !with_tail(m)) {
		/* a user's text may end in ", s": it stays whole */
		if (r < 0 && m->by == BY_USER)
			m->name = m->text;
		return false;
	}
	if (r < 0)
		m->flags |= MK_DAMAGED;
	return true;
}

/* A list of sizes without blanks; false if its brackets are not balanced, or
 * there is anything but numbers in them. */
static bool
clean_sizes(const struct marker *marker, struct mview raw, struct mview *v)
{
	struct buf *out = &marker->in->sizes;
	size_t i, deep = 0;
	char c;

	if (raw.s == NULL || raw.n > SIZES_MAX)
		return false;
	buf_clear(out);
	buf_reserve(out, raw.n);
	for (i = 0; i < raw.n; i++) {
		c = raw.s[i];
		if (c == ' ')
			continue;
		if (c == ']'
			? deep == 0
			: c != '[' && c != ',' && c != '-' && !mk_is_digit(c))
			return false;
		deep += c == '[';
		deep -= c == ']';
		if (deep == 0 && i + 1 < raw.n)
			return false;
		buf_putc(out, c);
	}
	*v = (struct mview){ out->s, out->len };
	return deep == 0;
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
	if (!read_number(&p, e, op_id) || p == e || *p++ != ',' ||
	    !read_number(&p, e, out))
		return false;
	*at = (size_t)(p - marker->input_ids.s);
	return true;
}
