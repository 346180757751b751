/*
 * Facts of ops: their types and sizes, whether they could use Tensor Cores, and
 * the frameworks that their names and those of kernels give away.
 */
#include "advise_read.h"
#include "array.h"

enum { /* facts of an op */
	OP_SEEN = 1,
	OP_ELIGIBLE = 2,
	OP_TYPED = 4,
	OP_HALF = 8,
	OP_TC = 16,
	OP_CONV = 32,
	OP_DALI = 64,
	OP_XLA = 128,
	OP_PYTORCH = 256,
	OP_API = 512,
};
#define OP_FRAMEWORK 16 /* bits from here on: its framework */

static bool
holds(const char *s, size_t n, const char *part)
{
	return mv_has((struct mview){ s, n }, part);
}

/* AMP would give half precision or less. */
static unsigned
type_bits(const char *s, size_t n)
{
	if (s == NULL)
		return 0;
	if (holds(s, n, "float16") || holds(s, n, "Half") ||
	    holds(s, n, "half") || text_is(s, n, "fp16") ||
	    text_is(s, n, "bf16") || holds(s, n, "float8") ||
	    holds(s, n, "fp8"))
		return OP_TYPED | OP_HALF;
	return OP_TYPED;
}

/* The largest size in a list of shapes that is no multiple of 8, from 16 on; 0
 * if there is none. */
static uint64_t
odd_size(const char *s, size_t n)
{
	const char *end = s + n;
	uint64_t v, best = 0;

	for (; s != NULL && s < end; s++) {
		for (v = 0; s < end && *s >= '0' && *s <= '9' && v < 1u << 31;
		     s++)
			v = 10 * v + (uint64_t)(*s - '0');
		if (v >= 16 && v % 8 != 0 && v > best)
			best = v;
	}
	return best;
}

/* Keeps the first shape if it could be [batch, heads, queries, keys]: that of
 * attention's scores, if a softmax has it, too. */
static void
keep_scores(
    struct advise_ops *o, int64_t id, struct mview op, const char *s, size_t n)
{
	const char *end = s != NULL ? memchr(s, ']', n) : NULL, *p;
	int rank = 1;
	uint32_t at;
	bool is_new;

	if (end == NULL || mv_find(op, "norm") != NULL)
		return;
	for (p = s; p < end; p++)
		rank += *p == ',';
	if (rank != 4)
		return;
	at = smap_put(&o->shape4, s, (size_t)(end - s), &is_new);
	if (is_new)
		o->shape4.val[at] = 0;
	if (mv_find(op, "softmax") != NULL)
		o->shape4.val[at] = 1;
	*map_put(&o->scores, (uint64_t)id, NULL) = at;
}

static void
see_prim(struct stage *st, struct rec *r)
{
	struct advise_ops *o = rec_arg(r);
	int64_t id;
	size_t n;
	const char *s = rec_raw(r, o->prim_shapes, &n);

	stage_pass(st, r);
	if (s != NULL && rec_i64(r, o->prim_id, &id))
		*map_put(&o->prim, (uint64_t)id, NULL) = odd_size(s, n);
}

/* The demangled names of kernels have the namespaces of frameworks. */
static void
see_name(struct stage *st, struct rec *r)
{
	static const struct {
		const char *part;
		unsigned framework;
	} known[] = { { "at::native", FW_PYTORCH }, { "at_cuda", FW_PYTORCH },
		{ "tensorflow::", FW_TENSORFLOW }, { "mxnet::", FW_MXNET },
		{ "mshadow::", FW_MXNET } };
	struct advise_ops *o = rec_arg(r);
	size_t n, i;
	int64_t id;
	const char *s = rec_raw(r, o->str_text, &n);

	stage_pass(st, r);
	for (i = 0; i < ARRAY_LEN(known) && s != NULL; i++)
		if (mv_find((struct mview){ s, n }, known[i].part) != NULL)
			o->frameworks |= known[i].framework;
	/* multi_tensor_apply_kernel<..., FusedAdamMathFunctor<...>, ...> */
	if (holds(s, n, "FusedAdam") || holds(s, n, "FusedSgd") ||
	    holds(s, n, "FusedAdagrad"))
		if (rec_i64(r, o->str_id, &id))
			*map_put(&o->fused_name, (uint64_t)id, NULL) = 0;
}

static unsigned
framework_of(const char *by, size_t n)
{
	return text_is(by, n, "pytorch")      ? FW_PYTORCH
	       : text_is(by, n, "tensorflow") ? FW_TENSORFLOW
	       : text_is(by, n, "xla")        ? FW_XLA
	       : text_is(by, n, "tensorrt")   ? FW_TENSORRT
					      : 0;
}

