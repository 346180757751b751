/*
 * A range begins: decides whether it is a layer or an op. An argument marker
 * makes the op for everything inside it (the outermost marker, if they nest);
 * without one the outermost range with a framework's text makes the op. A
 * backward frame (evaluate_function: X) opens a run that waits for its node X,
 * which has the sequence id.
 */
#include <inttypes.h>
#include "corr.h"

#include <string.h>

#include "esc.h"

#define RECENT_NO_NAME UINT32_MAX

/* The first input that is known to come from a backward op. */
static bool
pair_by_inputs(
    struct corr_proc *p, const struct marker *m, struct recent_val *v)
{
	int64_t id, out;
	size_t at = 0;

	while (marker_input(m, &at, &id, &out))
		if (id > 0 && recent_get(&p->bwd, id, v))
			return true;
	return false;
}

/* AccumulateGrad runs as soon as its gradient exists, before any other node of
 * its thread, so the gradient comes from the node before. */
static bool
pair_by_order(
    const struct corr_thread *th, const struct marker *m, struct recent_val *v)
{
	static const char word[] = "AccumulateGrad";
	size_t w = sizeof(word) - 1;

	if (m->name.n < w || memcmp(m->name.s + m->name.n - w, word, w) != 0)
		return false;
	v->op = th->last_fwd;
	v->inst = th->last_fwd_inst;
	return v->op != OP_NONE;
}

/*
 * Finds the forward op of a backward node; false if unknown. A node has the
 * sequence id that was current when its forward ran. Several forward ranges can
 * show the same number; the last of them made the node. AccumulateGrad has no
 * number: it belongs to the op that made its input or, if that is unknown, to
 * the node before it.
 */
static bool
pair_forward(struct corr *corr, struct corr_thread *th,
    const struct marker *marker, struct recent_val *v)
{
	enum pair by_hook = PAIR_ASK;
	bool found;

	if (corr->hooks.pair != NULL)
		by_hook = corr->hooks.pair(th, marker, v);
	if (by_hook != PAIR_ASK)
		found = by_hook == PAIR_FOUND;
	else if (marker->seq >= 0)
		found = recent_get(&th->p->fwd, marker->seq, v);
	else
		found = pair_by_inputs(th->p, marker, v) ||
			pair_by_order(th, marker, v);
	return found && v->op != OP_NONE;
}

/* op OP_NONE: pending, a backward frame whose node is not known yet. */
static struct corr_inst *
open_inst(struct corr *corr, struct corr_thread *th, uint32_t op,
    const struct corr_open *open)
{
	struct corr_inst *in = inst_new(&corr->insts);
	bool guess;

	in->pid = th->p->pid;
	in->src = th->p->src;
	in->tid = th->tid;
	in->has_tid = true;
	in->start = open->span.start;
	in->end = open->span.end;
	in->op = op;
	in->phase = phase_now(&corr->threads, th->p, th, &guess);
	if (op == OP_NONE)
		in->pending = true;
	else
		inst_schedule(&corr->insts, in);
	return in;
}

/* The innermost call trace marker open on the thread. */
static struct mview
trace_of(const struct corr_thread *th)
{
	const struct corr_open *o;
	size_t i;

	for (i = th->open.n; i > 0; i--) {
		o = thread_at(th, i - 1);
		if (o->kind == MK_TRACE && !o->dead)
			return (struct mview){ o->text.s, o->text.len };
	}
	return (struct mview){ NULL, 0 };
}

/* The self-description of the module whose arguments are on top of the thread.
 */
static struct mview
repr_of(const struct corr_thread *th)
{
	const struct corr_open *o = thread_top(th) - (th->open.n > 1);

	if (o->kind != MK_REPR || o->dead)
		return (struct mview){ NULL, 0 };
	return (struct mview){ o->text.s, o->text.len };
}

static void
begin_args(struct corr *corr, struct corr_thread *th, struct corr_open *open,
    struct marker *marker, struct corr_inst *cur, bool bwd)
{
	uint32_t id;

	if (open->dead || (cur != NULL && cur->args))
		return;
	id = op_of_args(&corr->ops, thread_layer(th), trace_of(th), repr_of(th),
	    marker, bwd);
	open->own = open_inst(corr, th, id, open);
	open->own->args = true;
	if (corr->hooks.args != NULL)
		corr->hooks.args(th, open, marker);
	if (bwd && cur != NULL) {
		open->own->seq = cur->seq;
		open->own->fwd_op = cur->fwd_op;
		open->own->fwd_inst = cur->fwd_inst;
	}
}

