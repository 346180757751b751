/*
 * Finds the work of a kernel in its op, from the op's arguments, the rule of
 * the op, and the product inside it. Each answer is found once and stored, so
 * that repeated steps cost only a lookup.
 */
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

	if (op == NULL || op->sums_up)
		return NULL;
	if (op->rule == NULL && op->has_fwd) {
		fwd = ops_find(&fl->facts.ops, op->fwd_id);
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
	bool ok = true;

	args_clear(&x->args);
	args_clear(&x->grad);
	if (op == NULL)
		return true;
	if (op->args.s == NULL && op->shapes.s == NULL && op->has_fwd)
		src = ops_find(&fl->facts.ops, op->fwd_id);
	if (src != NULL && src->args.s != NULL)
		ok = args_marker(&x->args, src->args.s, src->args.n);
	else if (src != NULL && src->shapes.s != NULL)
		ok = args_sizes(&x->args, src->shapes.s, src->shapes.n) &&
		     args_types(&x->args, src->types);
	if (op->grad.s != NULL)
		ok &= args_sizes(&x->grad, op->grad.s, op->grad.n);
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

/* Adds the product that the kernel is part of to the question; false if nothing
 * is known about it. */
static bool
ask_product(struct flops *fl, const struct flops_kern *k,
    const struct flops_rule *rule, struct kern_work *w)
{
	struct flops_answers *x = &fl->answers;
	struct flops_op *p = k->prim;

	if (p == NULL || p->rule == NULL ||
	    (p->rule->count == NULL && p->rule->rows == NULL))
		return false;
	if (!args_sizes(&x->own, p->shapes.s, p->shapes.n)) {
		fl->counts.bad_args += !p->bad;
		p->bad = true;
		return false;
	}
	args_clear(&x->own_grad);
	if (k->shape != NULL)
		args_sizes(&x->own_grad, k->shape, strlen(k->shape));
	w->fa = &x->args;
	w->a = &x->own;
	w->grad = &x->own_grad;
	w->prim = true;
	w->causal = p->causal;
	w->first = -1;
	if (rule != NULL && rule->count == einsum_count)
		w->first = 0;
	else if (rule != NULL && rule->count == gemm_count)
		w->first = rule->arg == 1;
	/* A convolution or attention inside a backward is a backward only if
	 * its name says so, because a checkpoint runs the forward again. */
	if (p->rule->count != gemm_count)
		w->bprop = mv_has(p->name, "backward");
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

/* The question for an op, which may be the kernel's or another; grid may be
 * NULL. */
static struct kern_work
question(const struct flops *fl, const struct flops_op *op,
    const struct flops_kern *k, const char *grid)
{
	struct kern_work w = { .a = &fl->answers.args,
		.grad = &fl->answers.grad,
		.k = k->name,
		.sub = k->sub,
		.grid = grid,
		.block = block_of(grid),
		.ranks = fl->ranks };

	if (w.ranks < 0 && op != NULL && op->group > 0)
		w.ranks = op->group;
	else if (w.ranks < 0)
		w.ranks = fl->group != 0   ? fl->group
			  : fl->n_rank > 1 ? fl->n_rank
					   : -1;
	if (op == NULL)
		return w;
	w.mod = op->mod;
	w.op = op->name;
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
	res->params = facts_keep(fl, x->esc.s, x->esc.len);
}

/* A hook of an op can launch kernels of communication, which do not do the op's
 * work. */
static const struct flops_rule *
rule_of_kernel(const struct flops *fl, const struct flops_op *op,
    const struct flops_kern *k)
{
	const struct flops_rule *rule = rule_for(fl, op);

	if (rule != NULL && rule->family != FAM_COLLECTIVE &&
	    k->name->family == FAM_COLLECTIVE)
		return NULL;
	return rule;
}

/* Finds the answer; res must be zeroed. grid may be NULL. */
static void
answer_fill(struct flops *fl, struct flops_result *res,
    const struct flops_kern *k, const char *grid)
{
	struct flops_answers *x = &fl->answers;
	struct flops_op *op = k->op;
	const struct flops_op *cause;
	const struct flops_rule *rule = rule_of_kernel(fl, op, k);
	struct kern_work w, inner;

	if (!load_args(fl, op) && op != NULL && !op->bad) {
		op->bad = true;
		fl->counts.bad_args++;
	}
	w = inner = question(fl, op, k, grid);
	res->has_op = op != NULL;
	res->sized = x->args.n > 0 || x->grad.n > 0;
	if (k->shape != NULL && x->grad.n == 0) /* for PyProf's params */
		args_sizes(&x->grad, k->shape, strlen(k->shape));
	if (user_row(rule, &w) == NULL && ask_product(fl, k, rule, &inner)) {
		answer(fl, &inner, k->prim->rule, &res->a);
		res->sized = true;
	} else {
		answer(fl, &w, rule, &res->a);
	}
	if (op != NULL && op->comm) { /* adding up is part of moving */
		res->a.family = FAM_COLLECTIVE;
		res->a.flop = 0;
	}
	res->shape = tc_shape(&w, &res->a);
	if (op != NULL && !op->comm) {
		fill_params(fl, res, rule, &w);
	} else if (op != NULL && op->for_id >= 0 &&
		   (cause = ops_find(&fl->facts.ops, op->for_id)) != NULL) {
		/* PyProf's params of communication are those of the op that
		 * launched it */
		load_args(fl, cause);
		w = question(fl, cause, k, grid);
		fill_params(fl, res, rule_of_kernel(fl, cause, k), &w);
	}
	compiled_fill(fl, res, k);
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
by_blocks(struct flops *fl, uint64_t base, const struct flops_kern *k,
    const char *grid)
{
	struct flops_answers *x = &fl->answers;
	int64_t blocks;
	uint64_t *slot;
	const char *by = k->name->gather > 0 ? block_of(grid) : grid;

	if (!num_i64(by, strcspn(by, ","), &blocks))
		blocks = -1;
	if (x->v[base - 1]->blocks == 0)
		x->v[base - 1]->blocks = blocks;
	if (x->v[base - 1]->blocks == blocks)
		return x->v[base - 1];
	slot = map_put(
	    &x->by_grid, base << 32 | ((uint64_t)blocks & UINT32_MAX), NULL);
	if (*slot == 0) {
		answer_fill(fl, result_new(x), k, grid);
		*slot = x->n;
	}
	return x->v[*slot - 1];
}

/* A number for the op or product that the kernel belongs to (even for ops
 * alone, odd for products inside ops), its name, and what of its number in the
 * sequence id PyProf's params depend on: it can be 0, 1 or more, and for cells
 * its remainder by 3 counts. */
static uint64_t
key_of(struct flops *fl, const struct flops_kern *k)
{
	struct {
		uint64_t op, prim;
		const char *shape;
	} what = { .shape = k->shape };
	uint64_t context, sub;

	if (k->op != NULL)
		what.op = (uint64_t)(k->op - fl->facts.ops.v) + 1;
	context = what.op << 1;
	if (k->prim != NULL) {
		what.prim = (uint64_t)(k->prim - fl->facts.prims.v);
		context = smap_put(
		    &fl->answers.contexts, (char *)&what, sizeof(what), NULL);
		context = context << 1 | 1;
	}
	sub = k->sub < 0 ? 0 : (uint64_t)k->sub;
	sub = (sub > 2 ? 2 : sub) << 2 | sub % 3;
	return context << 29 | (uint64_t)k->name_idx << 5 | sub << 1;
}

const struct flops_result *
answer_of(struct flops *fl, const struct flops_kern *k)
{
	struct flops_answers *x = &fl->answers;
	const struct flops_op *op = k->op;
	const struct kname *name = k->name;
	uint64_t key, *slot;
	const struct flops_rule *rule = rule_for(fl, op);
	/* PyProf's params of a cell depend on the grid */
	bool cell = rule != NULL && rule->params == cell_params;
	/* an element-wise kernel, or a gather kernel whose block is known */
	bool elem = op != NULL && k->grid.s != NULL &&
		    (name->elem.is || (name->gather > 0 &&
					  memchr(k->grid.s, ';', k->grid.n)));
	const char *grid = NULL;

	if ((cell || elem) && k->grid.s != NULL) {
		buf_clear(&x->grid);
		buf_put(&x->grid, k->grid.s, k->grid.n);
		grid = buf_str(&x->grid);
	}
	if ((cell && op->bprop) || k->name_idx >= 1 << 24) {
		memset(&x->once, 0, sizeof(x->once));
		answer_fill(fl, &x->once, k, grid);
		return &x->once;
	}
	key = key_of(fl, k);
	key |= op != NULL && op->grad.s != NULL; /* the answer depends on it */
	slot = map_put(&x->by_key, key, NULL);
	if (*slot == 0) {
		answer_fill(fl, result_new(x), k, grid);
		*slot = x->n;
	}
	return elem ? by_blocks(fl, *slot, k, grid) : x->v[*slot - 1];
}
