/* What kernels, copies, graphs, API calls and ops add to the facts. */
#include <stdlib.h>
#include <string.h>

#include "advise_read.h"
#include "array.h"
#include "mview.h"
#include "num.h"

#define MAX_PIECES 131072 /* of time, of a device's communication */

enum { WAITS = 1, ALLOCATES = 2, LOADS = 3 }; /* kinds of API calls */

/* An API name without the suffix of its version. */
static size_t
base_len(const char *s, size_t n)
{
	size_t k = n;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	return k < n && k > 2 && s[k - 1] == 'v' && s[k - 2] == '_' ? k - 2 : n;
}

/* Calls that make the CPU wait for the GPU, calls of allocators, which do so as
 * well, and those that load code. */
#define API(name) name, sizeof(name) - 1

static int
api_kind(const char *s, size_t n)
{
	static const struct {
		const char *name;
		size_t len;
		int kind;
	} known[] = {
		{ API("cudaDeviceSynchronize"), WAITS },
		{ API("cudaStreamSynchronize"), WAITS },
		{ API("cudaEventSynchronize"), WAITS },
		{ API("cudaThreadSynchronize"), WAITS },
		{ API("cuCtxSynchronize"), WAITS },
		{ API("cuStreamSynchronize"), WAITS },
		{ API("cuEventSynchronize"), WAITS },
		{ API("cudaMemcpy"), WAITS },
		{ API("cudaMemcpy2D"), WAITS },
		{ API("cudaMemcpy3D"), WAITS },
		{ API("cudaMemset"), WAITS },
		{ API("cuMemcpyDtoH"), WAITS },
		{ API("cuMemcpyHtoD"), WAITS },
		{ API("cudaMalloc"), ALLOCATES },
		{ API("cudaFree"), ALLOCATES },
		{ API("cudaMallocHost"), ALLOCATES },
		{ API("cudaHostAlloc"), ALLOCATES },
		{ API("cudaFreeHost"), ALLOCATES },
		{ API("cudaMallocManaged"), ALLOCATES },
		{ API("cudaHostRegister"), ALLOCATES },
		{ API("cuMemAlloc"), ALLOCATES },
		{ API("cuMemFree"), ALLOCATES },
		{ API("cuMemCreate"), ALLOCATES },
		{ API("cuMemMap"), ALLOCATES },
		{ API("cuMemUnmap"), ALLOCATES },
		{ API("cuLibraryLoadData"), LOADS },
		{ API("cuLibraryLoadFromFile"), LOADS },
		{ API("cudaLibraryLoadData"), LOADS },
		{ API("cuModuleLoad"), LOADS },
		{ API("cuModuleLoadData"), LOADS },
		{ API("cuModuleLoadDataEx"), LOADS },
		{ API("cuModuleLoadFatBinary"), LOADS },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (n == known[i].len && memcmp(s, known[i].name, n) == 0)
			return known[i].kind;
	return 0;
}

/* When a call of ours began and how long it took: the record's own times, or
 * those of the call that launched its work. */
struct call_time {
	const struct rec_col *start, *dur;
};

/* The part of a call since the first GPU work: what lies before is start-up,
 * and not in the time in which the GPU idles (dlp-busy). */
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

#define FIRST_NS 1000000         /* a first launch; others take some us */
#define FIRST_ALLOC_NS 100000000 /* a first allocation; others some ms */

/* What the CPU did in a call that lasted dur, in iterations or between;
 * -1: nothing that is looked at. */
static int
cpu_class(enum call_of of, int kind, int64_t dur)
{
	static const int class[] = {
		[WAITS] = C_SYNC, [ALLOCATES] = C_ALLOC, [LOADS] = C_MODULE
	};

	if (of == CALL_KERNEL)
		return dur > FIRST_NS ? C_FIRST : C_LAUNCH;
	if (kind == ALLOCATES && dur > FIRST_ALLOC_NS)
		return C_FIRST;
	if (of == CALL_COPY)
		return C_COPY;
	if (kind != 0)
		return class[kind];
	return of == CALL_SYNC ? C_SYNC : -1;
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
	int kind, class;
	const char *s = rec_raw(r, t->col[COL_API], &n);

	if (s == NULL)
		return;
	if (of == CALL_OTHER)
		at = (struct call_time){ t->at.start, t->at.dur };
	k = base_len(s, n);
	if (k < n - 3 && memcmp(s + k - 3, "_v2", 3) == 0)
		k -= 3;
	rec_i64(r, at.dur, &dur);
	kind = api_kind(s, k);
	class = cpu_class(of, kind, dur);
	if (class >= 0 && (!f->has_cuts || f->counts)) {
		left = since_work(f, r, &at, dur);
		f->cpu_ns[class] = num_add(f->cpu_ns[class], left);
	}
	if (kind == WAITS && advise_in_iter(t, r))
		tops_add(&f->sync, s, k, dur, 0);
	else if (kind == ALLOCATES && advise_in_iter(t, r))
		tops_add(&f->alloc, s, k, dur, 0);
}

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

static bool
holds(const char *s, size_t n, const char *part)
{
	return s != NULL && mv_find((struct mview){ s, n }, part) != NULL;
}

/* Half precision and below are what AMP would give. */
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
see_op(struct stage *st, struct rec *r)
{
	struct advise_ops *o = rec_arg(r);
	unsigned bits = 0;
	uint64_t *v;
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
	v = map_put(&o->bits, (uint64_t)id, NULL);
	*v = bits;
}

/* The op as the file runs it; NULL if there is no such op. */
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

	if (rec_i64(r, t->col[0], &id) &&
	    (v = bits_of(f, advise_ops_of(t), id)) != NULL)
		*v |= OP_SEEN;
}

