/* What is gathered of kernels, copies and graphs; see work.h. */
#include "work.h"

#include <stdlib.h>

#include "api.h"
#include "mview.h"
#include "num.h"
#include "ops.h"
#include "source.h"

#define MAX_PIECES 131072 /* of time, of a device's communication */

struct kern_cols {
	struct rec_col *start, *dur, *dev, *iter, *op_id, *inst, *short_name;
	struct rec_col *grid, *op, *tc, *eligible, *why, *dtype, *shapes;
};

static struct {
	struct kern_cols k;
	struct {
		struct rec_col *start, *kind, *bytes, *src, *dst, *iter, *dur,
		    *dev;
	} copy;
	struct {
		struct rec_col *start, *iter, *dur, *dev;
	} set;
	struct {
		struct rec_col *start, *dur, *iter, *dev;
	} graph;
} t;

static void
span(struct facts *f, int64_t start, int64_t dur)
{
	int64_t end = num_add(start, dur);

	if (!f->any_kern || start < f->first_kern)
		f->first_kern = start;
	if (!f->any_kern || end > f->end_kern)
		f->end_kern = end;
	f->any_kern = true;
}

/* GPU work of whatever iteration: its device is used, and where it begins the
 * start-up ends. */
static void
begin(struct facts *f, const struct rec *r, const struct rec_col *col,
    const struct rec_col *dev)
{
	int64_t start, no;

	if (rec_i64(r, dev, &no))
		facts_dev(f, no)->used = true;
	if (!rec_i64(r, col, &start))
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

/* Communication and the rest, to see what of it is not hidden. */
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
add_blocks(struct facts *f, const struct rec *r, const struct device *d,
    const char *s, size_t n, int64_t dur)
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
	f->n_sized++;
	if (blocks >= (double)d->n_sm)
		return;
	f->n_few++;
	f->few_ns = num_add(f->few_ns, dur);
	tops_add(&f->few, s, n, dur, 0);
}

static void
add_tc(
    struct facts *f, const struct rec *r, const char *s, size_t n, int64_t dur)
{
	size_t tl, el, wl, dl;
	const char *tc = rec_raw(r, t.k.tc, &tl);
	const char *el_s = rec_raw(r, t.k.eligible, &el);
	const char *why = rec_raw(r, t.k.why, &wl);
	const char *dt = rec_raw(r, t.k.dtype, &dl);
	bool eligible = text_is(el_s, el, "yes");
	int64_t id;

	f->has_tc |= tc != NULL;
	f->has_tc_why |= t.k.why->pos >= 0;
	if (rec_i64(r, t.k.op_id, &id))
		ops_kernel(f, id, dt, dt != NULL ? dl : 0,
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

static void
on_kern(struct facts *f, struct rec *r)
{
	int64_t start = 0, dur = 0, no = 0, inst;
	struct device *d;
	const char *s, *op;
	size_t n, len;

	begin(f, r, t.k.start, t.k.dev);
	api_count(f, r, API_KERN);
	s = rec_raw(r, t.k.short_name, &n);
	if (!in_iter(r, t.k.iter) || !rec_i64(r, t.k.start, &start) ||
	    !rec_i64(r, t.k.dur, &dur))
		return;
	rec_i64(r, t.k.dev, &no);
	d = facts_dev(f, no);
	d->n_kern++;
	f->n_kern++;
	f->kern_ns = num_add(f->kern_ns, dur);
	if (!rec_i64(r, t.k.inst, &inst))
		f->no_op_ns = num_add(f->no_op_ns, dur);
	span(f, start, dur);
	op = rec_raw(r, t.k.op, &len);
	if (op == NULL) {
		op = s != NULL ? s : "kernel";
		len = s != NULL ? n : 6;
	}
	if (s != NULL)
		add_time(f, d, s, n, start, dur);
	if (s == NULL || !is_comm(s, n))
		add_blocks(f, r, d, op, len, dur);
	add_tc(f, r, op, len, dur);
}

static void
on_copy(struct facts *f, struct rec *r)
{
	int64_t dur = 0, bytes = 0;
	size_t sl, dl, kl;
	const char *src = rec_raw(r, t.copy.src, &sl);
	const char *dst = rec_raw(r, t.copy.dst, &dl);
	const char *kind = rec_raw(r, t.copy.kind, &kl);

	begin(f, r, t.copy.start, t.copy.dev);
	api_count(f, r, API_COPY);
	if (!in_iter(r, t.copy.iter) || kind == NULL)
		return;
	rec_i64(r, t.copy.dur, &dur);
	rec_i64(r, t.copy.bytes, &bytes);
	f->copy_ns = num_add(f->copy_ns, dur);
	if (text_is(src, sl, "pageable") || text_is(dst, dl, "pageable"))
		tops_add(&f->pageable, kind, kl, dur, bytes);
}

static void
on_set(struct facts *f, struct rec *r)
{
	int64_t dur;

	begin(f, r, t.set.start, t.set.dev);
	api_count(f, r, API_SET);
	if (in_iter(r, t.set.iter) && rec_i64(r, t.set.dur, &dur))
		f->copy_ns = num_add(f->copy_ns, dur);
}

static void
on_sync(struct facts *f, struct rec *r)
{
	api_count(f, r, API_SYNC);
}

static void
on_call(struct facts *f, struct rec *r)
{
	api_count(f, r, API_CALL);
}

static void
on_graph(struct facts *f, struct rec *r)
{
	int64_t dur = 0;

	begin(f, r, t.graph.start, t.graph.dev);
	if (!in_iter(r, t.graph.iter))
		return;
	f->n_graph++;
	if (rec_i64(r, t.graph.dur, &dur))
		f->graph_ns = num_add(f->graph_ns, dur);
}

static void
bind_kern(struct stage *st)
{
	struct rec_type *x = source_on(st, "kern", on_kern);

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
bind_copy(struct stage *st)
{
	struct rec_type *x = source_on(st, "copy", on_copy);

	t.copy.start = rec_col(x, "start_ns", REC_OPT);
	t.copy.kind = rec_col(x, "kind", REC_OPT);
	t.copy.bytes = rec_col(x, "bytes", REC_OPT);
	t.copy.src = rec_col(x, "src_mem", REC_OPT);
	t.copy.dst = rec_col(x, "dst_mem", REC_OPT);
	t.copy.iter = rec_col(x, "iter", REC_OPT);
	t.copy.dur = rec_col(x, "dur_ns", REC_OPT);
	t.copy.dev = rec_col(x, "dev", REC_OPT);
}

void
work_bind(struct stage *st)
{
	struct rec_type *x;

	bind_kern(st);
	bind_copy(st);
	x = source_on(st, "set", on_set);
	t.set.start = rec_col(x, "start_ns", REC_OPT);
	t.set.iter = rec_col(x, "iter", REC_OPT);
	t.set.dur = rec_col(x, "dur_ns", REC_OPT);
	t.set.dev = rec_col(x, "dev", REC_OPT);
	source_on(st, "sync", on_sync);
	source_on(st, "call", on_call);
	api_bind(st);
	x = source_on(st, "graph", on_graph);
	t.graph.start = rec_col(x, "start_ns", REC_OPT);
	t.graph.dur = rec_col(x, "dur_ns", REC_OPT);
	t.graph.dev = rec_col(x, "dev", REC_OPT);
	t.graph.iter = rec_col(x, "iter", REC_OPT);
}
