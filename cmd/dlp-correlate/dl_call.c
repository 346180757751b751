/* What belongs to no op of a marker; see dl_call.h. */
#include "dl_call.h"

#include "corr.h"
#include "phase.h"

/* A run may have closed, and be used again for another. */
static bool
goes_on(const struct corr *c, const struct run_ref *r)
{
	return r->in != NULL && r->in->order == r->order &&
	       r->in->end > c->threads.now;
}

static struct inst *
backward_run(const struct corr *c, const struct work *w)
{
	const struct run_ref *r = &w->p->backward;

	if (w->th == NULL || w->th->any_op || w->p->has_nvtx || !goes_on(c, r))
		return NULL;
	return r->in;
}

/*
 * Without emit_nvtx nothing tells what the threads of autograd do. In a
 * process that has markers, but none of backward, they are those that launch
 * kernels without any.
 */
static bool
is_backward(const struct work *w)
{
	struct thread *th = w->th;

	if (!w->p->has_args || w->p->has_nvtx || th->any_op ||
	    w->p->backward.in != NULL)
		return false;
	th->launches |= w->type == W_KERN;
	return th->launches;
}

/* The run of the call that launched several activities. */
static struct inst *
call_run(const struct corr *c, const struct work *w)
{
	const struct run_ref *r = &w->th->call;

	if (w->type == W_CALL || w->own_call || w->th->call_corr != w->corr ||
	    !goes_on(c, r))
		return NULL;
	return r->in;
}

static struct inst *
run_of(struct corr *c, const struct work *w, uint32_t op)
{
	struct inst *in = inst_new(&c->insts);
	bool guess;

	in->op = op;
	in->pid = w->p->pid;
	in->src = w->p->src;
	in->has_tid = w->th != NULL;
	in->tid = w->th != NULL ? w->th->tid : 0;
	in->start = in->end = w->has_api ? w->api_start : w->start;
	in->replay = !w->own_call;
	if (w->own_call)
		in->end = w->api_end;
	in->phase = phase_now(&c->threads, w->p, w->th, &guess);
	inst_schedule(&c->insts, in);
	return in;
}

/* Without markers an op for each call would take memory by the call: after
 * so many, the calls of a name are one op. */
#define MAX_CALL_OPS 65536

static uint32_t
op_of(struct corr *c, const struct work *w, struct text layer)
{
	static const struct text none;

	if (is_backward(w))
		return op_of_all_backward(&c->ops);
	if (c->n.call_ops < MAX_CALL_OPS) {
		c->n.call_ops++;
		return op_of_call(&c->ops, layer, w->what);
	}
	c->n.calls_shared++;
	return op_unassociated(&c->ops, none, w->what);
}

struct inst *
dl_call_run(struct corr *c, const struct work *w, struct text layer)
{
	struct inst *in = backward_run(c, w);

	if (in != NULL)
		return in;
	if (w->th == NULL)
		return run_of(c, w, op_unassociated(&c->ops, layer, w->what));
	in = call_run(c, w);
	if (in != NULL)
		return in;
	in = run_of(c, w, op_of(c, w, layer));
	if (w->type == W_CALL) {
		w->th->call = (struct run_ref){ in, in->order };
		w->th->call_corr = w->corr;
	}
	return in;
}
