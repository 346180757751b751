/*
 * What iterations add up to. Only the newest iterations are open, and of a
 * union only its newest pieces are kept: GPU work comes in launch order, so
 * older gaps can no longer be filled.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "acc.h"
#include "num.h"

#define PIECES 65536 /* of a union; the older half is folded at that */

struct acc *
acc_at(struct accs *a, size_t n)
{
	if (n < a->base)
		return NULL;
	n -= a->base;
	if (n >= a->cap) {
		a->cap = n + 1 > a->cap * 2 ? n + 1 : a->cap * 2;
		a->v = xrealloc(a->v, a->cap, sizeof(*a->v));
	}
	for (; a->n <= n; a->n++) {
		memset(&a->v[a->n], 0, sizeof(*a->v));
		a->v[a->n].done_hi = INT64_MIN;
	}
	return &a->v[n];
}

void
acc_drop(struct accs *a)
{
	acc_at(a, a->base);
	ivl_free(&a->v[0].gpu);
	memmove(a->v, a->v + 1, (a->n - 1) * sizeof(*a->v));
	a->n--;
	a->base++;
}

void
acc_clear(struct accs *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		ivl_free(&a->v[i].gpu);
	free(a->v);
	memset(a, 0, sizeof(*a));
}

static void
fold(struct acc *c)
{
	size_t k = c->gpu.n / 2;

	c->done_hi = c->gpu.v[k - 1].hi;
	c->gpu_done =
	    num_add(c->gpu_done, ivl_len_in(&c->gpu, INT64_MIN, c->done_hi));
	memmove(c->gpu.v, c->gpu.v + k, (c->gpu.n - k) * sizeof(*c->gpu.v));
	c->gpu.n -= k;
}

static void
add_gpu(struct acc *c, int64_t lo, int64_t hi)
{
	if (!c->has_gpu || lo < c->gpu_lo)
		c->gpu_lo = lo;
	if (!c->has_gpu || hi > c->gpu_hi)
		c->gpu_hi = hi;
	c->has_gpu = true;
	ivl_add(&c->gpu, lo > c->done_hi ? lo : c->done_hi, hi);
	if (c->gpu.n >= PIECES)
		fold(c);
}

void
acc_add(struct accs *a, size_t n, const struct item *m)
{
	struct acc *c;

	if (m->what != IT_KERN && m->what != IT_GPU && m->what != IT_INST)
		return;
	c = acc_at(a, n);
	if (c == NULL) {
		a->late++;
		return;
	}
	if (m->has_gpu) {
		add_gpu(c, m->lo, m->hi);
		if (!a->has_gpu || m->hi > a->gpu_hi)
			a->gpu_hi = m->hi;
		a->has_gpu = true;
	}
	c->n_op += m->what == IT_INST;
	if (m->what != IT_KERN)
		return;
	c->n_kern++;
	if (m->has_gpu)
		c->kern_ns = num_add(c->kern_ns, num_sub(m->hi, m->lo));
}

int64_t
acc_gpu_ns(const struct acc *c)
{
	return num_add(c->gpu_done, ivl_len(&c->gpu));
}
