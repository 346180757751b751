/*
 * Turns records into facts: the table of record types, the files of a section
 * (by column src), and the functions that add a record to its file's facts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "apicall.h"
#include "array.h"
#include "err.h"
#include "mview.h"
#include "num.h"

/* Ops. Their records apply to all files. */
struct advise_ops {
	struct map bits;       /* op id -> facts from its record */
	struct map odd;        /* op id -> the size that is no multiple of 8 */
	struct map prim;       /* the same for prims */
	struct map scores;     /* op id -> its first shape, if it has rank 4 */
	struct smap shape4;    /* these shapes -> 1 if a softmax has it */
	struct map fused_name; /* id of a kernel's name -> 0, for optimizers
				* that are fused */
	unsigned frameworks;   /* by the names of kernels */
	struct rec_col *id, *op, *by, *dtype, *eligible, *shapes;
	struct rec_col *prim_id, *prim_shapes, *str_id, *str_text;
};

enum { COPY_KIND = 1, COPY_BYTES, COPY_SRC, COPY_DST };

enum {
	KERN_OP_ID = 1,
	KERN_INST,
	KERN_SHORT,
	KERN_GRID,
	KERN_OP,
	KERN_TC,
	KERN_ELIGIBLE,
	KERN_WHY,
	KERN_DTYPE,
	KERN_LAYER,
	KERN_PHASE,
	KERN_FAMILY,
	KERN_NODE,
	KERN_DIR,
	KERN_PRIM,
	KERN_BYTES,
	KERN_NAME
};

enum { SYNC_OP = 1, SYNC_LAYER };
enum { GAP_CLASS, GAP_WHAT, GAP_OP, GAP_LAYER, GAP_PHASE };

/* The columns of the types below, in the order in which they are bound. */
enum { COL_API }; /* kern, copy, set, sync, call: the call's name is first */

struct advise_row {
	const char *tag;
	advise_fact *add;   /* adds a record to the facts of its file */
	unsigned need, opt; /* columns of workrec.h; src is always included */
	int n_need;         /* number of the first names that are required */
	const char *name[ADVISE_COLS];
};

/* Adds kernels, copies, graphs, API calls and ops to the facts. */

/* most pieces of time of a device's communication */
#define MAX_PIECES 131072

/* The start and duration of a call: the record's own times, or those of the
 * call that launched its work. */
struct call_time {
	const struct rec_col *start, *dur;
};

/* The part of a call since the first GPU work, because the time before is
 * start-up, and not time in which the GPU idles (dlp-busy). */
static int64_t
since_work(const struct facts *f, const struct rec *r,
    const struct call_time *at, int64_t dur)
{
	int64_t start, left;

	if (!f->any_work)
		return 0;
	if (!rec_i64(r, at->start, &start) || start >= f->first_work)
		return dur;
	left = num_sub(num_add(start, dur), f->first_work);
	return left > 0 ? left : 0;
}

enum call_of { CALL_KERNEL, CALL_COPY, CALL_SYNC, CALL_OTHER };

/* a first launch takes longer; others take some us */
#define FIRST_NS 1000000
/* a first allocation takes longer; others take some ms */
#define FIRST_ALLOC_NS 100000000

/* The activity of the CPU in a call that lasted dur, in iterations or between
 * them; -1 if it does not matter. */
static int
cpu_class(enum call_of of, enum apicall_kind kind, int64_t dur)
{
	static const int class[] = { [APICALL_WAITS] = C_SYNC,
		[APICALL_ALLOCATES] = C_ALLOC,
		[APICALL_LOADS] = C_MODULE };

	if (of == CALL_KERNEL)
		return dur > FIRST_NS ? C_FIRST : C_LAUNCH;
	if (kind == APICALL_ALLOCATES && dur > FIRST_ALLOC_NS)
		return C_FIRST;
	if (of == CALL_COPY)
		return C_COPY;
	if (kind != APICALL_OTHER)
		return class[kind];
	return of == CALL_SYNC ? C_SYNC : -1;
}

/* Calls that load code are loading, as the profiler's own records of it are:
 * not every profile has these. */
static void
add_load(struct facts *f, const struct rec *r, const struct call_time *at,
    int64_t dur)
{
	int64_t start;

	if (rec_i64(r, at->start, &start) &&
	    f->over_time[OVER_LOAD].n < MAX_PIECES)
		ivl_add(&f->over_time[OVER_LOAD], start, num_add(start, dur));
}

/* A call that waits for the GPU, by its name and, as far as it is known, the op
 * and the range in which the program made it. */
