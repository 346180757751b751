/*
 * Finds the work of a kernel in its op, from the op's arguments, the rule of
 * the op, and the product inside it. Each answer is found once and stored, so
 * that repeated steps cost only a lookup.
 */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "esc.h"
#include "flops.h"
#include "num.h"
#include "spill.h"

void
answer_forget(struct flops *fl)
{
	struct flops_answers *x = &fl->answers;

	store_free(&x->mem);
	x->n = 0;
	map_clear(&x->by_key);
	map_clear(&x->by_grid);
	smap_clear(&x->contexts);
}

/* The rule for an op: its own, or that of its forward op; NULL if there is
 * none. op may be NULL. */
static const struct flops_rule *
rule_for(const struct flops *fl, const struct flops_op *op)
{
	const struct flops_op *fwd;
	uint32_t idx;

	if (op == NULL || op->sums_up)
		return NULL;
	if (op->rule == NULL && op->has_fwd) {
		fwd = state_op(fl, op->fwd_id, &idx);
		return fwd == NULL ? NULL : fwd->rule;
	}
	return op->rule;
}

/* Reads the op's arguments into args and grad; a backward without arguments of
 * its own has those of its forward op. False if they are bad. */
static bool
load_args(struct flops *fl, const struct flops_op *op)
{
	struct flops_answers *x = &fl->answers;
	const struct flops_op *src = op;
	uint32_t idx;
	bool ok = true;

	args_clear(&x->args);
	args_clear(&x->grad);
	if (op == NULL)
		return true;
	if (op->args == NULL && op->shapes == NULL && op->has_fwd)
		src = state_op(fl, op->fwd_id, &idx);
	if (src != NULL && src->args != NULL)
		ok = args_marker(&x->args, src->args, src->args_len);
	else if (src != NULL && src->shapes != NULL)
		ok = args_sizes(&x->args, src->shapes, src->shapes_len);
	if (op->grad != NULL)
		ok &= args_sizes(&x->grad, op->grad, op->grad_len);
	return ok;
}

/* The type of the arithmetic: the type that the builder of a product wrote into
 * its name; otherwise that of the first floating-point argument; otherwise the
 * first type in the kernel's template. */
static enum dtype
arithmetic_dtype(const struct kern_work *w)
{
	const struct op_args *a = w->fa != NULL ? w->fa : w->a;
	size_t i;

	if (w->k->dt_sure)
		return w->k->dt;
	for (i = 0; i < a->n; i++)
		if (a->v[i].type == ARG_TENSOR &&
		    (a->v[i].dt < DT_INT64 || a->v[i].dt > DT_BOOL) &&
		    a->v[i].dt != DT_NONE)
			return a->v[i].dt;
	if (w->k->dt != DT_NONE && w->k->dt != DT_16BIT)
		return w->k->dt;
	return work_dtype(w);
}

/* The place of the op's left operand among its tensors; -1: the op is not a
 * product. */
static int
first_operand(const struct flops_rule *rule)
{
	if (rule == NULL)
		return -1;
	if (rule->count == einsum_count)
		return 0;
	return rule->count != gemm_count ? -1 : rule->arg == 1;
}

/* Adds the product that the kernel is part of to the question; false if nothing
 * is known about it. */
static bool
ask_product(struct flops *fl, const struct subject *s,
    const struct flops_rule *rule, struct kern_work *w)
{
	struct flops_answers *x = &fl->answers;
	struct flops_prim *p = s->prim;

	if (p == NULL || p->rule == NULL ||
	    (p->rule->count == NULL && p->rule->rows == NULL))
		return false;
	if (!args_sizes(&x->own, p->shapes, p->shapes_len)) {
		fl->counts.bad_args += !p->bad;
		p->bad = true;
		return false;
	}
	args_clear(&x->own_grad);
	if (s->shape != NULL)
		args_sizes(&x->own_grad, s->shape, strlen(s->shape));
	w->fa = &x->args;
	w->a = &x->own;
	w->grad = &x->own_grad;
	w->prim = true;
	w->causal = p->causal;
	w->first = first_operand(rule);
	/* A convolution or attention inside a backward is a backward only if
	 * its name says so, because a checkpoint runs the forward again. */
	if (p->rule->count != gemm_count)
		w->bprop = memmem(p->name, p->name_len, "backward", 8) != NULL;
	return true;
}

/* The user's rule for the kernel; NULL if there is none. */
static const struct rule_row *
user_row(const struct flops_rule *rule, const struct kern_work *w)
{
	return rule == NULL ? NULL : rows_match(rule->user, w);
}

