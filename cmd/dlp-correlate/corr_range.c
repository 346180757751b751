/*
 * A range begins: decides whether it is a layer or an op. An argument marker
 * makes the op for everything inside it (the outermost marker, if they nest);
 * without one the outermost range with a framework's text makes the op. A
 * backward frame (evaluate_function: X) opens a run that waits for its node X,
 * which has the sequence id.
 */
#include <inttypes.h>
#include "corr.h"

#include "esc.h"
#include "mk.h"

#define RECENT_NO_NAME UINT32_MAX

/*
 * Finds the forward op of a backward node; false if unknown. A node has the
 * sequence id that was current when its forward ran. Several forward ranges can
 * show the same number; the last of them made the node. AccumulateGrad has no
 * number: it belongs to the op that made its input, the first that is known to
 * come from a backward op. If there is none, it belongs to the node before it,
 * because it runs as soon as its gradient exists, before any other node of its
 * thread.
 */
static bool
pair_forward(
    struct corr_thread *th, const struct marker *m, struct recent_val *v)
{
	int64_t id, out;
	size_t at = 0;
	bool found;

	if (py_pair(th, m, v, &found))
		return found && v->op != OP_NONE;
	if (m->seq >= 0)
		return recent_get(&th->p->fwd, m->seq, v) && v->op != OP_NONE;
	while (marker_input(m, &at, &id, &out))
		if (id > 0 && recent_get(&th->p->bwd, id, v))
			return v->op != OP_NONE;
	if (!mv_ends(m->name, "AccumulateGrad"))
		return false;
	v->op = th->last_fwd;
	v->inst = th->last_fwd_inst;
	return v->op != OP_NONE;
}

/* op OP_NONE: pending, a backward frame whose node is not known yet. */
static struct corr_inst *
open_inst(struct corr *c, struct corr_thread *th, uint32_t op,
    const struct corr_open *open)
{
	struct corr_inst *in = inst_new(&c->insts, th->p, th);

	in->start = open->span.start;
	in->end = open->span.end;
	in->op = op;
	in->phase = phase_now(&c->threads, th->p, th, NULL);
	if (op == OP_NONE)
		in->pending = true;
	else
		inst_schedule(&c->insts, in);
	return in;
}

static void
begin_args(struct corr *c, struct corr_thread *th, struct corr_open *open,
    struct marker *marker, const struct corr_open *up)
{
	const struct corr_inst *cur = up->cur;
	struct mview trace = { NULL, 0 }, repr = { NULL, 0 };
	bool bwd = up->n_bwd > 0;
	const struct corr_open *o;
	size_t i;
	uint32_t id;

	if (open->dead || (cur != NULL && cur->args))
		return;
	/* the innermost call trace marker */
	for (i = th->open.n; i > 0 && trace.s == NULL; i--) {
		o = thread_at(th, i - 1);
		if (o->kind == MK_TRACE && !o->dead)
			trace = (struct mview){ o->text.s, o->text.len };
	}
	/* the self-description of the module whose arguments these are */
	if (up->kind == MK_REPR && !up->dead)
		repr = (struct mview){ up->text.s, up->text.len };
	id = op_of_args(&c->ops, thread_layer(th), trace, repr, marker, bwd);
	open->own = open_inst(c, th, id, open);
	open->own->args = true;
	if (c->ops.dl != NULL)
		dl_args(th, open, marker);
	if (bwd && cur != NULL) {
		open->own->seq = cur->seq;
		open->own->fwd_op = cur->fwd_op;
		open->own->fwd_inst = cur->fwd_inst;
	}
}

/* The node X of a backward, inside its frame or alone. It takes the frame's run
 * over if nothing has run on the GPU in it so far; there were at most calls
 * that query the device. */
static void
begin_node(struct corr *c, struct corr_thread *th, struct corr_open *open,
    const struct marker *marker, struct corr_inst *cur)
{
	struct recent_val fwd = { OP_NONE, RECENT_NO_NAME, 0, 0 };
	struct corr_inst *in;
	uint32_t op;

	if (open->hidden || open->dead)
		return;
	if (cur != NULL && !cur->pending && !cur->need_node)
		return;
	if (!pair_forward(th, marker, &fwd)) {
		c->n.unpaired++;
		fwd.op = OP_NONE;
	} else if (fwd.prim_run != 0)
		prim_backward(&c->prims, fwd.prim_run, marker);
	op = op_of_backward(&c->ops, thread_layer(th), marker, fwd.op);
	in = cur;
	if (in == NULL || (in->need_node && in->n_gpu > 0)) {
		in = open_inst(c, th, op, open);
		open->own = in;
	} else if (in->need_node) {
		c->n.unpaired--; /* was counted when the call came */
		in->op = op;
		in->need_node = false;
	} else {
		in->op = op;
		inst_schedule(&c->insts, in);
	}
	in->seq = marker->seq;
	in->fwd_op = fwd.op;
	in->fwd_inst = fwd.op != OP_NONE ? fwd.inst : 0;
	if (marker->seq >= 0) {
		th->last_fwd = in->fwd_op;
		th->last_fwd_inst = in->fwd_inst;
	}
}