static void
add_wait(struct facts *f, const struct advise_type *t, const struct rec *r,
    const char *s, size_t n, enum call_of of, int64_t dur)
{
	struct buf name = { 0 };
	size_t len;
	const char *v;

	buf_put(&name, s, n);
	if (of == CALL_SYNC || of == CALL_OTHER) {
		v = rec_raw(r, t->col[SYNC_OP], &len);
		if (v != NULL)
			buf_printf(&name, " of %.*s", (int)len, v);
		v = rec_raw(r, t->col[SYNC_LAYER], &len);
		if (v != NULL)
			buf_printf(&name, " in %.*s", (int)len, v);
	}
	tops_add(&f->sync, name.s, name.len, dur, 0);
	buf_free(&name);
}

/* An API call that makes the CPU wait for the GPU, alone or with the work
 * that it launched. */
static void
count_call(struct facts *f, const struct advise_type *t, const struct rec *r,
    enum call_of of)
{
	struct call_time at = { t->at.api_start, t->at.api_dur };
	int64_t dur = 0, left;
	size_t n, k;
	enum apicall_kind kind;
	int class;
	const char *s = rec_raw(r, t->col[COL_API], &n);

	if (s == NULL)
		return;
	if (of == CALL_OTHER)
		at = (struct call_time){ t->at.start, t->at.dur };
	k = apicall_base(s, n);
	rec_dur(r, at.dur, &dur);
	kind = apicall_kind(s, k);
	class = cpu_class(of, kind, dur);
	if (class >= 0 && (!f->has_cuts || f->counts)) {
		left = since_work(f, r, &at, dur);
		f->cpu_ns[class] = num_add(f->cpu_ns[class], left);
	}
	if (kind == APICALL_LOADS)
		add_load(f, r, &at, dur);
	if (kind == APICALL_WAITS && advise_in_iter(t, r))
		add_wait(f, t, r, s, k, of, dur);
	else if (kind == APICALL_ALLOCATES && advise_in_iter(t, r))
		tops_add(&f->alloc, s, k, dur, 0);
}

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
	return s != NULL && mv_find((struct mview){ s, n }, part) != NULL;
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

static const struct advise_ops *advise_ops_of(const struct advise_type *t);

void
add_inst(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t id;
	uint64_t *v;

	if (!rec_i64(r, t->col[0], &id) ||
	    (v = bits_of(f, advise_ops_of(t), id)) == NULL)
		return;
	*v |= OP_SEEN;
	if ((*v & OP_PYTORCH) != 0 && t->at.iter->pos >= 0 &&
	    advise_in_iter(t, r) && rec_dur(r, t->at.dur, &id))
		f->n_marked++;
}

/* Records that a kernel of the op has that type (or NULL), used Tensor Cores,
 * could have. */
