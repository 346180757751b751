/* A range begins: what it is, a layer or an op, and what it counts for. */
#include <string.h>

#include "range.h"

#include "corr.h"
#include "esc.h"
#include "out.h"
#include "phase_text.h"
#include "range_op.h"

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
		c->n.damaged++;
	if (m->kind == MK_BROKEN)
		c->n.broken++;
	if (m->kind == MK_ARGS)
		r->p->has_args = true;
	if (m->op_id >= 0)
		r->p->has_op_id = true;
	if (m->kind == MK_TRACE && m->by == BY_DLPROF)
		r->p->has_func = true;
	if (m->by == BY_PYTORCH &&
	    (m->kind == MK_OP || m->kind == MK_BWD || m->kind == MK_BWD_FRAME))
		r->p->has_nvtx = true;
	dl_mode_marker(&c->mode, m);
}

static void
begin_user(
    struct corr *c, struct thread *th, struct open *o, const struct marker *m)
{
	if (o->dead)
		return;
	o->name = SMAP_NONE;
	if (!th->p->has_op_id)
		o->name = names_put(&c->names, m->text.s, m->text.n);
	o->own_phase = phase_of_text(m->name.s, m->name.n);
	if (o->own_phase != 0)
		thread_phased(th);
	if ((m->flags & (MK_STEP | MK_GROUP)) != 0)
		return;
	o->layered = true;
	esc_put(&o->text, m->name.s, m->name.n);
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
		/* as the guide and the database call it */
		if (key.n == 7 && memcmp(key.s, "profile", 7) == 0)
			buf_puts(&b, "autograd_");
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
		c->n.backwards++;
	else
		c->n.crossing++;
	o.kind = m->kind;
	return &o;
}

/* It is of a domain that makes no ops. */
static struct open *
foreign(const struct marker *m)
{
	static struct open o;

	o.kind = m->kind;
	return &o;
}

struct open *
range_begin(struct corr *c, const struct range *r)
{
	struct thread *th = r->th;
	struct marker m;
	struct open *o;

	marker_parse(c->markers, &m, r->text, r->n, r->domain);
	judge_age(c, &m, r->domain);
	if (!r->foreign)
		note_kind(c, &m, r);
	if (r->crossing || r->backwards)
		return aside(c, r, &m);
	if (r->foreign)
		return foreign(&m);
	o = thread_push(th);
	o->id = r->id;
	o->start = r->start;
	o->end = r->end;
	o->kind = m.kind;
	o->dead = is_leaked(c, r, m.kind);
	if (o->dead && (m.kind == MK_USER || m.kind == MK_LAYER))
		c->n.unended++;
	else
		c->n.leaked += o->dead;
	open_link(th, th->n - 1);
	if (m.kind == MK_USER || m.kind == MK_LAYER)
		begin_user(c, th, o, &m);
	else if (m.kind == MK_TRACE)
		buf_put(&o->text, m.text.s, m.text.n);
	else if (m.kind == MK_REPR)
		buf_put(&o->text, m.name.s, m.name.n);
	else if (m.kind == MK_CONFIG)
		begin_config(&m);
	else if (m.kind != MK_BROKEN)
		range_op(c, th, o, &m);
	open_link(th, th->n - 1);
	return o;
}
