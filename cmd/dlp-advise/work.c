/* What is gathered of kernels, copies and graphs; see work.h. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "mview.h"
#include "num.h"
#include "ops.h"
#include "source.h"

#define MAX_PIECES 131072 /* of time, of a device's communication */

struct at_cols { /* of all work of the GPU */
	struct rec_col *start, *dur, *dev, *iter;
};

static struct {
	struct at_cols kern, copy, set, graph;
	struct {
		struct rec_col *op_id, *inst, *short_name, *grid, *op, *tc,
		    *eligible, *why, *dtype;
	} k;
	struct {
		struct rec_col *kind, *bytes, *src, *dst;
	} c;
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
begin(struct facts *f, const struct rec *r, const struct at_cols *c)
{
	int64_t start, no;

	if (rec_i64(r, c->dev, &no))
		facts_dev(f, no)->used = true;
	if (!rec_i64(r, c->start, &start))
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

	begin(f, r, &t.kern);
	api_count(f, r, API_KERN);
	s = rec_raw(r, t.k.short_name, &n);
	if (!in_iter(r, t.kern.iter) || !rec_i64(r, t.kern.start, &start) ||
	    !rec_i64(r, t.kern.dur, &dur))
		return;
	rec_i64(r, t.kern.dev, &no);
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
	const char *src = rec_raw(r, t.c.src, &sl);
	const char *dst = rec_raw(r, t.c.dst, &dl);
	const char *kind = rec_raw(r, t.c.kind, &kl);

	begin(f, r, &t.copy);
	api_count(f, r, API_COPY);
	if (!in_iter(r, t.copy.iter) || kind == NULL)
		return;
	rec_i64(r, t.copy.dur, &dur);
	rec_i64(r, t.c.bytes, &bytes);
	f->copy_ns = num_add(f->copy_ns, dur);
	if (text_is(src, sl, "pageable") || text_is(dst, dl, "pageable"))
		tops_add(&f->pageable, kind, kl, dur, bytes);
}

static void
on_set(struct facts *f, struct rec *r)
{
	int64_t dur;

	begin(f, r, &t.set);
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

	begin(f, r, &t.graph);
	if (!in_iter(r, t.graph.iter))
		return;
	f->n_graph++;
	if (rec_i64(r, t.graph.dur, &dur))
		f->graph_ns = num_add(f->graph_ns, dur);
}

static struct rec_type *
bind_at(struct stage *st, const char *tag, fact_fn *fn, enum rec_need need,
    struct at_cols *c)
{
	struct rec_type *x = source_on(st, tag, fn);

	REC_COLS(x, need, { &c->start, "start_ns" }, { &c->dur, "dur_ns" });
	REC_COLS(x, REC_OPT, { &c->dev, "dev" }, { &c->iter, "iter" });
	return x;
}

void
work_bind(struct stage *st)
{
	struct rec_type *x;

	x = bind_at(st, "kern", on_kern, REC_NEED, &t.kern);
	REC_COLS(x, REC_OPT, { &t.k.op_id, "op_id" }, { &t.k.inst, "inst_id" },
	    { &t.k.short_name, "short" }, { &t.k.grid, "grid" },
	    { &t.k.op, "op" }, { &t.k.tc, "tc" },
	    { &t.k.eligible, "tc_eligible" }, { &t.k.why, "tc_why" },
	    { &t.k.dtype, "dtype" });
	x = bind_at(st, "copy", on_copy, REC_OPT, &t.copy);
	REC_COLS(x, REC_OPT, { &t.c.kind, "kind" }, { &t.c.bytes, "bytes" },
	    { &t.c.src, "src_mem" }, { &t.c.dst, "dst_mem" });
	bind_at(st, "set", on_set, REC_OPT, &t.set);
	source_on(st, "sync", on_sync);
	source_on(st, "call", on_call);
	api_bind(st);
	bind_at(st, "graph", on_graph, REC_OPT, &t.graph);
}