/* A framework's range, the top of the thread. */
static void
range_op(struct corr *c, struct corr_thread *th, struct corr_open *open,
    struct marker *m)
{
	static const struct corr_open ground;
	const struct corr_open *up = th->open.n > 1 ? open - 1 : &ground;
	const struct corr_inst *cur;
	bool op = m->kind == MK_OP;

	if (op && m->seq >= 0 && up->kind == MK_BWD && mk_is(WORD_LAYER, m->op))
		open[-1].in_module = true;
	open->seq = m->seq;
	open->op_id = m->op_id > 0 ? m->op_id : 0;
	if (!th->any_op) {
		th->any_op = true;
		th->autograd = m->kind == MK_BWD || m->kind == MK_BWD_FRAME;
	}
	open->hidden = (m->flags & MK_GROUP) != 0;
	if (op && m->by == BY_XLA) {
		open->buffer = open->hidden;
		if (open->buffer)
			esc_put(&open->text, m->name.s, m->name.n);
		else
			xla_thunk(th, m);
	}
	py_named(c, th, open, m);
	if (m->kind == MK_ARGS) {
		begin_args(c, th, open, m, up);
	} else if (m->kind == MK_BWD) {
		begin_node(c, th, open, m, up->cur);
	} else if (open->hidden || open->dead) {
		; /* no run */
	} else if (m->kind == MK_BWD_FRAME) {
		open->own = open_inst(c, th, OP_NONE, open);
		open->order = open->own->order;
		buf_put(&open->text, m->name.s, m->name.n);
	} else if ((c->ops.dl == NULL || dl_makes_op(th, m)) &&
		   /* start/end ranges can overlap */
		   (up->cur == NULL || open->span.end > up->cur->end ||
		       (op && up->in_module && m->seq >= 0))) {
		open->own = open_inst(
		    c, th, op_of_range(&c->ops, thread_layer(th), m), open);
		open->own->seq = m->seq;
		if (up->n_bwd > 0 && open->own->phase == 0)
			open->own->phase = open->own_phase = PH_BWD;
	}
	cur = open->own != NULL ? open->own : up->cur;
	if (op && !open->dead && !open->hidden) {
		open->own_told = comm_told(&c->comms, up->told, th, m);
		if (cur != NULL)
			prim_begin(&c->prims, th, open, up, m);
	}
	prim_inputs(&c->prims, th->p, m);
	if (cur == NULL || cur->pending)
		return;
	if (op && m->seq >= 0 && up->n_bwd == 0 &&
	    (up->again || !th->autograd)) /* for a backward of that id */
		recent_put(&th->p->fwd, m->seq,
		    (struct recent_val){ cur->op, RECENT_NO_NAME, cur->id,
			open->own_prim != 0 ? open->own_prim_run
					    : up->prim_run });
	/* the op id for the results of a backward is that of the outermost op
	 * directly below its node, or of the node itself */
	if (m->op_id >= 0 && th->open.n > 1 && cur->fwd_op != OP_NONE &&
	    (m->kind == MK_BWD ||
		(up->n_bwd > 0 &&
		    (up->kind == MK_BWD || up->kind == MK_BWD_FRAME))))
		recent_put(&th->p->bwd, m->op_id,
		    (struct recent_val){
			cur->fwd_op, RECENT_NO_NAME, cur->fwd_inst, 0 });
}

/* True if the program never ended the range; recorders then end it with the
 * recording. A push/pop range of the program itself may really last to the end,
 * and a start/end range without an end is no sign of a leak. */
static bool
is_leaked(
    const struct corr *c, const struct corr_range *range, enum marker_kind k)
{
	bool to_the_end =
	    !range->has_end || (c->has_end && range->end >= c->end);

	switch (k) {
	case MK_ARGS:
	case MK_TRACE:
	case MK_REPR:
		return to_the_end;
	case MK_USER:
	case MK_LAYER:
		return to_the_end && !range->nests;
	default:
		return !range->has_end;
	}
}

/* Texts of PyTorch before 1.6 have no namespace. Only the texts around them
 * show that they are not the program's own. */
