/*
 * Runs of ops. A run is made when its range opens, sums up the GPU work and API
 * calls launched inside, and is written when time has passed the range's end.
 */
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

void
closing_add(struct closing *q, int kind, int64_t end, uint64_t order, void *p)
{
	struct timed x = {
		.at = end, .then = -(int64_t)order, .kind = kind, .p = p
	};

	timeheap_push(&q->heap, x);
}

struct corr_inst *
inst_new(struct insts *insts, const struct corr_proc *p,
    const struct corr_thread *th)
{
	struct corr_inst *in = insts->free;
	struct ivl_by gpu = { 0 };

	if (in != NULL) {
		insts->free = in->next_free;
		gpu = in->gpu;
	} else {
		in = xmalloc(sizeof(*in));
	}
	memset(in, 0, sizeof(*in));
	in->gpu = gpu;
	ivl_by_clear(&in->gpu);
	in->seq = -1;
	in->gpu_lo = INT64_MAX;
	in->gpu_hi = in->api_end = INT64_MIN;
	in->pid = p->pid;
	in->src = p->src;
	in->has_tid = th != NULL;
	in->tid = th != NULL ? th->tid : 0;
	in->order = ++insts->closing->order;
	return in;
}

void
inst_schedule(struct insts *s, struct corr_inst *in)
{
	in->pending = false;
	in->id = ++s->n;
	closing_add(s->closing, CLOSE_INST, in->end, in->order, in);
}

void
inst_drop(struct insts *s, struct corr_inst *in)
{
	in->next_free = s->free;
	s->free = in;
}

/* Calls come in the order of their starts, so their union needs only the end of
 * the part covered so far. */
void
inst_add_call(struct corr_inst *in, const struct corr_work *work)
{
	int64_t lo = work->api_start, hi = work->api_end;

	if (!work->own_call || in->replay)
		return;
	in->n_call++;
	if (lo < in->api_end)
		lo = in->api_end;
	if (hi <= lo)
		return;
	in->api_ns = num_add(in->api_ns, num_sub(hi, lo));
	in->api_end = hi;
}

void
inst_add(struct corr_inst *in, const struct corr_work *work)
{
	inst_add_call(in, work);
	if (work->type == W_SYNC || work->type == W_CALL)
		return;
	in->n_gpu++;
	in->n_kern += work->type == W_KERN;
	if (!work->has_gpu)
		return;
	if (work->start < in->gpu_lo)
		in->gpu_lo = work->start;
	if (work->end > in->gpu_hi)
		in->gpu_hi = work->end;
	ivl_by_add(&in->gpu, work->dev, work->start, work->end);
}

void
insts_free(struct insts *s)
{
	struct corr_inst *in;

	while ((in = s->free) != NULL) {
		s->free = in->next_free;
		ivl_by_free(&in->gpu);
		free(in);
	}
}
