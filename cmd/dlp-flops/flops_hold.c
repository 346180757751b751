/*
 * Holds kernels until their numbers are known. Two kinds of kernels wait:
 *
 *	a convolution or einsum by emit_nvtx, which gives neither stride and
 *	padding nor the equation. The size of the result comes with a record
 *	result, or with the gradient, when the backward's op record arrives
 *
 *	a kernel that shares the work of its run with the run's other kernels.
 *	Nothing tells how much each does, so the work is divided by their time,
 *	which is known when the run closes
 *
 * What is held is the text of the lines, with gaps where kernels wait for
 * their columns.
 */
#include <string.h>

#include "array.h"
#include "flops.h"
#include "num.h"

/* A run of an op with many kernels, where nothing shows how much of the work
 * each does. */
struct shared_run {
	enum { SHARED_OPEN, SHARED_CLOSED, SHARED_GIVEN_UP } state;
	bool begun;
	int64_t left_ns, left_flop;
};

#define HOLD_MAX (1 << 17) /* the most lines; beyond it values stay unknown */

struct held_kern {
	size_t at; /* the place for its columns in the held text */
	struct flops_kern k;
};

void
hold_forget(struct flops *fl)
{
	map_clear(&fl->hold.shared_by_inst);
	fl->hold.nshared = 0;
}

static struct shared_run *
shared_run_of(const struct flops_hold *h, int64_t inst)
{
	const uint64_t *v = map_get(&h->shared_by_inst, (uint64_t)inst);

	return v == NULL ? NULL : &h->shared[*v - 1];
}

/* The kernel's share of total, the work of the run; called in the order of
 * hold_share(). False if the kernels had to be written before the run was
 * closed. */
static bool
take_share(struct flops_hold *h, const struct flops_kern *k, int64_t total,
    int64_t *flop)
{
	struct shared_run *r = shared_run_of(h, k->inst);

	if (r == NULL || r->state != SHARED_CLOSED)
		return false;
	if (!r->begun)
		r->left_flop = total;
	r->begun = true;
	*flop = r->left_flop;
	if (k->dur_ns < r->left_ns) /* otherwise the last, or without time */
		*flop = (int64_t)((double)r->left_flop * (double)k->dur_ns /
				  (double)r->left_ns);
	r->left_flop = num_sub(r->left_flop, *flop);
	r->left_ns = num_sub(r->left_ns, k->dur_ns);
	return true;
}

/* Writes a part of the text in pieces, because it can be long. */
static void
write_text(const struct buf *text, size_t from, size_t to)
{
	size_t n;

	for (; from < to; from += n) {
		n = to - from < 65536 ? to - from : 65536;
		buf_put(&out_buf, text->s + from, n);
		out_check();
	}
}

void
hold_drain(struct stage *st)
{
	struct flops *fl = st->ctx;
	struct flops_hold *h = &fl->hold;
	const struct flops_result *res;
	struct flops_kern *k;
	struct flops_op *op;
	bool any = false;
	size_t i, from = 0;
	int64_t share;

	if (!h->on)
		return;
	st->hold = NULL;
	for (i = 0; i < h->nkern; i++) {
		write_text(&h->text, from, h->kern[i].at);
		from = h->kern[i].at;
		k = &h->kern[i].k;
		facts_subject(fl, k);
		res = answer_of(fl, k);
		write_kern(fl, res, k,
		    res->a.shared && take_share(h, k, res->a.flop, &share)
			? &share
			: NULL);
	}
	write_text(&h->text, from, h->text.len);
	buf_clear(&h->text);
	out_counted(h->nrecords);
	h->nlines = h->nrecords = h->nkern = 0;
	h->on = false;
	op = fl->facts.ops.v;
	for (i = 0; h->due > 0 && i < fl->facts.ops.n; i++, op++) {
		op->given_up |= op->waits;
		op->waits = false;
	}
	map_clear(&h->due_runs);
	/* all kernels so far have been written, so a run that is still open
	 * cannot be shared */
	for (i = 0; i < h->nshared; i++) {
		if (h->shared[i].state == SHARED_OPEN)
			h->shared[i].state = SHARED_GIVEN_UP;
		any |= h->shared[i].state == SHARED_GIVEN_UP;
	}
	if (!any)
		hold_forget(fl);
	h->due = 0;
}

/* A value that kernels waited for has come; if it was the last one, they are
 * written. */
static void
one_less_due(struct stage *st)
{
	struct flops *fl = st->ctx;

	if (--fl->hold.due == 0)
		hold_drain(st);
}

static void
hold_text(struct stage *st, const char *s, size_t n, bool is_record)
{
	struct flops *fl = st->ctx;
	struct flops_hold *h = &fl->hold;

	buf_put(&h->text, s, n);
	buf_putc(&h->text, '\n');
	h->nlines++;
	h->nrecords += is_record;
	if (h->nlines >= HOLD_MAX)
		hold_drain(st);
}

