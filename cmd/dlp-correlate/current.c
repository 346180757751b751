/*
 * The run that work launched now belongs to: that of the innermost range that
 * has one, which open_link() keeps.
 */
#include "current.h"

#include "corr.h"

/* A backward frame that has work before its node: named by what the frame
 * says, without its forward. */
static void
resolve_by_name(struct corr *c, struct thread *th, struct inst *in)
{
	struct marker m = { .kind = MK_BWD,
		.by = BY_PYTORCH,
		.seq = -1,
		.op_id = -1,
		.step = -1 };
	size_t i;

	for (i = th->n; i > 0 && th->v[i - 1].own != in;)
		i--;
	if (i > 0 && th->v[i - 1].text.s != NULL) {
		m.name.s = th->v[i - 1].text.s;
		m.name.n = th->v[i - 1].text.len;
	} else {
		m.name.s = "";
	}
	m.text = m.op = m.name;
	in->op = op_of_backward(&c->ops, thread_layer(th), &m, OP_NONE);
	in->need_node = true;
	c->n.unpaired++;
	inst_schedule(&c->insts, in);
}

struct inst *
current_inst(struct corr *c, struct thread *th)
{
	struct open *top = thread_top(th);

	if (top == NULL || top->cur == NULL)
		return NULL;
	if (top->cur->pending)
		resolve_by_name(c, th, top->cur);
	return top->cur;
}