static void
answer(struct flops *fl, const struct kern_work *w,
    const struct flops_rule *rule, struct answer *a)
{
	const struct rule_row *row = user_row(rule, w);

	a->flop = a->bytes = a->bus = -1;
	(void)size_overflow_taken();
	if (rule != NULL) {
		a->family = rule->family;
		a->eligible = rule->family == FAM_RNN;
	}
	if (row != NULL)
		row_apply(row, w, a);
	else if (rule != NULL && rule->count != NULL)
		rule->count(w, a, rule->arg);
	else
		rows_count(rule == NULL ? NULL : rule->rows, w, a);
	if (w->k->copies && a->flop < 0) {
		a->flop = 0;
		a->family = FAM_COPY;
	}
	a->dt = arithmetic_dtype(w);
	fl->counts.overflow += size_overflow_taken();
}

/* The block of a gather kernel follows its grid, "X,Y,Z;X,Y,Z"; NULL if it is
 * missing. */
static const char *
block_of(const char *grid)
{
	const char *p = grid == NULL ? NULL : strchr(grid, ';');

	return p == NULL ? NULL : p + 1;
}

/* The GPUs of a collective; -1: unknown. */
static int64_t
group_size(const struct flops *fl, const struct flops_op *op)
{
	if (fl->ranks >= 0)
		return fl->ranks;
	if (op != NULL && op->group > 0)
		return op->group;
	if (fl->group != 0)
		return fl->group;
	return fl->n_rank > 1 ? fl->n_rank : -1;
}

static struct kern_work
question(const struct flops *fl, const struct flops_op *op,
    const struct kname *k, int64_t sub, const char *grid)
{
	struct kern_work w = { .a = &fl->answers.args,
		.grad = &fl->answers.grad,
		.k = k,
		.sub = sub,
		.brief = k->last,
		.grid = grid,
		.block = block_of(grid),
		.ranks = group_size(fl, op) };

	if (op == NULL)
		return w;
	w.mod = op->mod;
	w.mod_len = op->mod_len;
	w.op = op->name;
	w.op_len = op->name_len;
	w.bprop = op->bprop;
	w.repr = op->repr;
	w.moved = op->dt;
	return w;
}

static void
fill_params(struct flops *fl, struct flops_result *res,
    const struct flops_rule *rule, const struct kern_work *w)
{
	struct flops_answers *x = &fl->answers;

	buf_clear(&x->params);
	if (!rule_params(rule, w, &x->params))
		return;
	buf_clear(&x->esc);
	esc_put(&x->esc, x->params.s, x->params.len);
	res->params = state_keep(fl, x->esc.s, x->esc.len);
	res->params_len = x->esc.len;
}

/* A hook of an op can launch kernels of communication, which do not do the op's
 * work. */
static const struct flops_rule *
rule_of_kernel(
    const struct flops *fl, const struct flops_op *op, const struct kname *k)
{
	const struct flops_rule *rule = rule_for(fl, op);

	if (rule != NULL && rule->family != FAM_COLLECTIVE &&
	    k->family == FAM_COLLECTIVE)
		return NULL;
	return rule;
}

/* PyProf's params of communication are those of the op that launched it. */
static void
fill_cause(struct flops *fl, struct flops_result *res, const struct subject *s,
    const struct kname *k, int64_t sub, const char *grid)
{
	const struct flops_op *op;
	struct kern_work w;
	uint32_t idx;

	if (s->op->for_id < 0 ||
	    (op = state_op(fl, s->op->for_id, &idx)) == NULL)
		return;
	load_args(fl, op);
	w = question(fl, op, k, sub, grid);
	fill_params(fl, res, rule_of_kernel(fl, op, k), &w);
}

/* Finds the answer; res must be zeroed. grid may be NULL. */
static void
answer_fill(struct flops *fl, struct flops_result *res, const struct subject *s,
    const struct kname *k, int64_t sub, const char *grid)
{
	struct flops_answers *x = &fl->answers;
	struct flops_op *op = s->op;
	const struct flops_rule *rule = rule_of_kernel(fl, op, k);
	struct kern_work w, inner;

	if (!load_args(fl, op) && op != NULL && !op->bad) {
		op->bad = true;
		fl->counts.bad_args++;
	}
	w = inner = question(fl, op, k, sub, grid);
	res->has_op = op != NULL;
	res->sized = x->args.n > 0 || x->grad.n > 0;
	if (s->shape != NULL && x->grad.n == 0) /* for PyProf's params */
		args_sizes(&x->grad, s->shape, strlen(s->shape));
	if (user_row(rule, &w) == NULL && ask_product(fl, s, rule, &inner)) {
		answer(fl, &inner, s->prim->rule, &res->a);
		res->sized = true;
	} else {
		answer(fl, &w, rule, &res->a);
	}
	if (op != NULL && op->comm) { /* adding up is part of moving */
		res->a.family = FAM_COLLECTIVE;
		res->a.flop = 0;
	}
	res->shape = tc_shape(&w, res->a.family, res->a.dt);
	if (op != NULL && op->comm)
		fill_cause(fl, res, s, k, sub, grid);
	else if (op != NULL)
		fill_params(fl, res, rule, &w);
	compiled_fill(fl, res, s, k);
}

