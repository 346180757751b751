/* What is gathered of kernels, copies, API calls and the recorder's own
 * records; see facts_work.h. */
#include <stdlib.h>
#include <string.h>

#include "facts_work.h"
#include "mview.h"
#include "num.h"

#define MAX_PIECES 131072 /* of time, of a device's communication */

struct kern_cols {
	struct rec_col *start, *dur, *dev, *iter, *op_id, *inst, *short_name;
	struct rec_col *grid, *op, *tc, *eligible, *why, *dtype, *shapes;
};

static struct {
	struct facts *f;
	struct rec_type *kern, *copy, *set, *sync, *call;
	struct kern_cols k;
	struct {
		struct rec_col *kind, *bytes, *src, *dst, *iter, *dur;
	} copy_col;
	struct {
		struct rec_col *api, *dur, *iter;
	} api[5];
	struct {
		struct rec_col *dur;
	} graph;
	struct {
		struct rec_col *dev, *op, *bytes, *addr, *kind;
	} mem;
	struct {
		struct rec_col *start, *dur;
	} over;
	struct {
		struct rec_col *severity, *text;
	} diag;
	struct ivl over_time;
	struct map live; /* address ^ device -> bytes */
	int64_t first, last;
	bool any;
} t;

/* In an iteration, or there are none at all. */
static bool
counts(const struct rec *r, const struct rec_col *iter)
{
	int64_t v;

	return iter->pos < 0 || rec_i64(r, iter, &v);
}

static void
span(int64_t start, int64_t dur)
{
	int64_t end = num_add(start, dur);

	if (!t.any || start < t.first)
		t.first = start;
	if (!t.any || end > t.last)
		t.last = end;
	t.any = true;
}

/* An API name without the suffix of its version. */
static size_t
base_len(const char *s, size_t n)
{
	size_t k = n;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	return k < n && k > 2 && s[k - 1] == 'v' && s[k - 2] == '_' ? k - 2 : n;
}

enum { API_SYNC = 1, API_ALLOC = 2 };

/* Calls that make the CPU wait for the GPU, and calls of allocators that do
 * so as well. */
