/* Ops that ran; see ops.h. */
#include "ops.h"

#include "map.h"
#include "mview.h"
#include "source.h"

enum { /* what is known of an op */
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

static struct {
	struct map
	    bits; /* op id -> what its record tells; it is of all files */
	struct {
		struct rec_col *id, *op, *by, *dtype, *eligible;
	} op;
	struct {
		struct rec_col *op_id;
	} inst;
} t;

static bool
holds(const char *s, size_t n, const char *part)
{
	return s != NULL && mv_find((struct mview){ s, n }, part) != NULL;
}

/* Half precision and below: what AMP would give. */
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

static void
on_op(struct stage *st, struct rec *r)
{
	unsigned bits = 0;
	uint64_t *v;
	int64_t id;
	size_t n;
	const char *s;

	stage_pass(st, r);
	if (!rec_i64(r, t.op.id, &id))
		return;
	s = rec_raw(r, t.op.eligible, &n);
	bits |= text_is(s, n, "yes") ? OP_ELIGIBLE : 0;
	s = rec_raw(r, t.op.dtype, &n);
	bits |= type_bits(s, n);
	s = rec_raw(r, t.op.op, &n);
	bits |= holds(s, n, "conv") || holds(s, n, "Conv") ? OP_CONV : 0;
	bits |= holds(s, n, "dali") || holds(s, n, "DALI") ? OP_DALI : 0;
	s = rec_raw(r, t.op.by, &n);
	bits |= text_is(s, n, "xla") ? OP_XLA : 0;
	bits |= text_is(s, n, "pytorch") ? OP_PYTORCH : 0;
	bits |= s != NULL && !text_is(s, n, "api") ? 0 : OP_API;
	v = map_put(&t.bits, (uint64_t)id, NULL);
	*v = bits;
}

/* The op as the file runs it; NULL if there is no such op. */
static uint64_t *
bits_of(struct facts *f, int64_t id)
{
	const uint64_t *told = map_get(&t.bits, (uint64_t)id);
	uint64_t *v;
	bool is_new;

	if (told == NULL)
		return NULL;
	v = map_put(&f->op_bits, (uint64_t)id, &is_new);
	if (is_new)
		*v = *told;
	return v;
}

static void
on_inst(struct facts *f, struct rec *r)
{
	int64_t id;
	uint64_t *v;

	if (rec_i64(r, t.inst.op_id, &id) && (v = bits_of(f, id)) != NULL)
		*v |= OP_SEEN;
}

void
ops_kernel(struct facts *f, int64_t id, const char *dtype, size_t n, bool tc,
    bool eligible)
{
	uint64_t *v = bits_of(f, id);

	if (v == NULL)
		return;
	*v |= OP_SEEN | (tc ? OP_TC : 0);
	if (t.op.eligible->pos < 0 && eligible)
		*v |= OP_ELIGIBLE;
	if ((*v & OP_TYPED) == 0)
		*v |= type_bits(dtype, n);
}

/* Ops count if they ran in what is judged. */
void
ops_end(struct facts *f)
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
ops_bind(struct stage *st)
{
	struct rec_type *op = stage_on(st, "op", on_op, NULL, NULL);
	struct rec_type *inst = source_on(st, "inst", on_inst);

	t.op.id = rec_col(op, "op_id", REC_NEED);
	REC_COLS(op, REC_OPT, { &t.op.op, "op" }, { &t.op.by, "by" },
	    { &t.op.dtype, "dtype" }, { &t.op.eligible, "dl_tc" });
	t.inst.op_id = rec_col(inst, "op_id", REC_NEED);
}

void
ops_forget(void)
{
	map_clear(&t.bits);
}