/* PyProf's params depend on sub in two ways: sub can be 0, 1 or more, and for
 * cells its remainder by 3 counts. */
static unsigned
sub_class(int64_t sub)
{
	if (sub < 0)
		sub = 0;
	return (unsigned)(sub > 2 ? 2 : sub) << 2 | (unsigned)(sub % 3);
}

static struct flops_result *
result_new(struct flops_answers *x)
{
	size_t was = x->cap;
	struct flops_result *res = store_alloc(&x->mem, sizeof(*res));

	if (x->n == was) {
		x->cap = was == 0 ? 256 : was * 2;
		x->v = spill_realloc(
		    x->v, was, x->cap, sizeof(struct flops_result *));
	}
	memset(res, 0, sizeof(*res));
	return x->v[x->n++] = res;
}

/* The number of blocks of an element-wise kernel shows which of the op's sizes
 * it works on, so there is an answer for each number of blocks. */
static const struct flops_result *
by_blocks(struct flops *fl, uint64_t base, const struct subject *s,
    const struct kname *k, int64_t sub, const char *grid)
{
	struct flops_answers *x = &fl->answers;
	int64_t blocks;
	uint64_t *slot;
	const char *by = k->gather > 0 ? block_of(grid) : grid;

	if (!num_i64(by, strcspn(by, ","), &blocks))
		blocks = -1;
	if (x->v[base - 1]->blocks == 0)
		x->v[base - 1]->blocks = blocks;
	if (x->v[base - 1]->blocks == blocks)
		return x->v[base - 1];
	slot = map_put(
	    &x->by_grid, base << 32 | ((uint64_t)blocks & UINT32_MAX), NULL);
	if (*slot == 0) {
		answer_fill(fl, result_new(x), s, k, sub, grid);
		*slot = x->n;
	}
	return x->v[*slot - 1];
}

/* A number for the op or product that the kernel belongs to: even for ops
 * alone, odd for products inside ops. */
static uint64_t
context(struct flops_answers *x, const struct subject *s)
{
	struct {
		uint64_t op, prim;
		const char *shape;
	} key = { s->op == NULL ? 0 : (uint64_t)s->op_idx + 1, s->prim_idx,
		s->shape };

	if (s->prim == NULL)
		return key.op << 1;
	return (uint64_t)smap_put(&x->contexts, (char *)&key, sizeof(key), NULL)
		   << 1 |
	       1;
}

/* True if the answer depends on the grid: an element-wise kernel, or a gather
 * kernel whose block is known. */
static bool
has_blocks(const struct kname *k, const char *grid, size_t ngrid)
{
	if (grid == NULL)
		return false;
	return k->elem.is ||
	       (k->gather > 0 && memchr(grid, ';', ngrid) != NULL);
}

const struct flops_result *
answer_of(struct flops *fl, const struct subject *s, const struct kname *k,
    uint32_t name_idx, int64_t sub, const char *grid, size_t ngrid)
{
	struct flops_answers *x = &fl->answers;
	const struct flops_op *op = s->op;
	uint64_t key, *slot;
	bool cell = op != NULL && rule_params_by_grid(rule_for(fl, op));
	bool elem = op != NULL && has_blocks(k, grid, ngrid);
	const char *gs = NULL;

	if ((cell || elem) && grid != NULL) {
		buf_clear(&x->grid);
		buf_put(&x->grid, grid, ngrid);
		gs = buf_str(&x->grid);
	}
	if ((cell && op->bprop) || name_idx >= 1 << 24) {
		memset(&x->once, 0, sizeof(x->once));
		answer_fill(fl, &x->once, s, k, sub, gs);
		return &x->once;
	}
	key =
	    context(x, s) << 29 | (uint64_t)name_idx << 5 | sub_class(sub) << 1;
	key |= op != NULL && op->grad != NULL; /* the answer depends on it */
	slot = map_put(&x->by_key, key, NULL);
	if (*slot == 0) {
		answer_fill(fl, result_new(x), s, k, sub, gs);
		*slot = x->n;
	}
	return elem ? by_blocks(fl, *slot, s, k, sub, gs) : x->v[*slot - 1];
}
