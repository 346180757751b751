/*
 * A range begins: what it is, whether it opens a run of an op, and what it
 * leaves behind for the backward pass. An argument marker is the op of what
 * is inside (the outermost one); else the outermost range with a framework's
 * text. A backward frame (evaluate_function: X) opens a run that waits for
 * its node X, which carries the sequence id.
 */
#include "corr.h"
#include "err.h"
#include "esc.h"

/* The marker was left open by its program: recorders end it with the
 * recording. A range of the program's that is pushed may well last to the
 * end; one that is started there and never ended tells nothing. */
static bool
is_leaked(const struct corr *c, const struct range *r, enum marker_kind k)
{
	bool to_the_end = !r->has_end || (c->has_end && r->end >= c->end);

	switch (k) {
	case MK_ARGS:
	case MK_TRACE:
	case MK_REPR:
		return to_the_end;
	case MK_USER:
	case MK_LAYER:
		return to_the_end && !r->nests;
	default:
		return !r->has_end;
	}
}

/* Texts from before namespaces can only be told from a program's own by their
 * company. */
static void
judge_age(struct corr *c, struct marker *m, const char *domain)
{
	if (c->spaced)
		return;
	if (m->kind == MK_USER && (domain == NULL || domain[0] == '\0'))
		marker_bare(m, !c->old);
	if (m->by != BY_PYTORCH || (m->kind != MK_OP && m->kind != MK_BWD))
		return;
	if (m->op_id >= 0 ||
	    (m->mod.n == 4 && memcmp(m->mod.s, "aten", 4) == 0))
		c->spaced = true;
	else if (m->mod.s == NULL)
		c->old = true;
}

static void
note_kind(struct corr *c, const struct marker *m, const struct range *r)
{
	if (m->flags & MK_DAMAGED)
		c->n_damaged++;
	if (m->kind == MK_BROKEN)
		c->n_broken++;
	if (m->kind == MK_ARGS)
		r->p->has_args = true;
	if (m->op_id >= 0)
		r->p->has_op_id = true;
}

static void
add_phased(struct thread *th)
{
	struct proc *p = th->p;

	if (th->phased)
		return;
	th->phased = true;
	p->phased =
	    xrealloc(p->phased, p->n_phased + 1, sizeof(struct thread *));
	p->phased[p->n_phased++] = th;
}

static void
begin_user(
    struct corr *c, struct thread *th, struct open *o, const struct marker *m)
{
	if (o->dead)
		return;
	o->name = SMAP_NONE;
	if (!th->p->has_op_id)
		o->name = corr_name(c, m->text.s, m->text.n);
	o->own_phase = phase_of_text(m->name.s, m->name.n);
	if (o->own_phase != 0)
		add_phased(th);
	if ((m->flags & (MK_STEP | MK_GROUP)) != 0)
		return;
	o->layered = true;
	esc_put(&o->text, m->name.s, m->name.n);
}

static void
begin_args(struct corr *c, struct thread *th, struct open *o, struct marker *m,
    struct inst *cur, bool bwd)
{
	uint32_t id;

	o->name = corr_name(c, m->op.s, m->op.n);
	o->mod = corr_name(c, m->mod.s, m->mod.n);
	if (o->dead || (cur != NULL && cur->args))
		return;
	id = op_of_args(c, th, m, bwd);
	o->own = inst_open(c, th, id, o->start, o->end);
	o->own->args = true;
	if (bwd && cur != NULL) {
		o->own->seq = cur->seq;
		o->own->fwd_op = cur->fwd_op;
		o->own->fwd_inst = cur->fwd_inst;
	}
}

static void
begin_op(struct corr *c, struct thread *th, struct open *o,
    const struct marker *m, struct inst *cur)
{
	if (o->hidden || o->dead)
		return;
	if (cur != NULL && o->end <= cur->end)
		return; /* lies in another; start/end ranges can overlap */
	o->own = inst_open(c, th, op_of_range(c, th, m), o->start, o->end);
	o->own->seq = m->seq;
}

/* What a backward of this sequence id will look for. */
static void
leave_seq(struct thread *th, const struct marker *m, const struct inst *cur)
{
	struct recent_val v = { OP_NONE, SMAP_NONE, 0 };

	if (cur == NULL || cur->pending)
		return;
	v.op = cur->op;
	v.inst = cur->id;
	recent_put(&th->p->fwd, m->seq, v);
}

/* The node X of a backward, inside its frame or alone. */
static void
begin_node(struct corr *c, struct thread *th, struct open *o,
    const struct marker *m, struct inst *cur)
{
	struct recent_val fwd = { OP_NONE, SMAP_NONE, 0 };
	struct inst *in = cur;
	uint32_t op;

	if (o->hidden || o->dead)
		return;
	if (cur != NULL && !cur->pending && !cur->need_node)
		return;
	if (!pair_forward(c, th, m, &fwd))
		fwd.op = OP_NONE;
	op = op_of_backward(c, th, m, fwd.op);
	if (cur == NULL || cur->need_node) {
		in = inst_open(c, th, op, o->start, o->end);
		o->own = in;
	} else {
		in->op = op;
		inst_schedule(c, in);
	}
	in->seq = m->seq;
	in->fwd_op = fwd.op;
	in->fwd_inst = fwd.op != OP_NONE ? fwd.inst : 0;
	if (m->seq >= 0) {
		th->last_fwd = in->fwd_op;
		th->last_fwd_inst = in->fwd_inst;
	}
}

