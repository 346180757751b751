/*
 * Holds kernels until their numbers are known. Their records, and all records
 * after them, are held back in order. Two kinds of kernels wait:
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

/* A run of an op with many kernels, where nothing shows how much of the work
 * each does. The work is divided among the kernels by their time. */
struct shared_run {
	enum { SHARED_OPEN, SHARED_CLOSED, SHARED_GIVEN_UP } state;
	bool begun;
	int64_t left_ns, left_flop;
};

#define HOLD_MAX (1 << 17) /* the most lines; beyond it values stay unknown */

struct held_kern {
	size_t at; /* the place for its columns in the held text */
	int64_t op_id, inst, sub, dev, dur_ns;
	char grid[40]; /* as in the record; empty if it is too long */
	int64_t prim_id, prim_run; /* prim_run is 0 if there is none */
	uint32_t name_idx;
	enum tc given;
	const struct kname *name;
};

static struct shared_run *
shared_run_of(const struct flops_hold *h, int64_t inst)
{
	const uint64_t *v = map_get(&h->shared_by_inst, (uint64_t)inst);

	return v == NULL ? NULL : &h->shared[*v - 1];
}

static void
shared_forget(struct flops_hold *h)
{
	map_clear(&h->shared_by_inst);
	h->nshared = 0;
}

void
hold_forget(struct flops *fl)
{
	shared_forget(&fl->hold);
}

/* Adds a kernel to its run; *is_first is set for the run's first kernel. False
 * if the run's work was already divided among other kernels. */
static bool
shared_add(struct flops_hold *h, int64_t inst, int64_t dur_ns, bool *is_first)
{
	struct shared_run *r = shared_run_of(h, inst);

	*is_first = r == NULL;
	if (r == NULL) {
		ARRAY_GROW(h->shared, h->nshared, h->shared_cap);
		r = &h->shared[h->nshared++];
		*r = (struct shared_run){ .state = SHARED_OPEN };
		*map_put(&h->shared_by_inst, (uint64_t)inst, NULL) = h->nshared;
	}
	r->left_ns += dur_ns;
	return r->state == SHARED_OPEN;
}

/* The kernel's share of total, the work of the run; called in the order of
 * shared_add. False if the kernels had to be written before the run was closed.
 */
static bool
shared_take(struct flops_hold *h, int64_t inst, int64_t total, int64_t dur_ns,
    int64_t *flop)
{
	struct shared_run *r = shared_run_of(h, inst);

	if (r == NULL || r->state != SHARED_CLOSED)
		return false;
	if (!r->begun)
		r->left_flop = total;
	r->begun = true;
	*flop = r->left_flop;
	if (dur_ns < r->left_ns) /* otherwise it is the last, or has no time */
		*flop = (int64_t)((double)r->left_flop * (double)dur_ns /
				  (double)r->left_ns);
	r->left_flop -= *flop;
	r->left_ns -= dur_ns;
	return true;
}

/* All kernels so far have been written, so a run that is still open cannot be
 * shared. */
static void
shared_give_up(struct flops_hold *h)
{
	bool any = false;
	size_t i;

	for (i = 0; i < h->nshared; i++) {
		if (h->shared[i].state == SHARED_OPEN)
			h->shared[i].state = SHARED_GIVEN_UP;
		any |= h->shared[i].state == SHARED_GIVEN_UP;
	}
	if (!any)
		shared_forget(h);
}

static void
hold_text(struct flops_hold *h, const char *s, size_t n, bool is_record)
{
	buf_put(&h->text, s, n);
	buf_putc(&h->text, '\n');
	h->nlines++;
	h->nrecords += is_record;
}

