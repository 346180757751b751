/* An iteration's own record; see line.h. */
#include <string.h>

#include "line.h"
#include "num.h"
#include "out.h"

/* All of the registry's columns but those of --list. */
static const char *const iter_cols[] = { "iter", "key", "start_ns", "dur_ns",
	"gpu_start_ns", "gpu_end_ns", "gpu_ns", "step_ns", "kern_ns", "n_kern",
	"n_op", "src" };
#define NCOLS ((int)(sizeof(iter_cols) / sizeof(iter_cols[0])))

/* The iteration's time on the CPU. */
static void
cpu_time(struct line *x, size_t n, const struct plan *p, const struct extent *e,
    const char *key)
{
	const struct step *s;
	int64_t hi = e->last;

	x->has_cpu = e->any;
	x->start = e->first;
	if (p->kind == PLAN_STEPS) {
		s = &p->step[n];
		x->has_cpu = true;
		x->start = s->lo;
		x->has_dur = s->hi != INT64_MAX;
		x->cpu_hi = s->hi;
		x->dur = ivl_len(&s->cpu);
		x->key = smap_str(&p->texts, s->text, NULL);
		return;
	}
	if (p->kind == PLAN_CUTS) {
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
step_time(struct line *x, int64_t next, int64_t *end)
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
line_make(struct line *x, size_t n, const struct plan *p,
    const struct extent *e, const struct acc *c, const char *key, int64_t *end)
{
	int64_t next = NO_TIME;

	memset(x, 0, sizeof(*x));
	x->iter = (int64_t)n;
	cpu_time(x, n, p, e, key);
	x->has_gpu = c->has_gpu;
	x->gpu_lo = c->gpu_lo;
	x->gpu_hi = c->gpu_hi;
	if (!plan_begin(p, n + 1, &next))
		next = NO_TIME;
	step_time(x, next, end);
	x->gpu = acc_gpu_ns(c);
	x->kern_ns = c->kern_ns;
	x->n_kern = c->n_kern;
	x->n_op = c->n_op;
}

void
line_fields(const struct line *x)
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

void
line_put(const struct line *x)
{
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[x->src != NULL];

	if (*t == NULL)
		*t = out_type("iter", iter_cols, NCOLS - (x->src == NULL));
	out_rec(*t);
	line_fields(x);
	if (x->src != NULL)
		out_raw(x->src, strlen(x->src));
	out_end();
}
