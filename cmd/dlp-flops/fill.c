/* How an answer is found; see fill.h. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "args_json.h"
#include "einsum.h"
#include "esc.h"
#include "fill.h"
#include "gemm.h"
#include "named.h"
#include "size.h"
#include "tcwhy.h"

static struct args args, grad;    /* scratch */
static struct args own, own_grad; /* of the product */

/* Reads the op's arguments, a backward's from its forward op if it has none
 * of its own, into args and grad; false if they are bad. */
static bool
load(struct op *op)
{
	const struct op *src = op;
	uint32_t idx;
	bool ok = true;

	args.n = args.ndims = grad.n = grad.ndims = 0;
	args.typed = grad.typed = false;
	if (op == NULL)
		return true;
	if (op->args == NULL && op->shapes == NULL && op->has_fwd)
		src = state_op(op->fwd_id, &idx);
	if (src != NULL && src->args != NULL)
		ok = args_marker(&args, src->args, src->args_len);
	else if (src != NULL && src->shapes != NULL)
		ok = args_sizes(&args, src->shapes, src->shapes_len);
	if (op->grad != NULL)
		ok &= args_sizes(&grad, op->grad, op->grad_len);
	return ok;
}

/* The type of the arithmetic: what the builder of a product wrote into its
 * name; else that of the first floating-point argument; else the first one
 * in the kernel's template. */
static enum dtype
result_dtype(const struct work *w)
{
	const struct args *a = w->fa != NULL ? w->fa : w->a;
	size_t i;

	if (w->k->dt_sure)
		return w->k->dt;
	for (i = 0; i < a->n; i++)
		if (a->v[i].type == ARG_TENSOR &&
		    (a->v[i].dt < DT_INT64 || a->v[i].dt > DT_BOOL) &&
		    a->v[i].dt != DT_NONE)
			return a->v[i].dt;
	if (w->k->dt != DT_NONE)
		return w->k->dt;
	return work_dtype(w);
}

const struct rule *
fill_rule(const struct op *op)
{
	struct op *fwd;
	uint32_t idx;

	if (op == NULL || op->sums_up)
		return NULL;
	if (op->rule == NULL && op->has_fwd) {
		fwd = state_op(op->fwd_id, &idx);
		return fwd == NULL ? NULL : fwd->rule;
	}
	return op->rule;
}

/* Where the op's left operand is among its tensors. */
static int
first_operand(const struct rule *rule)
{
	if (rule == NULL)
		return -1;
	if (rule->count == einsum_count)
		return 0;
	return rule->count != gemm_count ? -1 : rule->arg == 1;
}

/* The product that the kernel is part of becomes the question; false if
 * nothing is known about it. */
static bool
of_product(const struct subject *s, const struct rule *rule, struct work *w)
{
	struct prim *p = s->prim;

	if (p == NULL || p->rule == NULL || p->rule->count == NULL)
		return false;
	if (!args_sizes(&own, p->shapes, p->shapes_len)) {
		counts.bad_args += !p->bad;
		p->bad = true;
		return false;
	}
	own_grad.n = own_grad.ndims = 0;
	if (s->shape != NULL)
		args_sizes(&own_grad, s->shape, strlen(s->shape));
	w->fa = &args;
	w->a = &own;
	w->grad = &own_grad;
	w->prim = true;
	w->first = first_operand(rule);
	if (p->rule->count != gemm_count) /* a forward can run again */
		w->bprop = memmem(p->name, p->name_len, "backward", 8) != NULL;
	return true;
}

static void
answer(const struct work *w, const struct rule *rule, struct answer *a)
{
	const struct row *row = NULL;

	a->flop = a->bytes = a->bus = -1;
	size_overflow = false;
	if (rule != NULL) {
		a->family = rule->family;
		a->eligible = rule->family == FAM_RNN;
		row = rows_match(rule_user(rule), w);
	}
	if (row != NULL)
		row_apply(row, w, a);
	else if (rule != NULL && rule->count != NULL)
		rule->count(w, a, rule->arg);
	else
		rows_count(rule == NULL ? NULL : rule_rows(rule), w, a);
	a->dt = result_dtype(w);
	if (size_overflow)
		counts.overflow++;
}

/* Whether the user has a rule for the op: then it counts, not what is in it. */
static bool
users(const struct rule *rule, const struct work *w)
{
	return rule != NULL && rows_match(rule_user(rule), w) != NULL;
}

const char *
fill_block(const char *grid)
{
	const char *p = grid == NULL ? NULL : strchr(grid, ';');

	return p == NULL ? NULL : p + 1;
}

void
fill(struct result *res, const struct subject *s, const struct kname *k,
    int64_t sub, const char *grid)
{
	static struct buf b, esc;
	struct op *op = s->op;
	const struct rule *rule = fill_rule(op);
	struct work w = { .a = &args,
		.grad = &grad,
		.k = k,
		.sub = sub,
		.brief = k->last,
		.grid = grid,
		.block = fill_block(grid) },
		    p;

	if (!load(op) && !op->bad) {
		op->bad = true;
		counts.bad_args++;
	}
	if (op != NULL) {
		w.mod = op->mod;
		w.mod_len = op->mod_len;
		w.op = op->name;
		w.op_len = op->name_len;
		w.bprop = op->bprop;
		w.repr = op->repr;
	}
	res->has_op = op != NULL;
	res->sized = args.n > 0 || grad.n > 0;
	if (s->shape != NULL && grad.n == 0) /* for PyProf's params */
		args_sizes(&grad, s->shape, strlen(s->shape));
	p = w;
	if (rule != NULL && rule->family != FAM_COLLECTIVE &&
	    named_family(k) == FAM_COLLECTIVE)
		rule = NULL; /* a hook of the op, as DDP's */
	if (!users(rule, &w) && of_product(s, rule, &p)) {
		answer(&p, s->prim->rule, &res->a);
		res->sized = true;
	} else {
		answer(&w, rule, &res->a);
	}
	res->shape = tcshape(&w, res->a.family, res->a.dt);
	buf_clear(&b);
	if (op != NULL && rule_params(rule, &w, &b)) {
		buf_clear(&esc);
		esc_put(&esc, b.s, b.len);
		res->params = state_keep(esc.s, esc.len);
		res->params_len = esc.len;
	}
}