static void
see_op(struct stage *st, struct rec *r)
{
	struct advise_ops *o = rec_arg(r);
	struct mview op = rec_view(r, o->op);
	uint64_t bits = 0, *v;
	int64_t id;
	size_t n;
	const char *s;

	stage_pass(st, r);
	if (!rec_i64(r, o->id, &id))
		return;
	s = rec_raw(r, o->eligible, &n);
	bits |= text_is(s, n, "yes") ? OP_ELIGIBLE : 0;
	s = rec_raw(r, o->dtype, &n);
	bits |= type_bits(s, n);
	s = rec_raw(r, o->op, &n);
	bits |= holds(s, n, "conv") || holds(s, n, "Conv") ? OP_CONV : 0;
	bits |= holds(s, n, "dali") || holds(s, n, "DALI") ? OP_DALI : 0;
	s = rec_raw(r, o->by, &n);
	bits |= text_is(s, n, "xla") ? OP_XLA : 0;
	bits |= text_is(s, n, "pytorch") ? OP_PYTORCH : 0;
	bits |= s != NULL && !text_is(s, n, "api") ? 0 : OP_API;
	bits |= (uint64_t)framework_of(s, n) << OP_FRAMEWORK;
	s = rec_raw(r, o->shapes, &n);
	if (s != NULL)
		*map_put(&o->odd, (uint64_t)id, NULL) = odd_size(s, n);
	keep_scores(o, id, op, s, n);
	v = map_put(&o->bits, (uint64_t)id, NULL);
	*v = bits;
}

/* The op's facts in the file; NULL if there is no such op. */
static uint64_t *
bits_of(struct facts *f, const struct advise_ops *o, int64_t id)
{
	const uint64_t *told = map_get(&o->bits, (uint64_t)id);
	uint64_t *v;
	bool is_new;

	if (told == NULL)
		return NULL;
	v = map_put(&f->op_bits, (uint64_t)id, &is_new);
	if (is_new)
		*v = *told;
	return v;
}

void
add_inst(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t id;
	uint64_t *v;

	if (!rec_i64(r, t->col[0], &id) ||
	    (v = bits_of(f, advise_ops_of(t), id)) == NULL)
		return;
	*v |= OP_SEEN;
	if ((*v & OP_PYTORCH) == 0 || t->at.iter->pos < 0 ||
	    !rec_dur(r, t->at.dur, &id))
		return;
	f->n_marked_all++;
	if (advise_in_iter(f, t, r))
		f->n_marked++;
}

void
advise_ops_kernel(struct facts *f, const struct advise_ops *o, int64_t id,
    const char *dtype, size_t n, bool tc, bool eligible)
{
	uint64_t *v = bits_of(f, o, id);

	if (v == NULL)
		return;
	*v |= OP_SEEN | (tc ? OP_TC : 0);
	if (o->eligible->pos < 0 && eligible)
		*v |= OP_ELIGIBLE;
	if ((*v & OP_TYPED) == 0)
		*v |= type_bits(dtype, n);
}

/* Only ops that ran in the judged time count. */
void
advise_ops_end(struct facts *f)
{
	uint64_t key, v;
	size_t it = 0;

	while (map_next(&f->op_bits, &it, &key, &v)) {
		if ((v & OP_SEEN) == 0)
			continue;
		f->ops.all++;
		f->ops.conv += (v & OP_CONV) != 0;
		f->ops.dali += (v & OP_DALI) != 0;
		f->ops.xla += (v & OP_XLA) != 0;
		f->ops.pytorch += (v & OP_PYTORCH) != 0;
		f->frameworks |= (unsigned)(v >> OP_FRAMEWORK);
		if ((v & OP_ELIGIBLE) == 0)
			continue;
		f->ops.eligible++;
		f->ops.typed += (v & OP_TYPED) != 0;
		f->ops.half += (v & OP_HALF) != 0;
		f->ops.no_tc += (v & (OP_HALF | OP_TC)) == 0;
		f->ops.half_no_tc += (v & (OP_HALF | OP_TC)) == OP_HALF;
	}
}

void
advise_ops_bind(struct stage *st, struct advise_ops *o)
{
	struct rec_type *t = stage_on(st, "op", see_op, NULL, o);

	o->id = rec_col(t, "op_id", REC_NEED);
	REC_COLS(t, REC_OPT, { &o->op, "op" }, { &o->by, "by" },
	    { &o->dtype, "dtype" }, { &o->eligible, "dl_tc" },
	    { &o->shapes, "shapes" });
	t = stage_on(st, "prim", see_prim, NULL, o);
	o->prim_id = rec_col(t, "prim_id", REC_NEED);
	o->prim_shapes = rec_col(t, "shapes", REC_OPT);
	t = stage_on(st, "str", see_name, NULL, o);
	o->str_id = rec_col(t, "id", REC_NEED);
	o->str_text = rec_col(t, "text", REC_OPT);
}

void
advise_ops_clear(struct advise_ops *o)
{
	map_clear(&o->bits);
	map_clear(&o->odd);
	map_clear(&o->prim);
	map_clear(&o->scores);
	map_clear(&o->fused_name);
	smap_clear(&o->shape4);
	o->frameworks = 0;
}

void
advise_ops_free(struct advise_ops *o)
{
	map_free(&o->bits);
	map_free(&o->odd);
	map_free(&o->prim);
	map_free(&o->scores);
	map_free(&o->fused_name);
	smap_free(&o->shape4);
}
