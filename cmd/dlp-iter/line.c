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
	x->dur = num_sub(hi, x->start);
}

/* The GPU step: to where the next iteration begins on the GPU. */
static void
step_time(struct line *x, const struct acc *c, const struct acc *next)
{
	int64_t gpu = 0;

	if (c->has_gpu)
		gpu = num_sub(
		    next != NULL && next->has_gpu ? next->gpu_lo : c->gpu_hi,
		    c->gpu_lo);
	x->has_step = x->has_dur || c->has_gpu;
	x->step = x->has_dur && x->dur > gpu ? x->dur : gpu;
}

void
line_make(struct line *x, size_t n, const struct plan *p,
    const struct extent *e, const struct acc *c, const struct acc *next,
    const char *key)
{
	memset(x, 0, sizeof(*x));
	x->iter = (int64_t)n;
	cpu_time(x, n, p, e, key);
	step_time(x, c, next);
	x->has_gpu = c->has_gpu;
	x->gpu_lo = c->gpu_lo;
	x->gpu_hi = c->gpu_hi;
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