/* The results of a backward are known by the op id of the outermost op
 * directly below its node, or of the node. */
static void
leave_op_id(struct thread *th, const struct open *o, const struct marker *m,
    const struct inst *cur)
{
	const struct open *up = o - 1;
	struct recent_val v = { OP_NONE, SMAP_NONE, 0 };

	if (cur == NULL || cur->pending || m->op_id < 0 || th->n < 2)
		return;
	if (m->kind != MK_BWD && up->kind != MK_BWD && up->kind != MK_BWD_FRAME)
		return;
	v.op = cur->fwd_op;
	v.inst = cur->fwd_inst;
	if (v.op != OP_NONE)
		recent_put(&th->p->bwd, m->op_id, v);
}

static void
begin_frame(
    struct corr *c, struct thread *th, struct open *o, const struct marker *m)
{
	if (o->hidden || o->dead)
		return;
	o->own = inst_open(c, th, OP_NONE, o->start, o->end);
	o->order = o->own->order;
	buf_put(&o->text, m->name.s, m->name.n);
}

static void
begin_framework(
    struct corr *c, struct thread *th, struct open *o, struct marker *m)
{
	struct open *up = th->n > 1 ? o - 1 : NULL;
	struct inst *cur = up != NULL ? up->cur : NULL;
	int n_bwd = up != NULL ? up->n_bwd : 0;
	bool again = up != NULL && up->again;

	o->seq = m->seq;
	if (!th->any_op) {
		th->any_op = true;
		th->autograd = m->kind == MK_BWD || m->kind == MK_BWD_FRAME;
	}
	o->hidden = (m->flags & MK_GROUP) != 0;
	if (!th->p->has_op_id && m->kind != MK_ARGS) {
		struct mview v = m->kind == MK_BWD_FRAME ? m->text : m->name;

		o->name = corr_name(c, v.s, v.n);
	}
	if (m->kind == MK_ARGS)
		begin_args(c, th, o, m, cur, n_bwd > 0);
	else if (m->kind == MK_BWD_FRAME)
		begin_frame(c, th, o, m);
	else if (m->kind == MK_BWD)
		begin_node(c, th, o, m, cur);
	else
		begin_op(c, th, o, m, cur);
	if (o->own != NULL)
		cur = o->own;
	if (m->kind == MK_OP && m->seq >= 0 && n_bwd == 0 &&
	    (again || !th->autograd))
		leave_seq(th, m, cur);
	if (n_bwd > 0 || m->kind == MK_BWD)
		leave_op_id(th, o, m, cur);
}

static void
begin_config(const struct marker *m)
{
	struct mview key, val;
	struct buf b = { 0 };
	size_t at = 0;

	while (marker_config(m, &at, &key, &val)) {
		buf_clear(&b);
		buf_puts(&b, "##info\tmodel_");
		esc_put(&b, key.s, key.n);
		buf_putc(&b, '\t');
		esc_put(&b, val.s, val.n);
		out_line(b.s, b.len);
	}
	buf_free(&b);
}

/* It ends on another thread, or before it starts: it encloses nothing. */
static struct open *
aside(struct corr *c, const struct range *r, const struct marker *m)
{
	static struct open o;

	if (r->backwards)
		c->n_backwards++;
	else
		c->n_crossing++;
	o.kind = m->kind;
	return &o;
}

struct open *
range_begin(struct corr *c, const struct range *r)
{
	struct thread *th = r->th;
	struct marker m;
	struct open *o;

	marker_parse(&m, r->text, r->n, r->domain);
	judge_age(c, &m, r->domain);
	note_kind(c, &m, r);
	if (r->crossing || r->backwards)
		return aside(c, r, &m);
	o = thread_push(th);
	o->id = r->id;
	o->start = r->start;
	o->end = r->end;
	o->kind = m.kind;
	o->dead = is_leaked(c, r, m.kind);
	if (o->dead && (m.kind == MK_USER || m.kind == MK_LAYER))
		c->n_unended++;
	else
		c->n_leaked += o->dead;
	open_link(th, th->n - 1);
	if (m.kind == MK_USER || m.kind == MK_LAYER)
		begin_user(c, th, o, &m);
	else if (m.kind == MK_TRACE)
		buf_put(&o->text, m.text.s, m.text.n);
	else if (m.kind == MK_CONFIG)
		begin_config(&m);
	else if (m.kind != MK_REPR && m.kind != MK_BROKEN)
		begin_framework(c, th, o, &m);
	open_link(th, th->n - 1);
	return o;
}