/* A kernel of the op has that type (or NULL), used Tensor Cores, could have.
 */
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

/* Only ops that ran in what is judged count. */
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
	    { &o->dtype, "dtype" }, { &o->eligible, "dl_tc" });
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

/* GPU work, in an iteration or not: its device is used, and start-up ends where
 * the first of it begins. */
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

/* Communication and other kernels are kept apart: only communication beside
 * which no other kernel runs costs time. */
static void
add_time(struct facts *f, struct device *d, const char *s, size_t n,
    int64_t start, int64_t dur)
{
	if (is_comm(s, n)) {
		tops_add(&f->comm, s, n, dur, 0);
		if (d->comm.n < MAX_PIECES)
			ivl_add(&d->comm, start, num_add(start, dur));
	} else if (d->work.n < MAX_PIECES) {
		ivl_add(&d->work, start, num_add(start, dur));
	} else if (d->comm.n == 0) {
		ivl_drop(&d->work, MAX_PIECES / 2, &start);
	}
}

/* Fewer blocks than the device has multiprocessors. */
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
	f->few_ns = num_add(f->few_ns, dur);
	tops_add(&f->few, s, n, dur, 0);
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

	begin_work(f, t, r);
	count_call(f, t, r, CALL_KERNEL);
	s = rec_raw(r, t->col[KERN_SHORT], &n);
	if (!advise_in_iter(t, r) || !rec_i64(r, t->at.start, &start) ||
	    !rec_i64(r, t->at.dur, &dur))
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
	if (s != NULL)
		add_time(f, d, s, n, start, dur);
	if (s == NULL || !is_comm(s, n))
		add_blocks(f, t, r, d, op, len, dur);
	add_tc(f, t, r, op, len, dur);
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
	rec_i64(r, t->at.dur, &dur);
	rec_i64(r, t->col[COPY_BYTES], &bytes);
	f->copy_ns = num_add(f->copy_ns, dur);
	if (text_is(src, sl, "pageable") || text_is(dst, dl, "pageable"))
		tops_add(&f->pageable, kind, kl, dur, bytes);
}

void
add_set(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t dur;

	begin_work(f, t, r);
	count_call(f, t, r, CALL_COPY);
	if (advise_in_iter(t, r) && rec_i64(r, t->at.dur, &dur))
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
	if (rec_i64(r, t->at.dur, &dur))
		f->graph_ns = num_add(f->graph_ns, dur);
}