/* Appends the columns of a kernel that waited. */
static void
write_held(struct flops *fl, const struct held_kern *h)
{
	const struct kname *k = h->name;
	const struct flops_result *res;
	struct subject s = { 0 };
	struct flops_result one;
	enum role role;

	s.op = state_op(fl, h->op_id, &s.op_idx);
	if (h->prim_run != 0) {
		s.prim = state_prim(fl, h->prim_id, &s.prim_idx);
		s.shape = state_result_of(fl, h->prim_run);
	}
	res = answer_of(fl, &s, k, h->name_idx, h->sub,
	    h->grid[0] == '\0' ? NULL : h->grid, strlen(h->grid));
	write_count(fl, res, k, h->dev, h->dur_ns, h->given);
	one = *res;
	if (one.a.shared && shared_take(&fl->hold, h->inst, res->a.flop,
				h->dur_ns, &one.a.flop))
		role = ROLE_MAIN;
	else
		role = write_role(fl, &one.a, true, h->inst, h->prim_run);
	write_columns(fl, &one, k, role, h->dev, h->given);
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

static void
write_all(struct flops *fl)
{
	struct flops_hold *h = &fl->hold;
	size_t i, from = 0;

	for (i = 0; i < h->nkern; i++) {
		write_text(&h->text, from, h->kern[i].at);
		write_held(fl, &h->kern[i]);
		from = h->kern[i].at;
	}
	write_text(&h->text, from, h->text.len);
	buf_clear(&h->text);
	out_counted(h->nrecords);
	h->nlines = h->nrecords = h->nkern = 0;
	h->on = false;
}

static void
give_up_ops(struct flops_facts *f)
{
	size_t i;

	for (i = 0; i < f->nops; i++) {
		if (f->ops[i].waits)
			f->ops[i].given_up = true;
		f->ops[i].waits = false;
	}
}

void
hold_drain(struct stage *st)
{
	struct flops *fl = st->ctx;

	if (!fl->hold.on)
		return;
	st->hold = NULL;
	write_all(fl);
	if (fl->hold.due > 0)
		give_up_ops(&fl->facts);
	map_clear(&fl->hold.due_runs);
	shared_give_up(&fl->hold);
	fl->hold.due = 0;
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
drain_if_full(struct stage *st)
{
	const struct flops *fl = st->ctx;

	if (fl->hold.nlines >= HOLD_MAX)
		hold_drain(st);
}

void
hold_line(struct stage *st, const struct buf *line, bool is_record)
{
	struct flops *fl = st->ctx;

	if (fl->hold.on) {
		hold_text(&fl->hold, line->s, line->len, is_record);
		drain_if_full(st);
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
	struct flops *fl = st->ctx;

	hold_text(&fl->hold, r->line, r->len, r->kind == REC_DATA);
	drain_if_full(st);
}

static void
hold_kern(struct stage *st, const struct rec *r, const struct flops_kern *k)
{
	struct flops *fl = st->ctx;
	struct flops_hold *h = &fl->hold;
	struct held_kern *w;

	ARRAY_GROW(h->kern, h->nkern, h->cap);
	w = &h->kern[h->nkern++];
	*w = (struct held_kern){ .op_id = k->op_id,
		.inst = k->inst,
		.sub = k->sub,
		.dev = k->dev,
		.dur_ns = k->dur_ns,
		.prim_id = k->prim_id,
		.prim_run = k->prim_run,
		.name_idx = k->name_idx,
		.given = k->given,
		.name = k->k };
	if (k->grid != NULL && k->ngrid < sizeof(w->grid))
		memcpy(w->grid, k->grid, k->ngrid);
	h->on = true;
	st->hold = hold_passed;
	buf_clear(&h->line);
	rest_put(&fl->kern_rest, &h->line, r);
	w->at = h->text.len + h->line.len;
	hold_text(h, h->line.s, h->line.len, true);
	drain_if_full(st);
}

/* True if the kernel must wait for the size of its result, because it is part
 * of a forward convolution or einsum without PyProf's arguments. The size comes
 * for the product inside the op, or with a later backward. */
static bool
must_wait(const struct flops_kern *k)
{
	const struct flops_op *op = k->s.op;

	if (!k->has_inst || op == NULL)
		return false;
	if (k->s.prim != NULL)
		return k->s.prim->rule != NULL &&
		       k->s.prim->rule->bwd != NULL && k->s.shape == NULL;
	return op->rule != NULL && op->rule->bwd != NULL && k->has_seq &&
	       !op->bprop && op->args == NULL && op->shapes != NULL &&
	       op->grad == NULL && !op->given_up;
}

bool
hold_size(struct stage *st, const struct rec *r, const struct flops_kern *k)
{
	struct flops *fl = st->ctx;
	bool is_new;

	if (!must_wait(k))
		return false;
	if (k->s.prim != NULL) {
		map_put(&fl->hold.due_runs, (uint64_t)k->prim_run, &is_new);
		fl->hold.due += is_new;
	} else {
		fl->hold.due += !k->s.op->waits;
		k->s.op->waits = true;
	}
	hold_kern(st, r, k);
	return true;
}

bool
hold_share(struct stage *st, const struct rec *r, const struct flops_kern *k,
    const struct flops_result *res)
{
	struct flops *fl = st->ctx;
	bool is_first;

	if (!k->has_inst || !res->a.shared ||
	    !shared_add(&fl->hold, k->inst, k->dur_ns, &is_first))
		return false;
	fl->hold.due += is_first;
	hold_kern(st, r, k);
	return true;
}

void
hold_op(struct stage *st, const struct flops_op *op, const char *text)
{
	struct flops *fl = st->ctx;
	struct flops_op *fwd;
	uint32_t idx;
	bool waited;

	if (!op->has_fwd || op->grad == NULL)
		return;
	fwd = state_op(fl, op->fwd_id, &idx);
	if (fwd == NULL || fwd->grad != NULL || fwd->rule == NULL ||
	    fwd->rule->bwd == NULL ||
	    (text != NULL && strstr(text, fwd->rule->bwd) == NULL))
		return;
	fwd->grad = op->grad;
	fwd->grad_len = op->grad_len;
	waited = fwd->waits;
	fwd->waits = false;
	if (waited)
		one_less_due(st);
}

void
hold_result(struct stage *st, int64_t prim_run, const char *shape)
{
	struct flops *fl = st->ctx;

	state_result(fl, prim_run, shape);
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
