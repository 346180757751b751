/*
 * Runs of ops: made when the range opens, given the GPU work and API calls
 * launched inside, written when time has passed the range's end.
 */
#include <stdlib.h>

#include "corr.h"
#include "err.h"
#include "num.h"

struct inst *
inst_alloc(struct corr *c)
{
	struct inst *in = c->free_inst;
	struct ivl gpu = { 0 };

	if (in != NULL) {
		c->free_inst = in->next_free;
		gpu = in->gpu;
	} else {
		in = xmalloc(sizeof(*in));
	}
	memset(in, 0, sizeof(*in));
	in->gpu = gpu;
	ivl_clear(&in->gpu);
	in->seq = -1;
	in->gpu_lo = INT64_MAX;
	in->gpu_hi = in->api_end = INT64_MIN;
	in->order = ++c->order;
	return in;
}

/* op OP_NONE: pending, a backward frame whose node is not known yet. */
struct inst *
inst_open(
    struct corr *c, struct thread *th, uint32_t op, int64_t start, int64_t end)
{
	struct inst *in = inst_alloc(c);
	bool guess;

	in->th = th;
	in->p = th->p;
	in->start = start;
	in->end = end;
	in->op = op;
	in->phase = phase_now(c, th->p, th, &guess);
	if (op == OP_NONE)
		in->pending = true;
	else
		inst_schedule(c, in);
	return in;
}

/* The op is known: the run gets its number and its place among those that
 * will close. */
void
inst_schedule(struct corr *c, struct inst *in)
{
	in->pending = false;
	in->id = ++c->n_inst;
	heap_push(c, in->end, in->order, false, in);
}

void
inst_drop(struct corr *c, struct inst *in)
{
	in->next_free = c->free_inst;
	c->free_inst = in;
}

void
inst_write(struct corr *c, struct inst *in)
{
	write_inst(c, in);
	inst_drop(c, in);
}

/* Calls come in the order of their starts, so that their union needs only
 * the end of what is covered so far. */
static void
add_api(struct inst *in, int64_t lo, int64_t hi)
{
	in->n_call++;
	if (lo < in->api_end)
		lo = in->api_end;
	if (hi <= lo)
		return;
	in->api_ns = num_add(in->api_ns, num_sub(hi, lo));
	in->api_end = hi;
}

void
inst_add(struct inst *in, const struct work *w)
{
	if (w->own_call && !in->replay)
		add_api(in, w->api_start, w->api_end);
	if (w->type == W_SYNC || w->type == W_CALL)
		return;
	in->n_gpu++;
	in->n_kern += w->type == W_KERN;
	if (!w->has_gpu)
		return;
	if (w->start < in->gpu_lo)
		in->gpu_lo = w->start;
	if (w->end > in->gpu_hi)
		in->gpu_hi = w->end;
	ivl_add(&in->gpu, w->start, w->end);
}
