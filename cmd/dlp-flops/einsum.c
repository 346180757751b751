/*
 * einsum of two operands: a product, batched over the labels that both
 * operands and the result have, summed over those that only the operands
 * have. FLOPs are 2 for each combination of all labels.
 *
 * A marker gives the equation. emit_nvtx does not, but PyTorch makes a bmm of
 * it, and the gradient of that bmm's result, (b, m, n), tells the rest: of
 * one operand's b m k elements k follows.
 */
#include <string.h>

#include "einsum.h"
#include "product.h"
#include "size.h"

struct ein {
	int64_t flop;
	int64_t n_a, n_b, n_out;
};

enum { IN_A = 1, IN_B = 2, IN_OUT = 4 };

struct labels {
	int64_t size[128];
	unsigned char in[128];
};

/* Notes the labels of s[0..n), which are the dimensions of t; blanks are
 * skipped. False for an ellipsis, and where they do not fit. */
static bool
note(struct labels *l, const char *s, size_t n, const struct args *a,
    const struct arg *t, int bit)
{
	size_t i, d = 0;
	int64_t size;
	int c;

	for (i = 0; i < n; i++) {
		c = (unsigned char)s[i];
		if (c == ' ')
			continue;
		if (c < 'A' || c > 'z')
			return false;
		l->in[c] |= (unsigned char)bit;
		if (t == NULL)
			continue;
		if (d == t->nd)
			return false;
		size = a->dims[t->dim + d++];
		if (l->size[c] > 1 && size > 1 && l->size[c] != size)
			return false;
		if (l->size[c] < size)
			l->size[c] = size;
	}
	return t == NULL || d == t->nd;
}

static bool
equation(const struct args *a, const struct arg *eq, const struct arg *x,
    const struct arg *y, struct ein *e)
{
	struct labels l;
	const char *s = eq->str, *end = s + eq->str_len, *comma, *arrow;
	int c;

	memset(&l, 0, sizeof(l));
	comma = memchr(s, ',', eq->str_len);
	arrow = memchr(s, '-', eq->str_len);
	if (comma == NULL || arrow == NULL || arrow < comma ||
	    arrow + 1 == end || arrow[1] != '>' ||
	    !note(&l, s, (size_t)(comma - s), a, x, IN_A) ||
	    !note(&l, comma + 1, (size_t)(arrow - comma) - 1, a, y, IN_B) ||
	    !note(&l, arrow + 2, (size_t)(end - arrow) - 2, a, NULL, IN_OUT))
		return false;
	e->flop = 2;
	e->n_out = 1;
	for (c = 0; c < 128; c++) {
		if (l.in[c] == 0)
			continue;
		if (l.in[c] == IN_A || l.in[c] == IN_B || l.in[c] == IN_OUT)
			return false; /* summed before the product */
		e->flop = size_mul(e->flop, l.size[c]);
		if (l.in[c] & IN_OUT)
			e->n_out = size_mul(e->n_out, l.size[c]);
	}
	return true;
}

/* The gradient of the bmm within: (b, m, n). */
static bool
by_gradient(const struct args *grad, struct ein *e)
{
	const struct arg *g = arg_tensor(grad, 0);
	int64_t b, m, n, k, swap;

	if (g == NULL || g->nd != 3)
		return false;
	b = arg_dim(grad, g, 0);
	m = arg_dim(grad, g, 1);
	n = arg_dim(grad, g, 2);
	if (b <= 0 || m <= 0 || n <= 0 || e->n_a <= 0)
		return false;
	k = e->n_a / b / m;
	if (size_mul(size_mul(b, m), k) != e->n_a ||
	    size_mul(size_mul(b, n), k) != e->n_b) {
		swap = m;
		m = n;
		n = swap;
		k = e->n_a / b / m;
		if (size_mul(size_mul(b, m), k) != e->n_a ||
		    size_mul(size_mul(b, n), k) != e->n_b)
			return false;
	}
	e->n_out = size_mul(b, size_mul(m, n));
	e->flop = size_mul(2, size_mul(e->n_out, k));
	return true;
}

static bool
ein_dims(const struct work *w, struct ein *e)
{
	const struct args *a = w->a;
	const struct arg *eq = arg_named(a, "equation", 0);
	const struct arg *x = arg_tensor(a, 0), *y = arg_tensor(a, 1);

	if (x == NULL || y == NULL || x->bad || y->bad ||
	    arg_tensor(a, 2) != NULL)
		return false;
	e->n_a = arg_numel(a, x);
	e->n_b = arg_numel(a, y);
	if (a->typed)
		return eq != NULL && eq->str != NULL &&
		       equation(a, eq, x, y, e);
	return by_gradient(w->grad, e);
}

void
einsum_count(const struct work *w, struct answer *r, int unused)
{
	struct ein e;
	bool known = ein_dims(w, &e);

	(void)unused;
	r->eligible = true;
	/* without the equation the products in it tell */
	if (helper_count(w, r, known || !w->a->typed, -1, NO_BIAS))
		return;
	product_role(w, r);
	if (!known)
		return;
	r->flop = e.flop;
	r->bytes = work_bytes(w, size_add(size_add(e.n_a, e.n_b), e.n_out));
}