static void
judge_age(struct corr *c, struct marker *marker, const char *domain)
{
	if (c->spaced)
		return;
	if (marker->kind == MK_USER && (domain == NULL || domain[0] == '\0'))
		marker_bare(marker, !c->old);
	if (marker->by != BY_PYTORCH ||
	    (marker->kind != MK_OP && marker->kind != MK_BWD))
		return;
	if (marker->op_id >= 0 || mv_eq(marker->mod, "aten"))
		c->spaced = true;
	else if (marker->mod.s == NULL)
		c->old = true;
}

#define PART_MAX 256  /* bytes of a part of the layer path, see dlp(7) */
#define PART_HEAD 240 /* what a longer one keeps */

static void
begin_user(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	struct mview part = m->name;
	size_t n;

	if (o->dead)
		return;
	py_named(c, th, o, m);
	o->own_phase = phase_of_text(m->name);
	if (o->own_phase != 0)
		thread_phased(th);
	if ((m->flags & (MK_STEP | MK_GROUP)) != 0)
		return;
	o->layered = true;
	/* without the hash of a compiled graph, which differs in each run of a
	 * program that was changed */
	if (mv_starts(part, "## Call CompiledFxGraph "))
		part = (struct mview){ "CompiledFxGraph", 15 };
	/* Each record below the range has its part of the path: the whole text
	 * of a range that is megabytes long would fill the disk. It is written
	 * once, as a str record, whose id stands in its place. */
	n = PART_HEAD;
	esc_put(&o->text, part.s, part.n);
	if (part.n <= PART_MAX)
		return;
	o->text_id =
	    text_write(&c->texts, (struct mview){ o->text.s, o->text.len });
	while (n > 0 && ((unsigned char)part.s[n] & 0xc0) == 0x80)
		n--;
	buf_clear(&o->text);
	esc_put(&o->text, part.s, n);
	buf_printf(&o->text, "~%" PRId64, o->text_id);
}

struct range_end
range_begin(struct corr *c, const struct corr_range *range)
{
	struct corr_thread *th = range->th;
	struct corr_open *open;
	struct marker m;
	bool user;
	struct mview key, val;
	struct buf buf = { 0 };
	size_t at;

	marker_parse(c->markers, &m, range->text, range->n, range->domain);
	judge_age(c, &m, range->domain);
	if (!range->foreign) {
		c->n.damaged += (m.flags & MK_DAMAGED) != 0;
		c->n.broken += m.kind == MK_BROKEN;
		range->p->has_args |= m.kind == MK_ARGS;
		range->p->has_op_id |= m.op_id >= 0;
		if (c->ops.dl != NULL)
			dl_marker(c, range->p, &m);
	}
	c->n.backwards += range->backwards;
	c->n.crossing += !range->backwards && range->crossing;
	if (range->backwards || range->crossing || range->foreign)
		return (struct range_end){ m.kind, 0, false };
	user = m.kind == MK_USER || m.kind == MK_LAYER;
	th->p->begun = true;
	open = thread_push(th, range->start, range->end);
	open->id = range->id;
	open->kind = m.kind;
	open->subclass = mv_starts(m.text, "PythonSubclass");
	open->dead = is_leaked(c, range, m.kind);
	c->n.unended += open->dead && user;
	c->n.leaked += open->dead && !user;
	open_link(&c->threads, th, th->open.n - 1);
	if (user)
		begin_user(c, th, open, &m);
	else if (m.kind == MK_TRACE)
		buf_put(&open->text, m.text.s, m.text.n);
	else if (m.kind == MK_REPR)
		buf_put(&open->text, m.name.s, m.name.n);
	else if (m.kind == MK_CONFIG) {
		at = 0;
		while (marker_config(&m, &at, &key, &val)) {
			buf_clear(&buf);
			buf_puts(&buf, "##info\tmodel_");
			/* DLProf's guide and database use this name */
			if (mv_eq(key, "profile"))
				buf_puts(&buf, "autograd_");
			esc_put(&buf, key.s, key.n);
			buf_putc(&buf, '\t');
			esc_put(&buf, val.s, val.n);
			out_line(buf.s, buf.len);
		}
		buf_free(&buf);
	} else if (m.kind != MK_BROKEN)
		range_op(c, th, open, &m);
	open_link(&c->threads, th, th->open.n - 1);
	c->n.too_deep += open->layered && open->deep;
	return (struct range_end){ m.kind, open->phase,
		open->own == NULL && (m.kind == MK_OP || m.kind == MK_BWD ||
					 m.kind == MK_BWD_FRAME) };
}