static void
add_op_kernel(struct facts *f, const struct advise_ops *o, int64_t id,
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
static void
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

static void
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

static void
extend_span(struct facts *f, int64_t start, int64_t dur)
{
	int64_t end = num_add(start, dur);

	if (!f->any_kern || start < f->first_kern)
		f->first_kern = start;
	if (!f->any_kern || end > f->end_kern)
		f->end_kern = end;
	f->any_kern = true;
}

/* Takes GPU work, in an iteration or not: its device is used, and start-up ends
 * when the first of it begins. */
static void
begin_work(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t start, no;

	if (rec_i64(r, t->at.dev, &no))
		facts_dev(f, no)->used = true;
	if (!rec_i64(r, t->at.start, &start))
		return;
	if (!f->any_work || start < f->first_work)
		f->first_work = start;
	f->any_work = true;
}

static bool
is_comm(const char *s, size_t n)
{
	return text_starts(s, n, "nccl") || text_starts(s, n, "rccl") ||
	       text_starts(s, n, "nvshmem");
}

/* Communication and other kernels are kept apart, because communication costs
 * time only while no other kernel runs. */
static void
add_time(struct facts *f, struct device *d, const char *s, size_t n, bool comm,
    int64_t start, int64_t dur)
{
	if (comm) {
		tops_add(&f->comm, s, n, dur, 0);
		if (d->comm.n < MAX_PIECES)
			ivl_add(&d->comm, start, num_add(start, dur));
	} else if (d->work.n < MAX_PIECES) {
		ivl_add(&d->work, start, num_add(start, dur));
	} else if (d->comm.n == 0) {
		ivl_drop(&d->work, MAX_PIECES / 2, &start);
	}
}

/* Fewer blocks than the device has multiprocessors: the others idle while the
 * kernel runs, so that is the part of its time that could be gained. */
static void
add_blocks(struct facts *f, const struct advise_type *t, const struct rec *r,
    const struct device *d, const char *s, size_t n, int64_t dur)
{
	size_t len;
	const char *g = rec_raw(r, t->col[KERN_GRID], &len);
	double blocks = 1;
	const char *end, *comma;
	int64_t v;

	if (g == NULL || d->n_sm <= 0)
		return;
	for (end = g + len; g < end; g = comma + 1) {
		comma = memchr(g, ',', (size_t)(end - g));
		if (comma == NULL)
			comma = end;
		if (!num_i64(g, (size_t)(comma - g), &v))
			return;
		blocks *= (double)v;
	}
	f->n_sized++;
	if (blocks >= (double)d->n_sm)
		return;
	f->n_few++;
	f->few_dur_ns = num_add(f->few_dur_ns, dur);
	dur = (int64_t)((double)dur * (1 - blocks / (double)d->n_sm) + 0.5);
	f->few_ns = num_add(f->few_ns, dur);
	tops_add(&f->few, s, n, dur, 0);
}

/* The size that keeps a product off fast kernels: that of the product inside
 * the op, if it is known. */
static void
add_odd(struct facts *f, const struct advise_type *t, const struct rec *r,
    int64_t dur)
{
	const struct advise_ops *o = advise_ops_of(t);
	const uint64_t *v = NULL;
	char word[24];
	int64_t id;
	int n;

	if (rec_i64(r, t->col[KERN_PRIM], &id))
		v = map_get(&o->prim, (uint64_t)id);
	if ((v == NULL || *v == 0) && rec_i64(r, t->col[KERN_OP_ID], &id))
		v = map_get(&o->odd, (uint64_t)id);
	if (v == NULL || *v == 0)
		return;
	n = snprintf(word, sizeof(word), "%llu", (unsigned long long)*v);
	tops_add(&f->odd_size, word, (size_t)n, dur, 0);
}

#define MAX_ALIKE 4096 /* most kinds of collectives */

/* Collectives of one kind and size take the same time, unless they wait. */
static void
add_collective(struct facts *f, const struct advise_type *t,
    const struct rec *r, const char *op, size_t n, int64_t dur)
{
	struct mview name = rec_view(r, t->col[KERN_SHORT]);
	struct mview bytes = rec_view(r, t->col[KERN_BYTES]);
	struct buf b = { 0 };
	struct facts_alike *a;
	bool is_new;
	uint32_t i;

	tops_add(&f->coll, op, n, dur, 0);
	if (bytes.s == NULL || f->alike.n >= MAX_ALIKE)
		return;
	buf_printf(&b, "%.*s %.*s %.*s", (int)n, op, (int)name.n,
	    name.s != NULL ? name.s : "", (int)bytes.n, bytes.s);
	i = smap_put(&f->alike, b.s, b.len, &is_new);
	buf_free(&b);
	ARRAY_GROW(f->alike_v, i, f->cap_alike);
	a = &f->alike_v[i];
	if (is_new)
		*a = (struct facts_alike){ 0, 0, dur };
	a->n++;
	a->ns = num_add(a->ns, dur);
	if (dur < a->least)
		a->least = dur;
	f->n_alike += !is_new;
}

/* A graph launch launches all of its kernels. */
static void
add_launch(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t node, call;

	if (!rec_i64(r, t->col[KERN_NODE], &node)) {
		f->n_launch++;
		return;
	}
	if (!rec_i64(r, t->at.api_start, &call) || call == f->last_graph_call)
		return;
	f->last_graph_call = call;
	f->n_launch++;
	f->n_graph_launch++;
}

static void
add_use(struct facts *f, const struct advise_type *t, const struct rec *r,
    int64_t dur)
{
	const struct advise_ops *o = advise_ops_of(t);
	const uint64_t *shape = NULL;
	int64_t id;
	struct use_kernel k = {
		.name = rec_view(r, t->col[KERN_SHORT]),
		.op = rec_view(r, t->col[KERN_OP]),
		.layer = rec_view(r, t->col[KERN_LAYER]),
		.phase = rec_view(r, t->col[KERN_PHASE]),
		.family = rec_view(r, t->col[KERN_FAMILY]),
		.dtype = rec_view(r, t->col[KERN_DTYPE]),
		.graph = rec_i64(r, t->col[KERN_NODE], &id),
		.dur = dur,
	};

	if (rec_i64(r, t->col[KERN_OP_ID], &id))
		shape = map_get(&o->scores, (uint64_t)id);
	k.scores = shape != NULL && o->shape4.val[*shape] != 0;
	k.fused = rec_i64(r, t->col[KERN_NAME], &id) &&
		  map_get(&o->fused_name, (uint64_t)id) != NULL;
	f->has_family |= t->col[KERN_FAMILY]->pos >= 0;
	f->scaler |= mv_starts(k.op, "_amp_");
	use_add(f, &k);
}

static void
add_tc(struct facts *f, const struct advise_type *t, const struct rec *r,
    const char *s, size_t n, int64_t dur)
{
	size_t tl, el, wl, dl;
	const char *tc = rec_raw(r, t->col[KERN_TC], &tl);
	const char *el_s = rec_raw(r, t->col[KERN_ELIGIBLE], &el);
	const char *why = rec_raw(r, t->col[KERN_WHY], &wl);
	const char *dt = rec_raw(r, t->col[KERN_DTYPE], &dl);
	bool eligible = text_is(el_s, el, "yes");
	int64_t id;

	f->has_tc |= tc != NULL;
	f->has_tc_why |= t->col[KERN_WHY]->pos >= 0;
	if (rec_i64(r, t->col[KERN_OP_ID], &id))
		add_op_kernel(f, advise_ops_of(t), id, dt, dt != NULL ? dl : 0,
		    text_is(tc, tl, "yes"), eligible);
	if (text_is(why, wl, "unaligned"))
		add_odd(f, t, r, dur);
	if (text_is(tc, tl, "yes") &&
	    (text_is(why, wl, "unaligned") || text_is(why, wl, "old_kernel")))
		tops_add(&f->unaligned, s, n, dur, 0);
	if (!eligible || !text_is(tc, tl, "no"))
		return;
	f->eligible_ns = num_add(f->eligible_ns, dur);
	if (why == NULL)
		return;
	tops_add(&f->why, why, wl, dur, 0);
	if (text_is(why, wl, "fp32"))
		tops_add(&f->fp32, s, n, dur, 0);
	if (text_is(why, wl, "unaligned")) {
		tops_add(&f->unaligned, s, n, dur, 0);
		f->unaligned_ns = num_add(f->unaligned_ns, dur);
	}
}

void
add_kernel(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t start = 0, dur = 0, no = 0, inst;
	struct device *d;
	const char *s, *op;
	size_t n, len;
	bool comm;

	begin_work(f, t, r);
	count_call(f, t, r, CALL_KERNEL);
	s = rec_raw(r, t->col[KERN_SHORT], &n);
	if (!advise_in_iter(t, r) || !rec_i64(r, t->at.start, &start) ||
	    !rec_dur(r, t->at.dur, &dur))
		return;
	rec_i64(r, t->at.dev, &no);
	d = facts_dev(f, no);
	d->n_kern++;
	f->n_kern++;
	f->kern_ns = num_add(f->kern_ns, dur);
	if (!rec_i64(r, t->col[KERN_INST], &inst))
		f->no_op_ns = num_add(f->no_op_ns, dur);
	extend_span(f, start, dur);
	op = rec_raw(r, t->col[KERN_OP], &len);
	if (op == NULL) {
		op = s != NULL ? s : "kernel";
		len = s != NULL ? n : 6;
	}
	comm = is_comm(s, n) || mv_eq(rec_view(r, t->col[KERN_DIR]), "comm");
	if (s != NULL)
		add_time(f, d, s, n, comm, start, dur);
	add_launch(f, t, r);
	add_tc(f, t, r, op, len, dur);
	if (comm) {
		add_collective(f, t, r, op, len, dur);
		return;
	}
	add_blocks(f, t, r, d, op, len, dur);
	add_use(f, t, r, dur);
}

void
add_copy(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t dur = 0, bytes = 0;
	size_t sl, dl, kl;
	const char *src = rec_raw(r, t->col[COPY_SRC], &sl);
	const char *dst = rec_raw(r, t->col[COPY_DST], &dl);
	const char *kind = rec_raw(r, t->col[COPY_KIND], &kl);

	begin_work(f, t, r);
	count_call(f, t, r, CALL_COPY);
	if (!advise_in_iter(t, r) || kind == NULL)
		return;
	rec_dur(r, t->at.dur, &dur);
	rec_i64(r, t->col[COPY_BYTES], &bytes);
	f->copy_ns = num_add(f->copy_ns, dur);
	f->pageable_src |= text_is(src, sl, "pageable");
	if (text_is(src, sl, "pageable") || text_is(dst, dl, "pageable"))
		tops_add(&f->pageable, kind, kl, dur, bytes);
}

void
add_set(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t dur;

	begin_work(f, t, r);
	count_call(f, t, r, CALL_COPY);
	if (advise_in_iter(t, r) && rec_dur(r, t->at.dur, &dur))
		f->copy_ns = num_add(f->copy_ns, dur);
}

void
add_sync(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	count_call(f, t, r, CALL_SYNC);
}

void
add_call(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	count_call(f, t, r, CALL_OTHER);
}

void
add_graph(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t dur = 0;

	begin_work(f, t, r);
	if (!advise_in_iter(t, r))
		return;
	f->n_graph++;
	if (rec_dur(r, t->at.dur, &dur))
		f->graph_ns = num_add(f->graph_ns, dur);
}

#define MAX_PIECES 131072 /* most pieces of time */

static void
add_device(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	struct device *d;
	int64_t no;
	double cc;

	if (!rec_i64(r, t->at.dev, &no))
		return;
	d = facts_dev(f, no);
	d->visible = true;
	rec_i64(r, t->col[1], &d->n_sm);
	rec_i64(r, t->col[2], &d->mem_total);
	if (rec_f64(r, t->col[0], &cc))
		d->cc10 = (int64_t)(cc * 10 + 0.5);
}

static void
add_iteration(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t no, dur, step;
	size_t n;
	const char *key = rec_raw(r, t->col[0], &n);

	f->has_key |= key != NULL;
	if (f->step_key.len == 0 && key != NULL) {
		while (n > 0 && ((key[n - 1] >= '0' && key[n - 1] <= '9') ||
				    key[n - 1] == ' '))
			n--;
		buf_put(&f->step_key, key, n);
	}
	if (!rec_i64(r, t->at.iter, &no) || !rec_dur(r, t->at.dur, &dur))
		return;
	if (!rec_i64(r, t->col[1], &step))
		step = dur;
	ARRAY_GROW(f->iter, f->n_iter, f->cap_iter);
	f->iter[f->n_iter++] =
	    (struct facts_iter){ no, f->all_devices ? dur : step };
}

static void
add_busy(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	static const char *const word[N_BUSY] = { "tc", "kern", "graph", "mem",
		"dataload", "io", "cpu", "other" };
	int64_t dev, dur, in;
	size_t n;
	const char *s = rec_raw(r, t->col[0], &n);
	bool counts;
	int i;

	if (!rec_i64(r, t->at.dev, &dev) || !rec_dur(r, t->at.dur, &dur))
		return;
	f->has_busy = true;
	counts = rec_i64(r, t->at.iter, &in) || rec_i64(r, t->col[1], &in);
	f->in_steps |= counts;
	if (text_is(s, n, "comm")) { /* kernels, too */
		s = word[B_KERN];
		n = strlen(s);
	}
	for (i = 0; i < N_BUSY; i++)
		if (text_is(s, n, word[i])) {
			struct device *d = facts_dev(f, dev);
			int64_t *sum = counts ? d->busy : d->no_iter;

			d->used |= i <= B_MEM && dur > 0;
			sum[i] = num_add(sum[i], dur);
		}
}

/* Without iterations all time counts. */
static void
end_busy(struct facts *f)
{
	size_t i;

	for (i = 0; i < f->n_dev && !f->in_steps; i++)
		memcpy(
		    f->dev[i].busy, f->dev[i].no_iter, sizeof(f->dev[i].busy));
}

static void
add_cut(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t v;

	f->has_cuts = true;
	if (rec_i64(r, t->at.iter, &v))
		f->counts = true;
	else if (rec_i64(r, t->col[0], &v))
		f->counts = false;
}

/* Where the program was: its longest activity in the gap, and the op and the
 * range of the work that ends it. */
static void
add_gap_in(struct tops *to, const struct advise_type *t, const struct rec *r,
    int64_t dur)
{
	struct mview what = rec_view(r, t->col[GAP_WHAT]);
	struct mview op = rec_view(r, t->col[GAP_OP]);
	struct mview layer = rec_view(r, t->col[GAP_LAYER]);
	struct buf b = { 0 };

	if (what.s != NULL)
		buf_put(&b, what.s, what.n);
	if (op.s != NULL && (what.n != op.n || what.s == NULL ||
				memcmp(what.s, op.s, op.n) != 0))
		buf_printf(&b, "%sbefore %.*s", b.len > 0 ? ", " : "",
		    (int)op.n, op.s);
	if (layer.s != NULL)
		buf_printf(&b, "%sin %.*s", b.len > 0 ? " " : "", (int)layer.n,
		    layer.s);
	if (b.len > 0)
		tops_add(to, b.s, b.len, dur, 0);
	buf_free(&b);
}

static void
add_launch_gap(struct facts *f, const struct advise_type *t,
    const struct rec *r, int64_t dur)
{
	struct mview op = rec_view(r, t->col[GAP_OP]);

	if (mv_eq(rec_view(r, t->col[GAP_PHASE]), "optimizer"))
		f->opt_idle_ns = num_add(f->opt_idle_ns, dur);
	if (op.s != NULL && mv_find(op, "softmax") != NULL)
		f->softmax_idle_ns = num_add(f->softmax_idle_ns, dur);
}

/* Only time in steps counts, as in dlp gaps, which cuts gaps at the starts and
 * ends of steps. */
static void
add_gap(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	static const char *const word[N_GAP] = { "launch-bound", "startup",
		"sync", "dataloader", "comm-wait", "allocation", "module-load",
		"os-wait", "profiler", "queued", "unknown", "after-sync",
		"graph-update", "host-only" };
	int64_t dur;
	size_t n;
	const char *s = rec_raw(r, t->col[GAP_CLASS], &n);
	int i;

	f->has_gaps = true;
	if (!advise_in_iter(t, r) || !rec_dur(r, t->at.dur, &dur))
		return;
	for (i = 0; i < N_GAP; i++)
		if (text_is(s, n, word[i])) {
			f->gap_ns[i] = num_add(f->gap_ns[i], dur);
			add_gap_in(&f->gap_in[i], t, r, dur);
			if (i == G_LAUNCH)
				add_launch_gap(f, t, r, dur);
		}
}

/* The memory in use, by its address: a process has its own addresses. */
static struct map *
live_memory(struct facts *f, int64_t pid, int64_t dev)
{
	struct {
		int64_t pid, dev;
	} key = { pid, dev };
	bool is_new;
	uint32_t i =
	    smap_put(&f->live_at, (const char *)&key, sizeof(key), &is_new);

	if (is_new) {
		f->live = xrealloc(f->live, f->live_at.n, sizeof(*f->live));
		memset(&f->live[i], 0, sizeof(*f->live));
	}
	return &f->live[i];
}

static void
add_memory(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t no = 0, bytes = 0, addr = 0;
	size_t n, kl;
	const char *op = rec_raw(r, t->col[0], &n);
	const char *kind = rec_raw(r, t->col[3], &kl);
	struct device *d;
	struct map *live;
	uint64_t *v;

	if (op == NULL || !(kind == NULL || text_is(kind, kl, "device")) ||
	    !rec_i64(r, t->col[2], &addr))
		return;
	rec_i64(r, t->at.dev, &no);
	rec_i64(r, t->col[1], &bytes);
	d = facts_dev(f, no);
	f->n_mem++;
	live = live_memory(f, rec_int(r, t->at.pid, -1), no);
	if (text_is(op, n, "alloc")) {
		*map_put(live, (uint64_t)addr, NULL) = (uint64_t)bytes;
		d->mem_live = num_add(d->mem_live, bytes);
		if (d->mem_live > d->mem_peak)
			d->mem_peak = d->mem_live;
	} else if ((v = map_get(live, (uint64_t)addr)) != NULL) {
		d->mem_live = num_sub(d->mem_live, (int64_t)*v);
		map_del(live, (uint64_t)addr);
	}
}

static void
add_overhead(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t start, dur;
	size_t n;
	const char *s = rec_raw(r, t->col[0], &n);
	enum over o = t->col[0]->pos < 0 ? OVER_PROFILER : over_of(s, n);

	if (!rec_i64(r, t->at.start, &start) || !rec_dur(r, t->at.dur, &dur))
		return;
	if (o == OVER_QUEUE && advise_in_iter(t, r))
		tops_add(&f->queue_full, s, n, dur, 0);
	else if (o < N_OVER && f->over_time[o].n < MAX_PIECES)
		ivl_add(&f->over_time[o], start, num_add(start, dur));
}

/* Words in the recorder's messages about events that it lost. */
static void
add_message(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	static const char *const words[] = { "lost", "dropped", "discard",
		"overflow", "buffer is full" };
	size_t n, sl, i, k;
	const char *s = rec_raw(r, t->col[1], &n);
	const char *sev = rec_raw(r, t->col[0], &sl);

	if (s == NULL || text_is(sev, sl, "info"))
		return;
	for (i = 0; i < ARRAY_LEN(words); i++)
		for (k = 0; k + strlen(words[i]) <= n; k++)
			if (text_starts(s + k, n - k, words[i])) {
				tops_add(&f->lost, s, n, 0, 0);
				return;
			}
}

static int64_t
read_setting(const char *s, size_t n)
{
	int64_t v;

	if (text_is(s, n, "true") || text_is(s, n, "True"))
		return 1;
	if (text_is(s, n, "false") || text_is(s, n, "False"))
		return 0;
	return num_i64(s, n, &v) ? v : -1;
}

static void
add_info(struct facts *f, const char *name, size_t len, const char *v, size_t n)
{
	static const char *const model[N_MODEL] = { "model_num_workers",
		"model_cudnn_benchmark_disabled", "model_detect_anomaly",
		"model_gradcheck", "model_gradgradcheck",
		"model_autograd_profile", "model_autograd_set_detect_anomaly",
		"model_record_function", "model_emit_nvtx" };
	int i;

	for (i = 0; i < N_MODEL; i++)
		if (text_is(name, len, model[i]))
			f->model[i] = read_setting(v, n);
	if (text_is(name, len, "vendor"))
		f->amd = text_is(v, n, "amd");
	if (text_is(name, len, "mode") && n < sizeof(f->mode)) {
		memcpy(f->mode, v, n);
		f->mode[n] = '\0';
	} else if (text_is(name, len, "dialect")) {
		f->torch_profiler = text_is(v, n, "kineto");
		f->one_process =
		    text_is(v, n, "kineto") || text_is(v, n, "rocpd");
	} else if (text_is(name, len, "framework")) {
		f->named_framework = true;
	} else if (text_is(name, len, "key_op")) {
		buf_clear(&f->key);
		buf_put(&f->key, v, n);
	} else if (text_is(name, len, "key_op_found")) {
		f->key_found = text_is(v, n, "yes");
	} else if (text_is(name, len, "kernel_arch")) {
		num_i64(v, n, &f->kernel_arch);
	} else if (text_is(name, len, "gpu_mem_total_bytes")) {
		num_i64(v, n, &f->mem_total);
	} else if (text_is(name, len, "gpu_mem_used_bytes")) {
		num_i64(v, n, &f->mem_used);
	}
}

static const struct advise_row rows[] = {
	{ "kern", add_kernel, WORKREC_SPAN,
	    WORKREC_CALL | WORKREC_DEV | WORKREC_ITER, 0,
	    { "api", "op_id", "inst_id", "short", "grid", "op", "tc",
		"tc_eligible", "tc_why", "dtype", "layer", "phase", "family",
		"node", "dir", "prim_id", "bytes", "name_id" } },
	{ "copy", add_copy, 0,
	    WORKREC_SPAN | WORKREC_CALL | WORKREC_DEV | WORKREC_ITER, 0,
	    { "api", "kind", "bytes", "src_mem", "dst_mem" } },
	{ "set", add_set, 0,
	    WORKREC_SPAN | WORKREC_CALL | WORKREC_DEV | WORKREC_ITER, 0,
	    { "api" } },
	{ "sync", add_sync, 0, WORKREC_CALL | WORKREC_ITER, 0,
	    { "api", "op", "layer" } },
	{ "call", add_call, 0, WORKREC_SPAN | WORKREC_ITER, 0,
	    { "api", "op", "layer" } },
	{ "graph", add_graph, 0, WORKREC_SPAN | WORKREC_DEV | WORKREC_ITER, 0,
	    { NULL } },
	{ "inst", add_inst, 0, WORKREC_DUR | WORKREC_ITER, 1, { "op_id" } },
	{ "iter", add_iteration, WORKREC_ITER | WORKREC_DUR, 0, 0,
	    { "key", "step_ns" } },
	{ "dev", add_device, WORKREC_DEV, 0, 0, { "cc", "n_sm", "mem_bytes" } },
	{ "busy", add_busy, WORKREC_DEV | WORKREC_DUR, WORKREC_ITER, 1,
	    { "class", "after" } },
	{ "cut", add_cut, 0, WORKREC_ITER, 0, { "dropped" } },
	{ "gap", add_gap, 0, WORKREC_DUR | WORKREC_ITER, 0,
	    { "class", "what", "op", "layer", "phase" } },
	{ "mem", add_memory, 0, WORKREC_DEV | WORKREC_PID, 0,
	    { "op", "bytes", "addr", "kind" } },
	{ "over", add_overhead, 0, WORKREC_SPAN | WORKREC_ITER, 0, { "name" } },
	{ "diag", add_message, 0, 0, 0, { "severity", "text" } },
};

struct advise_reader {
	struct advise_type type[ARRAY_LEN(rows)];
	struct advise_ops ops;
	struct smap names; /* of files -> the number of its facts in file */
	struct facts **file;
	struct facts info;  /* facts of ##info lines that apply to all files */
	struct facts *last; /* of the last record */
	struct facts *head; /* the facts that ##info lines belong to; NULL:
			     * all */
	advise_done *done;
	void *arg;
};

/* The ops of the section. */
static const struct advise_ops *
advise_ops_of(const struct advise_type *t)
{
	return &t->reader->ops;
}

/* A new file starts with the facts that ##info lines gave for all files. */
static struct facts *
new_file(const struct facts *all, const char *s, size_t n)
{
	struct facts *f = xcalloc(1, sizeof(*f));

	f->all_devices = all->all_devices;
	facts_clear(f);
	buf_put(&f->src, s, n);
	memcpy(f->mode, all->mode, sizeof(f->mode));
	memcpy(f->model, all->model, sizeof(f->model));
	buf_put(&f->key, all->key.s, all->key.len);
	f->key_found = all->key_found;
	f->kernel_arch = all->kernel_arch;
	f->amd = all->amd;
	f->one_process = all->one_process;
	f->torch_profiler = all->torch_profiler;
	f->mem_total = all->mem_total;
	f->mem_used = all->mem_used;
	return f;
}

/* A record without a name belongs to the only file. */
static struct facts *
facts_of(struct advise_reader *g, const char *s, size_t n)
{
	bool is_new;
	uint32_t i;

	if (s == NULL && g->names.n == 1)
		return g->file[0];
	if (s == NULL) {
		s = "";
		n = 0;
	}
	if (g->last != NULL && g->last->src.len == n &&
	    memcmp(buf_str(&g->last->src), s, n) == 0)
		return g->last;
	i = smap_put(&g->names, s, n, &is_new);
	if (is_new) {
		g->file = xrealloc(g->file, g->names.n, sizeof(struct facts *));
		g->file[i] = new_file(&g->info, s, n);
	}
	return g->file[i];
}

static void
see_record(struct stage *st, struct rec *r)
{
	const struct advise_type *t = rec_arg(r);
	struct advise_reader *g = t->reader;
	size_t n;
	const char *s = rec_raw(r, t->at.src, &n);

	stage_pass(st, r);
	g->last = facts_of(g, s, n);
	g->last->any = true;
	g->head = NULL;
	t->row->add(g->last, t, r);
}

/* ##info lines before the first record can be those of a file, which comes
 * first among them. The names below always describe the run, so they apply to
 * all files. */
static bool
is_of_all(const char *name, size_t n)
{
	return text_is(name, n, "mode") || text_is(name, n, "key_op") ||
	       text_is(name, n, "key_op_found") ||
	       text_is(name, n, "kernel_arch");
}

static void
see_info(struct stage *st, struct rec *r)
{
	struct advise_reader *g = st->ctx;
	size_t wlen, rlen, len, n, i;
	const char *rest, *tab;
	const char *word = rec_meta(r, &wlen, &rest, &rlen);

	if (!text_is(word, wlen, "info") || rest == NULL ||
	    (tab = memchr(rest, '\t', rlen)) == NULL)
		return;
	len = (size_t)(tab - rest);
	n = rlen - len - 1;
	if (text_is(rest, len, "src")) {
		g->head = facts_of(g, tab + 1, n);
		return;
	}
	if (g->head != NULL && !is_of_all(rest, len)) {
		add_info(g->head, rest, len, tab + 1, n);
		return;
	}
	add_info(&g->info, rest, len, tab + 1, n);
	for (i = 0; i < g->names.n; i++)
		add_info(g->file[i], rest, len, tab + 1, n);
}

static void
forget_files(struct advise_reader *g)
{
	size_t i;

	for (i = 0; i < g->names.n; i++) {
		facts_clear(g->file[i]);
		free(g->file[i]);
	}
	free(g->file);
	smap_free(&g->names);
	facts_clear(&g->info);
	g->file = NULL;
	g->last = g->head = NULL;
}

static void
forget_facts(struct stage *st)
{
	struct advise_reader *g = st->ctx;

	map_clear(&g->ops.bits);
	map_clear(&g->ops.odd);
	map_clear(&g->ops.prim);
	map_clear(&g->ops.scores);
	map_clear(&g->ops.fused_name);
	smap_clear(&g->ops.shape4);
	g->ops.frameworks = 0;
	forget_files(g);
}

static void
end_file(struct advise_reader *g, struct facts *f)
{
	int64_t lo = f->first_kern, hi = f->end_kern;

	f->frameworks |= g->ops.frameworks;
	advise_ops_end(f);
	end_busy(f);
	if (f->any_kern) {
		f->span_ns = num_sub(hi, lo);
		f->over_ns = ivl_len_in(&f->over_time[OVER_PROFILER], lo, hi);
		f->load_ns = ivl_len_in(&f->over_time[OVER_LOAD], lo, hi);
	}
	g->done(g->arg, f);
}

/* The files that have records, in the order of arrival; at least one. */
static void
end_files(struct stage *st)
{
	struct advise_reader *g = st->ctx;
	size_t i;

	if (g->names.n == 0)
		(void)facts_of(g, NULL, 0);
	for (i = 0; i < g->names.n; i++)
		if (g->file[i]->any || g->names.n == 1)
			end_file(g, g->file[i]);
}

static void
bind_row(struct stage *st, struct advise_type *t, const struct advise_row *row)
{
	struct rec_type *x = stage_on(st, row->tag, see_record, NULL, t);
	int i;

	t->row = row;
	workrec_bind(&t->at, x, row->need, row->opt | WORKREC_SRC);
	for (i = 0; i < ADVISE_COLS && row->name[i] != NULL; i++)
		t->col[i] = rec_col(
		    x, row->name[i], i < row->n_need ? REC_NEED : REC_OPT);
}

struct advise_reader *
advise_read(struct stage *st, bool all_devices, advise_done *done, void *arg)
{
	struct advise_reader *g = xcalloc(1, sizeof(*g));
	size_t i;

	g->info.all_devices = all_devices;
	g->done = done;
	g->arg = arg;
	forget_files(g);
	advise_ops_bind(st, &g->ops);
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		g->type[i].reader = g;
		bind_row(st, &g->type[i], &rows[i]);
	}
	st->ctx = g;
	st->meta = see_info;
	st->section = forget_facts;
	st->end = end_files;
	return g;
}

void
advise_read_free(struct advise_reader *g)
{
	forget_files(g);
	map_free(&g->ops.bits);
	map_free(&g->ops.odd);
	map_free(&g->ops.prim);
	map_free(&g->ops.scores);
	map_free(&g->ops.fused_name);
	smap_free(&g->ops.shape4);
	free(g);
}