void
hold_line(struct stage *st, const struct buf *line, bool is_record)
{
	struct flops *fl = st->ctx;

	if (fl->hold.on) {
		hold_text(st, line->s, line->len, is_record);
		return;
	}
	buf_put(&out_buf, line->s, line->len);
	if (is_record) {
		out_end();
		return;
	}
	buf_putc(&out_buf, '\n');
	out_check();
}

/* A line that the stage passes on while others wait. */
static void
hold_passed(struct stage *st, struct rec *r)
{
	hold_text(st, r->line, r->len, r->kind == REC_DATA);
}

static void
hold_kern(struct stage *st, const struct rec *r, const struct flops_kern *k)
{
	struct flops *fl = st->ctx;
	struct flops_hold *h = &fl->hold;
	struct held_kern *w;

	h->on = true;
	st->hold = hold_passed;
	buf_clear(&h->line);
	rest_put(&fl->kern_rest, &h->line, r, NULL);
	ARRAY_GROW(h->kern, h->nkern, h->cap);
	w = &h->kern[h->nkern++];
	w->at = h->text.len + h->line.len;
	w->k = *k;
	w->k.grid = facts_keep(fl, k->grid.s, k->grid.n);
	hold_text(st, h->line.s, h->line.len, true);
}

/* A kernel must wait if it is part of a forward convolution or einsum without
 * PyProf's arguments. The size comes for the product inside the op, or with a
 * later backward. */
bool
hold_size(struct stage *st, const struct rec *r, const struct flops_kern *k)
{
	struct flops *fl = st->ctx;
	struct flops_op *op = k->op;
	const struct flops_op *subject = k->prim != NULL ? k->prim : op;
	bool is_new;

	if (!k->has_inst || op == NULL || subject->rule == NULL ||
	    subject->rule->bwd == NULL)
		return false;
	if (k->prim != NULL) {
		if (k->shape != NULL)
			return false;
		map_put(&fl->hold.due_runs, (uint64_t)k->prim_run, &is_new);
		fl->hold.due += is_new;
	} else {
		if (!k->has_seq || op->bprop || op->args.s != NULL ||
		    op->shapes.s == NULL || op->grad.s != NULL || op->given_up)
			return false;
		fl->hold.due += !op->waits;
		op->waits = true;
	}
	hold_kern(st, r, k);
	return true;
}

bool
hold_share(struct stage *st, const struct rec *r, const struct flops_kern *k,
    const struct flops_result *res)
{
	struct flops *fl = st->ctx;
	struct flops_hold *h = &fl->hold;
	struct shared_run *run;

	if (!k->has_inst || !res->a.shared)
		return false;
	run = shared_run_of(h, k->inst);
	if (run == NULL) {
		ARRAY_GROW(h->shared, h->nshared, h->shared_cap);
		run = &h->shared[h->nshared++];
		*run = (struct shared_run){ .state = SHARED_OPEN };
		*map_put(&h->shared_by_inst, (uint64_t)k->inst, NULL) =
		    h->nshared;
		h->due++;
	}
	run->left_ns = num_add(run->left_ns, k->dur_ns);
	/* otherwise the work was divided among other kernels already */
	if (run->state != SHARED_OPEN)
		return false;
	hold_kern(st, r, k);
	return true;
}

void
hold_op(struct stage *st, const struct flops_op *op, const char *text)
{
	struct flops *fl = st->ctx;
	struct flops_op *fwd;
	bool waited;

	if (!op->has_fwd || op->grad.s == NULL)
		return;
	fwd = ops_find(&fl->facts.ops, op->fwd_id);
	if (fwd == NULL || fwd->grad.s != NULL || fwd->rule == NULL ||
	    fwd->rule->bwd == NULL ||
	    (text != NULL && strstr(text, fwd->rule->bwd) == NULL))
		return;
	fwd->grad = op->grad;
	waited = fwd->waits;
	fwd->waits = false;
	if (waited)
		one_less_due(st);
}

/* In the table of results, run + 1 stands for a run, and 0 for none; the newest
 * STATE_RUNS are remembered. */
void
hold_result(struct stage *st, int64_t prim_run, const char *shape)
{
	struct flops *fl = st->ctx;
	size_t i = (size_t)((uint64_t)prim_run & (STATE_RUNS - 1));

	fl->runs.any = true;
	fl->runs.results[i].run = (int64_t)((uint64_t)prim_run + 1);
	fl->runs.results[i].shape = shape;
	if (map_del(&fl->hold.due_runs, (uint64_t)prim_run))
		one_less_due(st);
}

void
hold_closed(struct stage *st, int64_t inst)
{
	struct flops *fl = st->ctx;
	struct shared_run *r = shared_run_of(&fl->hold, inst);

	if (r == NULL || r->state != SHARED_OPEN)
		return;
	r->state = SHARED_CLOSED;
	one_less_due(st);
}