static int
api_kind(const char *s, size_t n)
{
	static const struct {
		const char *name;
		int kind;
	} known[] = {
		{ "cudaDeviceSynchronize", API_SYNC },
		{ "cudaStreamSynchronize", API_SYNC },
		{ "cudaEventSynchronize", API_SYNC },
		{ "cudaThreadSynchronize", API_SYNC },
		{ "cuCtxSynchronize", API_SYNC },
		{ "cuStreamSynchronize", API_SYNC },
		{ "cuEventSynchronize", API_SYNC },
		{ "cudaMemcpy", API_SYNC },
		{ "cudaMemcpy2D", API_SYNC },
		{ "cudaMemcpy3D", API_SYNC },
		{ "cudaMemset", API_SYNC },
		{ "cuMemcpyDtoH", API_SYNC },
		{ "cuMemcpyHtoD", API_SYNC },
		{ "cudaMalloc", API_ALLOC },
		{ "cudaFree", API_ALLOC },
		{ "cudaMallocHost", API_ALLOC },
		{ "cudaHostAlloc", API_ALLOC },
		{ "cudaFreeHost", API_ALLOC },
		{ "cudaMallocManaged", API_ALLOC },
		{ "cudaHostRegister", API_ALLOC },
		{ "cuMemAlloc", API_ALLOC },
		{ "cuMemFree", API_ALLOC },
		{ "cuMemCreate", API_ALLOC },
		{ "cuMemMap", API_ALLOC },
		{ "cuMemUnmap", API_ALLOC },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (text_is(s, n, known[i].name))
			return known[i].kind;
	return 0;
}

static void
count_api(const struct rec *r, int which)
{
	int64_t dur = 0;
	size_t n, k;
	const char *s = rec_raw(r, t.api[which].api, &n);

	if (s == NULL || !counts(r, t.api[which].iter))
		return;
	k = base_len(s, n);
	if (k < n - 3 && memcmp(s + k - 3, "_v2", 3) == 0)
		k -= 3;
	rec_i64(r, t.api[which].dur, &dur);
	switch (api_kind(s, k)) {
	case API_SYNC:
		tops_add(&t.f->sync, s, k, dur, 0);
		break;
	case API_ALLOC:
		tops_add(&t.f->alloc, s, k, dur, 0);
		break;
	}
}

static bool
is_comm(const char *s, size_t n)
{
	return text_starts(s, n, "nccl") || text_starts(s, n, "rccl") ||
	       text_starts(s, n, "nvshmem");
}

/* Communication and the rest, to see what of it is not hidden. */
static void
add_time(struct device *d, const char *s, size_t n, int64_t start, int64_t dur)
{
	if (is_comm(s, n)) {
		tops_add(&t.f->comm, s, n, dur, 0);
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
add_blocks(const struct rec *r, const struct device *d, const char *s, size_t n,
    int64_t dur)
{
	size_t len;
	const char *g = rec_raw(r, t.k.grid, &len);
	double blocks = 1;
	const char *end;
	char *next;

	if (g == NULL || d->n_sm <= 0)
		return;
	for (end = g + len; g < end; g = next + 1) {
		blocks *= strtod(g, &next);
		if (next == g)
			return;
	}
	t.f->n_sized++;
	if (blocks >= (double)d->n_sm)
		return;
	t.f->n_few++;
	t.f->few_ns = num_add(t.f->few_ns, dur);
	tops_add(&t.f->few, s, n, dur, 0);
}

static void
add_tc(const struct rec *r, const char *s, size_t n, int64_t dur)
{
	size_t tl, el, wl, dl;
	const char *tc = rec_raw(r, t.k.tc, &tl);
	const char *el_s = rec_raw(r, t.k.eligible, &el);
	const char *why = rec_raw(r, t.k.why, &wl);
	const char *dt = rec_raw(r, t.k.dtype, &dl);
	bool eligible = text_is(el_s, el, "yes");
	int64_t id;

	t.f->has_tc |= tc != NULL;
	t.f->has_tc_why |= t.k.why->pos >= 0;
	if (rec_i64(r, t.k.op_id, &id))
		facts_op(id, dt, dt != NULL ? dl : 0, text_is(tc, tl, "yes"),
		    eligible);
	if (!eligible || !text_is(tc, tl, "no"))
		return;
	t.f->eligible_ns = num_add(t.f->eligible_ns, dur);
	if (why == NULL)
		return;
	tops_add(&t.f->why, why, wl, dur, 0);
	if (text_is(why, wl, "fp32"))
		tops_add(&t.f->fp32, s, n, dur, 0);
	else if (text_is(why, wl, "unaligned"))
		tops_add(&t.f->unaligned, s, n, dur, 0);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	int64_t start = 0, dur = 0, no = 0, inst;
	struct device *d;
	const char *s, *op;
	size_t n, len;

	stage_pass(st, r);
	count_api(r, 0);
	s = rec_raw(r, t.k.short_name, &n);
	if (!counts(r, t.k.iter) || !rec_i64(r, t.k.start, &start) ||
	    !rec_i64(r, t.k.dur, &dur))
		return;
	rec_i64(r, t.k.dev, &no);
	d = facts_dev(t.f, no);
	d->n_kern++;
	t.f->n_kern++;
	t.f->kern_ns = num_add(t.f->kern_ns, dur);
	if (!rec_i64(r, t.k.inst, &inst))
		t.f->no_op_ns = num_add(t.f->no_op_ns, dur);
	span(start, dur);
	op = rec_raw(r, t.k.op, &len);
	if (op == NULL) {
		op = s != NULL ? s : "kernel";
		len = s != NULL ? n : 6;
	}
	if (s != NULL)
		add_time(d, s, n, start, dur);
	if (s == NULL || !is_comm(s, n))
		add_blocks(r, d, op, len, dur);
	add_tc(r, op, len, dur);
}

static void
on_copy(struct stage *st, struct rec *r)
{
	int64_t dur = 0, bytes = 0;
	size_t sl, dl, kl;
	const char *src = rec_raw(r, t.copy_col.src, &sl);
	const char *dst = rec_raw(r, t.copy_col.dst, &dl);
	const char *kind = rec_raw(r, t.copy_col.kind, &kl);

	stage_pass(st, r);
	count_api(r, 1);
	if (!counts(r, t.copy_col.iter) || kind == NULL)
		return;
	rec_i64(r, t.copy_col.dur, &dur);
	rec_i64(r, t.copy_col.bytes, &bytes);
	if (text_is(src, sl, "pageable") || text_is(dst, dl, "pageable"))
		tops_add(&t.f->pageable, kind, kl, dur, bytes);
}

static void
on_set(struct stage *st, struct rec *r)
{
	stage_pass(st, r);
	count_api(r, 2);
}

static void
on_sync(struct stage *st, struct rec *r)
{
	stage_pass(st, r);
	count_api(r, 3);
}

static void
on_call(struct stage *st, struct rec *r)
{
	stage_pass(st, r);
	count_api(r, 4);
}

static void
on_graph(struct stage *st, struct rec *r)
{
	int64_t dur = 0;

	stage_pass(st, r);
	t.f->n_graph++;
	if (rec_i64(r, t.graph.dur, &dur))
		t.f->graph_ns = num_add(t.f->graph_ns, dur);
}

static void
on_mem(struct stage *st, struct rec *r)
{
	int64_t no = 0, bytes = 0, addr = 0;
	size_t n, kl;
	const char *op = rec_raw(r, t.mem.op, &n);
	const char *kind = rec_raw(r, t.mem.kind, &kl);
	struct device *d;
	uint64_t key, *v;

	stage_pass(st, r);
	if (op == NULL || !(kind == NULL || text_is(kind, kl, "device")) ||
	    !rec_i64(r, t.mem.addr, &addr))
		return;
	rec_i64(r, t.mem.dev, &no);
	rec_i64(r, t.mem.bytes, &bytes);
	d = facts_dev(t.f, no);
	t.f->n_mem++;
	key = (uint64_t)addr ^ (uint64_t)no << 56;
	if (text_is(op, n, "alloc")) {
		*map_put(&t.live, key, NULL) = (uint64_t)bytes;
		d->mem_live = num_add(d->mem_live, bytes);
		if (d->mem_live > d->mem_peak)
			d->mem_peak = d->mem_live;
	} else if ((v = map_get(&t.live, key)) != NULL) {
		d->mem_live = num_sub(d->mem_live, (int64_t)*v);
		map_del(&t.live, key);
	}
}

static void
on_over(struct stage *st, struct rec *r)
{
	int64_t start, dur;

	stage_pass(st, r);
	if (rec_i64(r, t.over.start, &start) && rec_i64(r, t.over.dur, &dur) &&
	    t.over_time.n < MAX_PIECES)
		ivl_add(&t.over_time, start, num_add(start, dur));
}

/* What the recorder says when it lost something. */
static void
on_diag(struct stage *st, struct rec *r)
{
	static const char *const words[] = { "lost", "dropped", "discard",
		"overflow", "buffer is full" };
	size_t n, sl, i, k;
	const char *s = rec_raw(r, t.diag.text, &n);
	const char *sev = rec_raw(r, t.diag.severity, &sl);

	stage_pass(st, r);
	if (s == NULL || text_is(sev, sl, "info"))
		return;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (k = 0; k + strlen(words[i]) <= n; k++)
			if (text_starts(s + k, n - k, words[i])) {
				tops_add(&t.f->lost, s, n, 0, 0);
				return;
			}
}

static void
bind_kern(struct stage *st)
{
	struct rec_type *x = t.kern = stage_on(st, "kern", on_kern, NULL);

	t.k.start = rec_col(x, "start_ns", REC_NEED);
	t.k.dur = rec_col(x, "dur_ns", REC_NEED);
	t.k.dev = rec_col(x, "dev", REC_OPT);
	t.k.iter = rec_col(x, "iter", REC_OPT);
	t.k.op_id = rec_col(x, "op_id", REC_OPT);
	t.k.inst = rec_col(x, "inst_id", REC_OPT);
	t.k.short_name = rec_col(x, "short", REC_OPT);
	t.k.grid = rec_col(x, "grid", REC_OPT);
	t.k.op = rec_col(x, "op", REC_OPT);
	t.k.tc = rec_col(x, "tc", REC_OPT);
	t.k.eligible = rec_col(x, "tc_eligible", REC_OPT);
	t.k.why = rec_col(x, "tc_why", REC_OPT);
	t.k.dtype = rec_col(x, "dtype", REC_OPT);
}

static void
bind_api(struct stage *st)
{
	static const char *const tag[5] = { "kern", "copy", "set", "sync",
		"call" };
	static stage_fn *const fn[5] = { on_kern, on_copy, on_set, on_sync,
		on_call };
	struct rec_type *x;
	int i;

	for (i = 0; i < 5; i++) {
		x = stage_on(st, tag[i], fn[i], NULL);
		t.api[i].api = rec_col(x, "api", REC_OPT);
		t.api[i].dur =
		    rec_col(x, i < 4 ? "api_dur_ns" : "dur_ns", REC_OPT);
		t.api[i].iter = rec_col(x, "iter", REC_OPT);
		if (i == 1) {
			t.copy_col.kind = rec_col(x, "kind", REC_OPT);
			t.copy_col.bytes = rec_col(x, "bytes", REC_OPT);
			t.copy_col.src = rec_col(x, "src_mem", REC_OPT);
			t.copy_col.dst = rec_col(x, "dst_mem", REC_OPT);
			t.copy_col.iter = rec_col(x, "iter", REC_OPT);
			t.copy_col.dur = rec_col(x, "dur_ns", REC_OPT);
		}
	}
}

void
work_bind(struct stage *st, struct facts *f)
{
	struct rec_type *x;

	t.f = f;
	bind_kern(st);
	bind_api(st);
	x = stage_on(st, "graph", on_graph, NULL);
	t.graph.dur = rec_col(x, "dur_ns", REC_OPT);
	x = stage_on(st, "mem", on_mem, NULL);
	t.mem.dev = rec_col(x, "dev", REC_OPT);
	t.mem.op = rec_col(x, "op", REC_OPT);
	t.mem.bytes = rec_col(x, "bytes", REC_OPT);
	t.mem.addr = rec_col(x, "addr", REC_OPT);
	t.mem.kind = rec_col(x, "kind", REC_OPT);
	x = stage_on(st, "over", on_over, NULL);
	t.over.start = rec_col(x, "start_ns", REC_OPT);
	t.over.dur = rec_col(x, "dur_ns", REC_OPT);
	x = stage_on(st, "diag", on_diag, NULL);
	t.diag.severity = rec_col(x, "severity", REC_OPT);
	t.diag.text = rec_col(x, "text", REC_OPT);
}

void
work_end(struct facts *f)
{
	f->span_ns = t.any ? num_sub(t.last, t.first) : 0;
	if (t.any)
		f->over_ns = ivl_len_in(&t.over_time, t.first, t.last);
}

void
work_forget(struct facts *f)
{
	tops_free(&f->sync);
	tops_free(&f->alloc);
	tops_free(&f->pageable);
	tops_free(&f->why);
	tops_free(&f->few);
	tops_free(&f->comm);
	tops_free(&f->unaligned);
	tops_free(&f->fp32);
	tops_free(&f->lost);
	ivl_clear(&t.over_time);
	map_clear(&t.live);
	t.any = false;
}
