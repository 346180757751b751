/*
 * What a kernel is inside its op, column prim: the finest thing with a name.
 *
 *	aten::mm [[4096,1024],[1024,4096]]	a product, with its sizes
 *	triton_poi_fused_add_relu_3		a kernel of Inductor, whose name
 *						has the ops that it does
 *	aten::mse_loss				otherwise the op
 *	nvjet_sm90_tst_128x64_..		in a compiled region the kernel
 *
 * Estimates for Inductor's kernels, est_flop and est_bytes, from the sizes of
 * their range's arguments. They are columns of their own because neither is
 * exact: emit_nvtx writes no types, and the name says which ops were fused, not
 * how often.
 *
 *	est_bytes: each argument once, in its type if the op's arguments have
 *	    types, as from torch.profiler, otherwise 4 bytes an element
 *	est_flop: elements of the largest argument, times the operations of each
 *	    op in the name
 */
#include <stdlib.h>
#include <string.h>

#include "esc.h"
#include "flops.h"
#include "mview.h"
#include "shipped.h"

/* The ops in the name of a kernel of Inductor: between fused_ and the number at
 * the end; false if the name has none. */
static bool
fused_ops(struct mview name, struct mview *ops)
{
	const char *s = mv_find(name, "_fused_");
	const char *e = name.s + name.n, *p = e;

	if (s == NULL)
		return false;
	while (p > s && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p < e && p > s + 7 && p[-1] == '_')
		e = p - 1;
	*ops = mv(s + 7, e);
	return ops->n > 0;
}

static int
fused_flop(struct mview ops)
{
	const char *s = ops.s, *e = ops.s + ops.n;
	struct mview cost;
	int sum = 0;
	size_t n;

	while (s < e) {
		cost = vocab_longest("fused-flop", mv(s, e), true, &n);
		sum += cost.s != NULL ? atoi(cost.s) : 1;
		s += n;
		if (cost.s == NULL) /* a _ can begin the op's name */
			for (s++; s < e && *s != '_';)
				s++;
		s += s < e; /* the _ between ops */
	}
	return sum;
}

/* Elements of all tensors together and of the largest one; false if an argument
 * is bad or there is none. */
static bool
fused_sizes(const struct op_args *a, int64_t *sum, int64_t *most)
{
	int64_t n;
	size_t i;

	*sum = *most = 0;
	for (i = 0; i < a->n; i++) {
		if (a->v[i].type != ARG_TENSOR)
			continue;
		n = arg_numel(a, &a->v[i]);
		*sum = size_add(*sum, n);
		if (n > *most)
			*most = n;
		if (*sum < 0)
			return false;
	}
	return *sum > 0;
}

/* Bytes of all tensors of the op; -1 if a type is not known. */
static int64_t
typed_bytes(const struct op_args *a)
{
	const struct op_arg *t;
	int64_t sum = 0;
	int size;
	size_t i;

	for (i = 0; i < a->n; i++) {
		t = &a->v[i];
		if (t->type != ARG_TENSOR)
			continue;
		size =
		    t->dtype.s != NULL
			? dtypes[dt_find("torch", t->dtype.s, t->dtype.n)].size
			: 0;
		if (size <= 0)
			return -1;
		sum = size_add(sum, size_mul(arg_numel(a, t), size));
	}
	return sum > 0 ? sum : -1;
}

void
compiled_put_op(struct buf *b, const struct flops_op *op, const char *kind)
{
	if (op == NULL || op->name.s == NULL) {
		buf_puts(b, kind);
		return;
	}
	if (mv_eq(op->mod, "aten"))
		buf_puts(b, "aten::");
	esc_put(b, op->name.s, op->name.n);
}

