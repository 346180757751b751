/*
 * An iteration: what it adds up to, and its record. Only the newest
 * iterations are open, and of the union of their GPU work only the newest
 * pieces are kept: GPU work comes in launch order, so that older gaps can no
 * longer be filled.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "iter.h"
#include "num.h"

#define PIECES 65536 /* of a union; the older half is folded at that */

/* The registry's columns, without those of --list. */
static const char *const iter_cols[] = { "iter", "key", "start_ns", "dur_ns",
	"gpu_start_ns", "gpu_end_ns", "gpu_ns", "step_ns", "kern_ns", "n_kern",
	"n_op", "src" };
struct iter_acc *
acc_at(struct iter_accs *a, size_t n)
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
acc_drop(struct iter_accs *a)
{
	acc_at(a, a->base);
	ivl_free(&a->v[0].gpu);
	memmove(a->v, a->v + 1, (a->n - 1) * sizeof(*a->v));
	a->n--;
	a->base++;
}

void
acc_clear(struct iter_accs *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		ivl_free(&a->v[i].gpu);
	free(a->v);
	memset(a, 0, sizeof(*a));
}

static void
fold_gpu(struct iter_acc *c)
{
	size_t k = c->gpu.n / 2;

	c->done_hi = c->gpu.v[k - 1].hi;
	c->gpu_done =
	    num_add(c->gpu_done, ivl_len_in(&c->gpu, INT64_MIN, c->done_hi));
	memmove(c->gpu.v, c->gpu.v + k, (c->gpu.n - k) * sizeof(*c->gpu.v));
	c->gpu.n -= k;
}

static void
add_gpu(struct iter_acc *c, int64_t lo, int64_t hi)
{
	if (!c->has_gpu || lo < c->gpu_lo)
		c->gpu_lo = lo;
	if (!c->has_gpu || hi > c->gpu_hi)
		c->gpu_hi = hi;
	c->has_gpu = true;
	ivl_add(&c->gpu, lo > c->done_hi ? lo : c->done_hi, hi);
	if (c->gpu.n >= PIECES)
		fold_gpu(c);
}

static void
add_once(struct iter_acc *c, const struct iter_item *m)
{
	int64_t ns = num_sub(m->hi, m->lo);

	if (c != NULL && m->kind == IT_LOAD)
		c->load_ns = num_add(c->load_ns, ns);
	else if (c != NULL)
		c->alloc_ns = num_add(c->alloc_ns, ns);
}

void
acc_add(struct iter_accs *a, size_t n, const struct iter_item *m)
{
	struct iter_acc *c;

	if (m->kind == IT_LOAD || m->kind == IT_ALLOC) {
		add_once(acc_at(a, n), m);
		return;
	}
	if (m->kind != IT_KERN && m->kind != IT_GPU && m->kind != IT_INST)
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
	c->n_op += m->kind == IT_INST;
	if (m->kind != IT_KERN)
		return;
	c->n_kern++;
	if (m->has_gpu)
		c->kern_ns = num_add(c->kern_ns, num_sub(m->hi, m->lo));
}

static int64_t
acc_gpu_ns(const struct iter_acc *c)
{
	return num_add(c->gpu_done, ivl_len(&c->gpu));
}

/* The iteration's time on the CPU. */
static void
cpu_time(struct iteration *x, size_t n, const struct layout *p,
    const struct iter_extent *e, const char *key)
{
	const struct layout_step *s;
	int64_t hi = e->last;

	x->has_cpu = e->any;
	x->start = e->first;
	if (p->kind == LAYOUT_STEPS) {
		s = &p->step[n];
		x->has_cpu = true;
		x->start = s->lo;
		x->has_dur = s->hi != INT64_MAX;
		x->cpu_hi = s->hi;
		x->dur = ivl_len(&s->cpu);
		x->key = smap_str(&p->texts, s->text, NULL);
		return;
	}
	if (p->kind == LAYOUT_CUTS) {
		x->key = key;
		if (n > 0) {
			x->has_cpu = true;
			x->start = p->cut[n - 1];
		}
		if (n < p->ncut)
			hi = p->cut[n];
		else if (hi < x->start)
			hi = x->start;
		if (n == 0 && p->ncut > 0 && (!e->any || hi < x->start))
			x->start = hi;
	}
	x->has_dur = x->has_cpu;
	x->cpu_hi = hi;
	x->dur = num_sub(hi, x->start);
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * A step begins where the one before it ended, and ends when all of it has
 * ended, on the CPU and on the GPU, but not before the next one begins: so
 * that steps add up to the time that they took together.
 */
static void
step_time(struct iteration *x, int64_t next, int64_t *end)
{
	int64_t lo = *end;

	if (lo == NO_TIME && x->has_cpu)
		lo = x->start;
	else if (lo == NO_TIME && x->has_gpu)
		lo = x->gpu_lo;
	if (x->has_dur)
		*end = later(*end, x->cpu_hi);
	if (x->has_gpu)
		*end = later(*end, x->gpu_hi);
	*end = later(*end, next);
	x->has_step = lo != NO_TIME && *end != NO_TIME;
	x->step = x->has_step ? num_sub(*end, lo) : 0;
}

void
iteration_make(struct iteration *x, size_t n, const struct layout *p,
    const struct iter_extent *e, const struct iter_acc *c, const char *key,
    int64_t *end)
{
	int64_t next = NO_TIME;

	memset(x, 0, sizeof(*x));
	x->iter = (int64_t)n;
	cpu_time(x, n, p, e, key);
	x->has_gpu = c->has_gpu;
	x->gpu_lo = c->gpu_lo;
	x->gpu_hi = c->gpu_hi;
	if (!layout_begin(p, n + 1, &next))
		next = NO_TIME;
	step_time(x, next, end);
	x->gpu = acc_gpu_ns(c);
	x->kern_ns = c->kern_ns;
	x->n_kern = c->n_kern;
	x->n_op = c->n_op;
}

void
iteration_fields(const struct iteration *x)
{
	out_i64(x->iter);
	out_text(x->key, x->key != NULL ? strlen(x->key) : 0);
	out_opt(x->has_cpu, x->start);
	out_opt(x->has_dur, x->dur);
	out_opt(x->has_gpu, x->gpu_lo);
	out_opt(x->has_gpu, x->gpu_hi);
	out_i64(x->gpu);
	out_opt(x->has_step, x->step);
	out_i64(x->kern_ns);
	out_i64((int64_t)x->n_kern);
	out_i64((int64_t)x->n_op);
}

struct out_type *
iter_out_type(struct out_type **t, const char *tag, const char *const *cols,
    int n, const char *src)
{
	t += src != NULL;
	if (*t == NULL)
		*t = out_type(tag, cols, src != NULL ? n : n - 1);
	return *t;
}

void
iteration_put(struct iter_out *o, const struct iteration *x)
{
	out_rec(iter_out_type(
	    o->iter, "iter", iter_cols, ARRAY_LEN(iter_cols), x->src));
	iteration_fields(x);
	if (x->src != NULL)
		out_raw(x->src, strlen(x->src));
	out_end();
}
