/* Kernels that wait; see wait.h. */
#include <string.h>

#include "columns.h"
#include "hold.h"
#include "map.h"
#include "out.h"
#include "share.h"
#include "wait.h"

static size_t nwait; /* ops, products and runs that something is due of */
static struct map waiting_runs; /* of products, prim_run */

/* A kernel that waited. */
static void
put_waiting(const struct hold_kern *h)
{
	const struct kname *k = h->name;
	const struct result *res;
	struct subject s = { 0 };
	struct result one;

	s.op = state_op(h->op_id, &s.op_idx);
	if (h->prim_run != 0) {
		s.prim = state_prim(h->prim_id, &s.prim_idx);
		s.shape = state_result_of(h->prim_run);
	}
	res = result_of(&s, k, h->name_idx, h->sub,
	    h->grid[0] == '\0' ? NULL : h->grid, strlen(h->grid));
	count_notes(res, k, h->dev, h->dur_ns, h->given);
	if (res->a.shared) {
		one = *res;
		if (share_take(h->inst, res->a.flop, h->dur_ns, &one.a.flop)) {
			put_columns(&one, k, ROLE_MAIN, h->dev, h->given);
			return;
		}
	}
	put_columns(res, k, role_now(&res->a, true, h->inst, h->prim_run),
	    h->dev, h->given);
}

static void
give_up(struct op *op)
{
	if (op->waits)
		op->given_up = true;
	op->waits = false;
}

void
wait_drain(struct stage *st)
{
	if (!hold_on)
		return;
	st->hold = NULL;
	hold_drain(put_waiting);
	if (nwait > 0)
		state_ops(give_up);
	map_clear(&waiting_runs);
	share_give_up();
	nwait = 0;
}

static void
on_held_line(struct stage *st, struct rec *r)
{
	hold_put(r->line, r->len);
	hold_end_line(r->kind == REC_DATA);
	if (hold_full())
		wait_drain(st);
}

void
wait_line(struct stage *st, const struct buf *line, bool is_record)
{
	if (hold_on) {
		hold_put(line->s, line->len);
		hold_end_line(is_record);
		if (hold_full())
			wait_drain(st);
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

void
wait_op(struct stage *st, const struct op *op, const char *text)
{
	struct op *fwd;
	uint32_t idx;

	if (!op->has_fwd || op->grad == NULL)
		return;
	fwd = state_op(op->fwd_id, &idx);
	if (fwd == NULL || fwd->grad != NULL || fwd->rule == NULL ||
	    fwd->rule->bwd == NULL ||
	    (text != NULL && strstr(text, fwd->rule->bwd) == NULL))
		return;
	fwd->grad = op->grad;
	fwd->grad_len = op->grad_len;
	if (fwd->waits && --nwait == 0)
		wait_drain(st);
	fwd->waits = false;
}

void
wait_result(struct stage *st, int64_t prim_run, const char *shape)
{
	state_result(prim_run, shape);
	if (map_del(&waiting_runs, (uint64_t)prim_run) && --nwait == 0)
		wait_drain(st);
}

/* Whether the kernel must wait for the size of its result: it is part of a
 * forward convolution or einsum without PyProf's arguments. Which one is
 * told as a product inside the op, or else by a backward that can follow. */
static bool
must_wait(const struct kern *k)
{
	const struct op *op = k->s.op;

	if (!k->has_inst || op == NULL)
		return false;
	if (k->s.prim != NULL)
		return k->s.prim->rule != NULL &&
		       k->s.prim->rule->bwd != NULL && k->s.shape == NULL;
	return op->rule != NULL && op->rule->bwd != NULL && k->has_seq &&
	       !op->bprop && op->args == NULL && op->shapes != NULL &&
	       op->grad == NULL && !op->given_up;
}

static void
hold_this(struct stage *st, const struct rest *x, const struct rec *r,
    const struct kern *k)
{
	static struct buf line;
	struct hold_kern h = { 0, k->op_id, k->inst, k->sub, k->dev, k->dur_ns,
		"", k->prim_id, k->prim_run, k->name_idx, k->given, k->k };

	if (k->grid != NULL && k->ngrid < sizeof(h.grid))
		memcpy(h.grid, k->grid, k->ngrid);

	hold_on = true;
	st->hold = on_held_line;
	buf_clear(&line);
	rest_put(x, &line, r);
	hold_put(line.s, line.len);
	hold_kern(&h);
	hold_end_line(true);
	if (hold_full())
		wait_drain(st);
}

bool
wait_size(
    struct stage *st, const struct rest *x, struct rec *r, const struct kern *k)
{
	bool is_new;

	if (!must_wait(k))
		return false;
	if (k->s.prim != NULL) {
		map_put(&waiting_runs, (uint64_t)k->prim_run, &is_new);
		nwait += is_new;
	} else {
		nwait += !k->s.op->waits;
		k->s.op->waits = true;
	}
	hold_this(st, x, r, k);
	return true;
}

bool
wait_share(struct stage *st, const struct rest *x, struct rec *r,
    const struct kern *k, const struct result *res)
{
	bool is_first;

	if (!k->has_inst || !res->a.shared ||
	    !share_add(k->inst, k->dur_ns, &is_first))
		return false;
	nwait += is_first;
	hold_this(st, x, r, k);
	return true;
}

void
wait_closed(struct stage *st, int64_t inst)
{
	if (share_close(inst) && --nwait == 0)
		wait_drain(st);
}