static void
put_prim(struct buf *b, const struct flops_kern *k)
{
	const struct flops_op *p = k->prim, *op = k->op;
	const char *last = k->name->last, *e;
	struct mview s;
	size_t n;

	if (op != NULL && op->comm) {
		esc_put(b, op->name.s, op->name.n);
	} else if (p != NULL && p->name.s != NULL) {
		if (!mv_starts(p->name, "triton_"))
			buf_puts(b, "aten::");
		esc_put(b, p->name.s, p->name.n);
		if (!mv_starts(p->name, "triton_") && p->shapes.s != NULL) {
			/* without the empty sizes of arguments that are no
			 * tensors */
			buf_putc(b, ' ');
			e = p->shapes.s + p->shapes.n;
			for (s = p->shapes; s.n > 0; s = mv(s.s + n, e)) {
				n = mv_starts(s, ",[]") ? 3 : 1;
				buf_put(b, s.s, n == 3 ? 0 : 1);
			}
		}
	} else if (last != NULL &&
		   (op == NULL || op->name.s == NULL ||
		       /* the op of a region of torch.compile says nothing
			* about what a kernel does */
		       mv_starts(op->name, "CompiledFunction") ||
		       mv_starts(op->name, "CompiledFxGraph") ||
		       strncmp(last, "triton_", 7) == 0)) {
		buf_puts(b, last);
	} else {
		compiled_put_op(b, op, "");
	}
}

/* Bytes by the arguments' types and sizes; of an argument at most what the
 * kernel's loads and stores can touch. -1 if the range has no such sizes. */
static int64_t
argument_bytes(
    struct op_args *a, const struct flops_op *p, const struct side_fact *f)
{
	int64_t sum = 0, n, most;
	size_t i;

	if (f->n_arg == 0 || p == NULL || p->shapes.s == NULL ||
	    !args_sizes(a, p->shapes.s, p->shapes.n))
		return -1;
	for (i = 0; i < (size_t)f->n_arg; i++) {
		if (f->arg[i].size == 0)
			continue;
		if (i >= a->n || a->v[i].type != ARG_TENSOR)
			return -1;
		n = arg_numel(a, &a->v[i]);
		most = size_mul(f->numel, f->arg[i].n_access);
		if (most >= 0 && most < n)
			n = most;
		sum = size_add(sum, size_mul(n, f->arg[i].size));
	}
	return sum;
}

static void
use_fact(struct flops_result *res, const struct side_fact *f, int64_t bytes)
{
	res->fact = f;
	if (f->prim != NULL) {
		res->prim = (struct mview){ f->prim, strlen(f->prim) };
		res->sized = true;
	}
	if (f->bytes >= 0)
		bytes = f->bytes;
	if (bytes >= 0) {
		res->a.bytes = bytes;
		res->est_bytes = -1;
		res->sized = true;
	}
	if (f->flop >= 0) {
		res->a.flop = f->flop;
		res->a.role = ROLE_MAIN;
		res->a.each = f->each;
	}
	if (f->family != FAM_NONE)
		res->a.family = f->family;
	if (f->dt != DT_NONE)
		res->a.dt = f->dt;
}

void
compiled_fill(
    struct flops *fl, struct flops_result *res, const struct flops_kern *k)
{
	struct buf *b = &fl->answers.esc;
	struct op_args *own = &fl->answers.own;
	const struct flops_op *p = k->prim, *op = k->op;
	const char *last = k->name->last;
	const struct side_fact *f = NULL;
	struct mview ops;
	int64_t sum, most;

	buf_clear(b);
	put_prim(b, k);
	if (b->len > 0)
		res->prim = facts_keep(fl, b->s, b->len);
	res->est_flop = res->est_bytes = -1;
	if (p != NULL && p->name.s != NULL && p->shapes.s != NULL &&
	    !mv_starts(p->name, "triton_tem") && fused_ops(p->name, &ops) &&
	    args_sizes(own, p->shapes.s, p->shapes.n) &&
	    fused_sizes(own, &sum, &most)) {
		res->est_flop = size_mul(most, fused_flop(ops));
		/* the arguments are those of the op, which may be one around
		 * it */
		if (op != NULL && op->name.n == p->name.n &&
		    mv_starts(op->name, p->name.s))
			res->est_bytes = typed_bytes(&fl->answers.args);
		if (res->est_bytes < 0)
			res->est_bytes = size_mul(sum, 4);
	}
	/* what a compiler's file says: by the op, which can be the instruction
	 * that a Thunk names, or by the kernel's name */
	if (op != NULL && op->mod.s == NULL)
		f = side_find(&fl->side, op->name.s, op->name.n);
	if (f == NULL && last != NULL)
		f = side_find(&fl->side, last, strlen(last));
	if (f != NULL)
		use_fact(res, f, argument_bytes(own, p, f));
}