static void
begin_op(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m, struct corr_inst *cur)
{
	if (o->hidden || o->dead)
		return;
	if (c->hooks.makes_op != NULL && !c->hooks.makes_op(th, m))
		return;
	if (cur != NULL && o->span.end <= cur->end)
		return; /* inside another; start/end ranges can overlap */
	o->own = open_inst(c, th, op_of_range(&c->ops, thread_layer(th), m), o);
	o->own->seq = m->seq;
}

/* Remembers the op for a backward of this sequence id. */
static void
leave_seq(struct corr_thread *th, uint64_t prim_run, const struct marker *m,
    const struct corr_inst *cur)
{
	struct recent_val v = { OP_NONE, RECENT_NO_NAME, 0, prim_run };

	if (cur == NULL || cur->pending)
		return;
	v.op = cur->op;
	v.inst = cur->id;
	recent_put(&th->p->fwd, m->seq, v);
}

/* The frame's run, if the node takes it over: nothing has run on the GPU in it
 * so far; there were at most calls that query the device. NULL otherwise. */
static struct corr_inst *
taken_over(struct corr *c, struct corr_inst *cur)
{
	if (cur == NULL || (cur->need_node && cur->n_gpu > 0))
		return NULL;
	if (cur->need_node)
		c->n.unpaired--; /* was counted when the call came */
	return cur;
}

/* The node X of a backward, inside its frame or alone. */
static void
begin_node(struct corr *corr, struct corr_thread *th, struct corr_open *open,
    const struct marker *marker, struct corr_inst *cur)
{
	struct recent_val fwd = { OP_NONE, RECENT_NO_NAME, 0, 0 };
	struct corr_inst *in;
	uint32_t op;

	if (open->hidden || open->dead)
		return;
	if (cur != NULL && !cur->pending && !cur->need_node)
		return;
	if (!pair_forward(corr, th, marker, &fwd)) {
		corr->n.unpaired++;
		fwd.op = OP_NONE;
	} else if (fwd.prim_run != 0)
		prim_backward(&corr->prims, fwd.prim_run, marker);
	op = op_of_backward(&corr->ops, thread_layer(th), marker, fwd.op);
	in = taken_over(corr, cur);
	if (in != NULL) {
		in->op = op;
		if (in->need_node)
			in->need_node = false;
		else
			inst_schedule(&corr->insts, in);
	} else {
		in = open_inst(corr, th, op, open);
		open->own = in;
	}
	in->seq = marker->seq;
	in->fwd_op = fwd.op;
	in->fwd_inst = fwd.op != OP_NONE ? fwd.inst : 0;
	if (marker->seq >= 0) {
		th->last_fwd = in->fwd_op;
		th->last_fwd_inst = in->fwd_inst;
	}
}

/* The op id for the results of a backward is that of the outermost op directly
 * below its node, or of the node itself. */
static void
leave_op_id(struct corr_thread *th, const struct corr_open *open,
    const struct marker *marker, const struct corr_inst *cur)
{
	const struct corr_open *up = open - 1;
	struct recent_val v = { OP_NONE, RECENT_NO_NAME, 0, 0 };

	if (cur == NULL || cur->pending || marker->op_id < 0 || th->open.n < 2)
		return;
	if (marker->kind != MK_BWD && up->kind != MK_BWD &&
	    up->kind != MK_BWD_FRAME)
		return;
	v.op = cur->fwd_op;
	v.inst = cur->fwd_inst;
	if (v.op != OP_NONE)
		recent_put(&th->p->bwd, marker->op_id, v);
}

static void
begin_frame(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	if (o->hidden || o->dead)
		return;
	o->own = open_inst(c, th, OP_NONE, o);
	o->order = o->own->order;
	buf_put(&o->text, m->name.s, m->name.n);
}

static void
note_name(struct corr *c, const struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	if (c->hooks.named != NULL)
		c->hooks.named(c, th, o, m);
}

/* Opens the op or run that the framework's range o, the top of the thread,
 * stands for. */
static void
open_op(struct corr *corr, struct corr_thread *th, struct corr_open *open,
    struct marker *marker, const struct corr_open *up)
{
	switch (marker->kind) {
	case MK_ARGS:
		begin_args(corr, th, open, marker, up->cur, up->n_bwd > 0);
		break;
	case MK_BWD_FRAME:
		begin_frame(corr, th, open, marker);
		break;
	case MK_BWD:
		begin_node(corr, th, open, marker, up->cur);
		break;
	default:
		begin_op(corr, th, open, marker, up->cur);
	}
}

