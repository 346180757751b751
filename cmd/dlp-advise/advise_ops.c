/*
 * Facts of ops: their types and sizes, whether they could use Tensor Cores, and
 * the frameworks that their names and those of kernels give away.
 */
#include "advise.h"
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
	OP_HALVES = 512, /* its first two inputs have the same sizes */
};
#define OP_FRAMEWORK 16 /* bits from here on: its framework */

/* [[16,559,32],[16,559,32],[]] */
static bool
first_two_alike(struct mview v)
{
	const char *end = v.s != NULL ? memchr(v.s, ']', v.n) : NULL, *a = end;
	size_t n;

	if (end == NULL)
		return false;
	while (a > v.s && a[-1] != '[')
		a--;
	n = (size_t)(end - a) + 1; /* 16,559,32] */
	return n > 1 && (size_t)(v.s + v.n - end) >= 3 + n &&
	       memcmp(end + 1, ",[", 2) == 0 && memcmp(end + 3, a, n) == 0;
}

/* AMP would give half precision or less. */
static unsigned
type_bits(struct mview type)
{
	if (type.s == NULL)
		return 0;
	if (mv_has(type, "float16") || mv_has(type, "Half") ||
	    mv_has(type, "half") || mv_eq(type, "fp16") ||
	    mv_eq(type, "bf16") || mv_has(type, "float8") ||
	    mv_has(type, "fp8"))
		return OP_TYPED | OP_HALF;
	return OP_TYPED;
}

/* The largest size in a list of shapes that is no multiple of 8, from 16 on; 0
 * if there is none. */
static uint64_t
odd_size(struct mview sizes)
{
	const char *s = sizes.s, *end = s + sizes.n;
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
    struct advise_ops *o, int64_t id, struct mview op, struct mview shapes)
{
	const char *s = shapes.s, *p;
	const char *end = s != NULL ? memchr(s, ']', shapes.n) : NULL;
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
	struct mview shapes = rec_get(r, COL_shapes);
	int64_t id;

	stage_pass(st, r);
	if (shapes.s != NULL && rec_num(r, COL_prim_id, &id))
		*map_put(&o->prim, (uint64_t)id, NULL) = odd_size(shapes);
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
	struct mview name = rec_get(r, COL_text);
	size_t i;
	int64_t id;

	stage_pass(st, r);
	for (i = 0; i < ARRAY_LEN(known); i++)
		if (mv_has(name, known[i].part))
			o->frameworks |= known[i].framework;
	/* multi_tensor_apply_kernel<..., FusedAdamMathFunctor<...>, ...> */
	if (mv_has(name, "FusedAdam") || mv_has(name, "FusedSgd") ||
	    mv_has(name, "FusedAdagrad"))
		if (rec_num(r, COL_id, &id))
			*map_put(&o->fused_name, (uint64_t)id, NULL) = 0;
}

static void
see_op(struct stage *st, struct rec *r)
{
	static const struct {
		const char *by;
		unsigned bits;
	} makers[] = { { "pytorch", OP_PYTORCH | FW_PYTORCH << OP_FRAMEWORK },
		{ "tensorflow", FW_TENSORFLOW << OP_FRAMEWORK },
		{ "xla", OP_XLA | FW_XLA << OP_FRAMEWORK },
		{ "tensorrt", FW_TENSORRT << OP_FRAMEWORK } };
	struct advise_ops *o = rec_arg(r);
	struct mview op = rec_get(r, COL_op);
	struct mview by = rec_get(r, COL_by), shapes = rec_get(r, COL_shapes);
	uint64_t bits;
	int64_t id;
	size_t i;

	stage_pass(st, r);
	if (!rec_num(r, COL_op_id, &id))
		return;
	bits = type_bits(rec_get(r, COL_dtype));
	if (mv_eq(rec_get(r, COL_dl_tc), "yes"))
		bits |= OP_ELIGIBLE;
	if (mv_has(op, "conv") || mv_has(op, "Conv"))
		bits |= OP_CONV;
	if (mv_has(op, "dali") || mv_has(op, "DALI"))
		bits |= OP_DALI;
	for (i = 0; i < ARRAY_LEN(makers); i++)
		if (mv_eq(by, makers[i].by))
			bits |= makers[i].bits;
	if (shapes.s != NULL)
		*map_put(&o->odd, (uint64_t)id, NULL) = odd_size(shapes);
	keep_scores(o, id, op, shapes);
	if (first_two_alike(shapes))
		bits |= OP_HALVES;
	o->has_eligible = rec_has(r->type, COL_dl_tc);
	*map_put(&o->bits, (uint64_t)id, NULL) = bits;
}

bool
advise_ops_halves(const struct advise_ops *o, int64_t id)
{
	const uint64_t *bits = map_get(&o->bits, (uint64_t)id);

	return bits != NULL && (*bits & OP_HALVES) != 0;
}

/* The op's facts in the file; NULL if there is no such op. It runs. */
static uint64_t *
bits_of(struct facts *f, const struct rec *r)
{
	const uint64_t *told = NULL;
	uint64_t *v;
	int64_t id;
	bool is_new;

	if (rec_num(r, COL_op_id, &id))
		told = map_get(&f->known->bits, (uint64_t)id);
	if (told == NULL)
		return NULL;
	v = map_put(&f->op_bits, (uint64_t)id, &is_new);
	*v = (is_new ? *told : *v) | OP_SEEN;
	return v;
}

void
add_inst(struct facts *f, const struct rec *r)
{
	uint64_t *v = bits_of(f, r);
	int64_t dur;

	if (v == NULL || (*v & OP_PYTORCH) == 0 ||
	    !rec_has(r->type, COL_iter) || !rec_length(r, COL_dur_ns, &dur))
		return;
	f->n_marked_all++;
	if (advise_in_iter(f, r))
		f->n_marked++;
}

void
advise_ops_kernel(struct facts *f, const struct rec *r, bool tc, bool eligible)
{
	uint64_t *v = bits_of(f, r);

	if (v == NULL)
		return;
	if (tc)
		*v |= OP_TC;
	if (!f->known->has_eligible && eligible)
		*v |= OP_ELIGIBLE;
	if ((*v & OP_TYPED) == 0)
		*v |= type_bits(rec_get(r, COL_dtype));
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
advise_ops_read(struct stage *st, struct advise_ops *o)
{
	stage_on(st, "op", see_op, .need = "op_id",
	    .opt = "op by dtype dl_tc shapes", .arg = o);
	stage_on(
	    st, "prim", see_prim, .need = "prim_id", .opt = "shapes", .arg = o);
	stage_on(st, "str", see_name, .need = "id", .opt = "text", .arg = o);
}

void
advise_ops_clear(struct advise_ops *o)
{
	map_free(&o->bits);
	map_free(&o->odd);
	map_free(&o->prim);
	map_free(&o->scores);
	map_free(&o->fused_name);
	smap_free(&o->shape4);
	o->frameworks = 0;
}
