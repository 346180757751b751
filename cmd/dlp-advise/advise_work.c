/*
 * Facts of GPU work: kernels, copies, sets, graphs.
 */
#include <stdio.h>

#include "advise_read.h"
#include "array.h"
#include "num.h"

enum { COPY_KIND = 3, COPY_BYTES, COPY_SRC, COPY_DST };

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
		if (d->comm.n < ADVISE_PIECES)
			ivl_add(&d->comm, start, num_add(start, dur));
	} else if (d->work.n < ADVISE_PIECES) {
		ivl_add(&d->work, start, num_add(start, dur));
	} else if (d->comm.n == 0) {
		ivl_drop(&d->work, ADVISE_PIECES / 2, &start);
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

/* Whether a graph launch has launched the kernel: it is a node, or its call
 * says so. */
static bool
is_of_graph(const struct advise_type *t, const struct rec *r)
{
	struct mview api = rec_view(r, t->col[COL_API]);
	int64_t node;

	return rec_i64(r, t->col[KERN_NODE], &node) ||
	       mv_has(api, "GraphLaunch");
}

/* A graph launch launches all of its kernels. */
static void
add_launch(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t call;

	if (!is_of_graph(t, r)) {
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
		.graph = is_of_graph(t, r),
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
		advise_ops_kernel(f, advise_ops_of(t), id, dt,
		    dt != NULL ? dl : 0, text_is(tc, tl, "yes"), eligible);
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
	advise_count_call(f, t, r, CALL_KERNEL);
	s = rec_raw(r, t->col[KERN_SHORT], &n);
	if (!advise_in_iter(f, t, r) || !rec_i64(r, t->at.start, &start) ||
	    !rec_dur(r, t->at.dur, &dur))
		return;
	rec_i64(r, t->at.dev, &no);
	d = facts_dev(f, no);
	d->n_kern++;
	f->n_kern++;
	f->kern_ns = num_add(f->kern_ns, dur);
	if (!rec_i64(r, t->col[KERN_INST], &inst)) {
		f->no_op_ns = num_add(f->no_op_ns, dur);
		if (!rec_i64(r, t->at.api_start, &inst))
			f->no_call_ns = num_add(f->no_call_ns, dur);
	}
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
	advise_count_call(f, t, r, CALL_COPY);
	if (!advise_in_iter(f, t, r) || kind == NULL)
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
	advise_count_call(f, t, r, CALL_COPY);
	if (advise_in_iter(f, t, r) && rec_dur(r, t->at.dur, &dur))
		f->copy_ns = num_add(f->copy_ns, dur);
}

void
add_graph(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t dur = 0;

	begin_work(f, t, r);
	if (!advise_in_iter(f, t, r))
		return;
	f->n_graph++;
	if (rec_dur(r, t->at.dur, &dur))
		f->graph_ns = num_add(f->graph_ns, dur);
}