static void
range_op(struct corr *corr, struct corr_thread *th, struct corr_open *open,
    struct marker *marker)
{
	static const struct corr_open ground;
	const struct corr_open *up = th->open.n > 1 ? open - 1 : &ground;
	const struct corr_inst *cur;
	bool op = marker->kind == MK_OP;

	open->seq = marker->seq;
	open->op_id = marker->op_id > 0 ? marker->op_id : 0;
	if (!th->any_op) {
		th->any_op = true;
		th->autograd =
		    marker->kind == MK_BWD || marker->kind == MK_BWD_FRAME;
	}
	open->hidden = (marker->flags & MK_GROUP) != 0;
	if (op && marker->by == BY_XLA) {
		open->buffer = open->hidden;
		if (open->buffer)
			esc_put(&open->text, marker->name.s, marker->name.n);
		else
			xla_thunk(th, marker);
	}
	note_name(corr, th, open, marker);
	open_op(corr, th, open, marker, up);
	cur = open->own != NULL ? open->own : up->cur;
	if (op && !open->dead && !open->hidden)
		open->own_told = comm_told(&corr->comms, up->told, th, marker);
	if (op && cur != NULL && !open->dead && !open->hidden)
		prim_begin(&corr->prims, th, open, up, marker);
	prim_inputs(&corr->prims, th->p, marker);
	if (op && marker->seq >= 0 && up->n_bwd == 0 &&
	    (up->again || !th->autograd))
		leave_seq(th,
		    open->own_prim != 0 ? open->own_prim_run : up->prim_run,
		    marker, cur);
	if (up->n_bwd > 0 || marker->kind == MK_BWD)
		leave_op_id(th, open, marker, cur);
}

/* True if the program never ended the range; recorders then end it with the
 * recording. A push/pop range of the program itself may really last to the end,
 * and a start/end range without an end is no sign of a leak. */
