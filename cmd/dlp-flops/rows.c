/* Rules as text, applied; see rows.h. The reader is rows_read.c. */
#include <string.h>

#include "expr.h"
#include "named.h"
#include "operand.h"
#include "pat.h"
#include "rows.h"
#include "size.h"

/* Kernels that prepare or finish what an op's own kernel does. */
static const char helpers[] =
    "cub::|thrust::|kernel_with_index<|init_kernel|compact_init";

static bool
dir_fits(const struct row *row, const struct work *w)
{
	return (row->dirs & (w->bprop ? DIR_BPROP : DIR_FPROP)) != 0;
}

const struct row *
rows_match(const struct row *row, const struct work *w)
{
	for (; row != NULL; row = row->next)
		if (dir_fits(row, w) &&
		    (row->kern == NULL ||
			pat_match(row->kern, w->k->lower, w->k->len)))
			return row;
	return NULL;
}

static int64_t
eval(const char *e, const struct work *w)
{
	return e == NULL ? -1 : expr_eval(e, strlen(e), w);
}

void
row_apply(const struct row *row, const struct work *w, struct answer *r)
{
	r->family = row->family;
	r->eligible = row->tc;
	r->role = row->aux ? ROLE_AUX : ROLE_MAIN;
	r->each = row->kern != NULL && !row->once;
	r->flop = row->aux ? 0 : eval(row->flop, w);
	r->bytes = eval(row->bytes, w);
	r->bus = eval(row->bus, w);
}

/* The rule for whatever kernel, in this direction. */
static const struct row *
general(const struct row *row, const struct work *w)
{
	for (; row != NULL; row = row->next)
		if (dir_fits(row, w) && row->kern == NULL)
			return row;
	return NULL;
}

/* A helper's FLOPs: none, where those of what it helps are known. */
static int64_t
helper_flop(const struct row *all, const struct work *w)
{
	if (all == NULL || all->flop == NULL)
		return 0;
	return eval(all->flop, w) < 0 ? -1 : 0;
}

/* A backward's sums over what the forward had broadcast. */
static bool
sum_count(const struct work *w, struct answer *r)
{
	int64_t n = w->bprop ? work_grad(w) : -1;

	if (n < 0 && w->bprop && r->family == FAM_POINTWISE)
		n = operand_out(w); /* the gradient has the result's size */
	if (n < 0 || !pat_match("reduce_kernel<", w->k->lower, w->k->len))
		return false;
	r->role = ROLE_MAIN;
	r->each = true;
	r->flop = n;
	r->bytes = size_mul(n, operand_esize(w));
	return true;
}

/* Families whose ops are one element-wise kernel. */
static bool
elementwise(enum family f)
{
	return f == FAM_POINTWISE || f == FAM_ACTIVATION || f == FAM_COPY ||
	       f == FAM_DROPOUT || f == FAM_OPTIMIZER;
}

void
rows_count(const struct row *list, const struct work *w, struct answer *r)
{
	const struct row *row = rows_match(list, w), *all = general(list, w);

	if (list != NULL)
		r->family = list->family;
	else if (r->family == FAM_NONE)
		r->family = named_family(w->k);
	if (row != NULL && row->kern != NULL) {
		row_apply(row, w, r);
		if (row->aux)
			r->flop = helper_flop(all, w);
		return;
	}
	if (all != NULL)
		r->family = all->family;
	if (elem_count(w, r)) {
		if (r->flop < 0 && all != NULL)
			r->flop = eval(all->flop, w);
		if (r->family == FAM_NONE)
			r->family = FAM_POINTWISE;
	} else if (sum_count(w, r)) {
		if (r->family == FAM_NONE)
			r->family = FAM_REDUCE;
	} else if (list != NULL && pat_match(helpers, w->k->lower, w->k->len)) {
		r->role = ROLE_AUX;
		r->flop = helper_flop(all, w);
	} else if (r->family == FAM_NONE && w->op != NULL && w->k->elem.is) {
		r->family = FAM_POINTWISE; /* of unknown size */
	} else if (all != NULL &&
		   (!w->k->elem.is || elementwise(all->family))) {
		row_apply(all, w, r);
	}
}