static bool
is_leaked(
    const struct corr *corr, const struct corr_range *range, enum marker_kind k)
{
	bool to_the_end =
	    !range->has_end || (corr->has_end && range->end >= corr->end);

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
judge_age(struct corr *corr, struct marker *marker, const char *domain)
{
	if (corr->spaced)
		return;
	if (marker->kind == MK_USER && (domain == NULL || domain[0] == '\0'))
		marker_bare(marker, !corr->old);
	if (marker->by != BY_PYTORCH ||
	    (marker->kind != MK_OP && marker->kind != MK_BWD))
		return;
	if (marker->op_id >= 0 ||
	    (marker->mod.n == 4 && memcmp(marker->mod.s, "aten", 4) == 0))
		corr->spaced = true;
	else if (marker->mod.s == NULL)
		corr->old = true;
}

static void
note_kind(struct corr *c, const struct marker *m, const struct corr_range *r)
{
	if (m->flags & MK_DAMAGED)
		c->n.damaged++;
	if (m->kind == MK_BROKEN)
		c->n.broken++;
	if (m->kind == MK_ARGS)
		r->p->has_args = true;
	if (m->op_id >= 0)
		r->p->has_op_id = true;
	if (c->hooks.marker != NULL)
		c->hooks.marker(c, r->p, m);
}

#define PART_MAX 16384 /* bytes of a part of the layer path, see dlp(7) */
#define PART_HEAD 1000 /* what a longer one keeps */

/* The text as a part of the layer path: without the hash of a compiled graph,
 * which differs in each run of a program that was changed. */
static struct mview
layer_text(const struct marker *m)
{
	if (mv_starts(m->name, "## Call CompiledFxGraph "))
		return (struct mview){ "CompiledFxGraph", 15 };
	return m->name;
}

/* Each record below the range has its part of the path: the whole text of a
 * range that is megabytes long would fill the disk. It is written once, as a
 * str record, whose id stands in its place. */
static void
put_part(struct corr *c, struct corr_open *o, struct mview part)
{
	size_t n = PART_HEAD;

	esc_put(&o->text, part.s, part.n);
	if (part.n <= PART_MAX)
		return;
	o->text_id = write_text(
	    &c->threads.texts, (struct escaped){ o->text.s, o->text.len });
	while (n > 0 && ((unsigned char)part.s[n] & 0xc0) == 0x80)
		n--;
	buf_clear(&o->text);
	esc_put(&o->text, part.s, n);
	buf_printf(&o->text, "~%" PRId64, o->text_id);
}

static void
begin_user(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	if (o->dead)
		return;
	note_name(c, th, o, m);
	o->own_phase = phase_of_text(m->name.s, m->name.n);
	if (o->own_phase != 0)
		thread_phased(th);
	if ((m->flags & (MK_STEP | MK_GROUP)) != 0)
		return;
	o->layered = true;
	put_part(c, o, layer_text(m));
}

static void
begin_config(const struct marker *marker)
{
	struct mview key, val;
	struct buf buf = { 0 };
	size_t at = 0;

	while (marker_config(marker, &at, &key, &val)) {
		buf_clear(&buf);
		buf_puts(&buf, "##info\tmodel_");
		/* DLProf's guide and database use this name */
		if (key.n == 7 && memcmp(key.s, "profile", 7) == 0)
			buf_puts(&buf, "autograd_");
		esc_put(&buf, key.s, key.n);
		buf_putc(&buf, '\t');
		esc_put(&buf, val.s, val.n);
		out_line(buf.s, buf.len);
	}
	buf_free(&buf);
}

static void
open_marker(struct corr *corr, struct corr_thread *th, struct corr_open *open,
    struct marker *marker)
{
	switch (marker->kind) {
	case MK_USER:
	case MK_LAYER:
		begin_user(corr, th, open, marker);
		break;
	case MK_TRACE:
		buf_put(&open->text, marker->text.s, marker->text.n);
		break;
	case MK_REPR:
		buf_put(&open->text, marker->name.s, marker->name.n);
		break;
	case MK_CONFIG:
		begin_config(marker);
		break;
	case MK_BROKEN:
		break;
	default:
		range_op(corr, th, open, marker);
	}
}

/* A range that encloses nothing, because it ends on another thread or before it
 * starts, or because its domain makes no ops. */
static bool
is_aside(struct corr *c, const struct corr_range *r)
{
	if (r->backwards)
		c->n.backwards++;
	else if (r->crossing)
		c->n.crossing++;
	return r->backwards || r->crossing || r->foreign;
}

struct range_end
range_begin(struct corr *corr, const struct corr_range *range)
{
	struct corr_thread *th = range->th;
	struct corr_open *open;
	struct marker marker;

	marker_parse(
	    corr->markers, &marker, range->text, range->n, range->domain);
	judge_age(corr, &marker, range->domain);
	if (!range->foreign)
		note_kind(corr, &marker, range);
	if (is_aside(corr, range))
		return (struct range_end){ marker.kind, 0, false };
	th->p->begun = true;
	open = thread_push(th, range->start, range->end);
	open->id = range->id;
	open->kind = marker.kind;
	open->subclass = mv_starts(marker.text, "PythonSubclass");
	open->dead = is_leaked(corr, range, marker.kind);
	if (open->dead && (marker.kind == MK_USER || marker.kind == MK_LAYER))
		corr->n.unended++;
	else
		corr->n.leaked += open->dead;
	open_link(&corr->threads, th, th->open.n - 1);
	open_marker(corr, th, open, &marker);
	open_link(&corr->threads, th, th->open.n - 1);
	return (struct range_end){ marker.kind, open->phase,
		open->own == NULL &&
		    (marker.kind == MK_OP || marker.kind == MK_BWD ||
			marker.kind == MK_BWD_FRAME) };
}

/* Makes the op of a backward frame that has work before its node: it is named
 * after the frame and has no forward. */
static void
resolve_by_name(struct corr *corr, struct corr_thread *th, struct corr_inst *in)
{
	struct marker marker = { .in = corr->markers,
		.kind = MK_BWD,
		.by = BY_PYTORCH,
		.seq = -1,
		.op_id = -1,
		.step = -1 };
	size_t i;

	for (i = th->open.n; i > 0 && thread_at(th, i - 1)->own != in;)
		i--;
	if (i > 0 && thread_at(th, i - 1)->text.s != NULL) {
		marker.name.s = thread_at(th, i - 1)->text.s;
		marker.name.n = thread_at(th, i - 1)->text.len;
	} else {
		marker.name.s = "";
	}
	marker.text = marker.op = marker.name;
	in->op = op_of_backward(&corr->ops, thread_layer(th), &marker, OP_NONE);
	in->need_node = true;
	corr->n.unpaired++;
	inst_schedule(&corr->insts, in);
}

struct corr_inst *
current_inst(struct corr *c, struct corr_thread *th)
{
	struct corr_open *top = thread_top(th);

	if (top == NULL || top->cur == NULL)
		return NULL;
	if (top->cur->pending)
		resolve_by_name(c, th, top->cur);
	return top->cur;
}
