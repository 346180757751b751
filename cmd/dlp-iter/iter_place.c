/*
 * Items to their iterations, what an iteration adds up to, and the records of
 * iterations and cuts. Only the newest iterations are open, and of the union of
 * their GPU work only the newest pieces are kept: GPU work comes in launch
 * order, so that older gaps can no longer be filled.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "iter.h"
#include "num.h"

#define PIECES 65536 /* of a union; the older half is folded at that */

/* The sums of iteration n; NULL: written already. */
static struct iter_acc *
acc_at(struct iter_accs *a, size_t n)
{
	if (n < a->base)
		return NULL;
	n -= a->base;
	if (n >= a->cap) {
		a->cap = n + 1 > a->cap * 2 ? n + 1 : a->cap * 2;
		a->v = xrealloc(a->v, a->cap, sizeof(*a->v));
	}
	for (; a->n <= n; a->n++)
		a->v[a->n] = (struct iter_acc){ .done_hi = INT64_MIN };
	return &a->v[n];
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
acc_add(struct iter_accs *a, size_t n, const struct iter_item *m)
{
	int64_t ns = m->has_gpu ? num_sub(m->hi, m->lo) : 0;
	bool once = m->kind == IT_LOAD || m->kind == IT_ALLOC;
	struct iter_acc *c;

	if (!once && m->kind != IT_KERN && m->kind != IT_GPU &&
	    m->kind != IT_INST)
		return;
	c = acc_at(a, n);
	if (c == NULL) {
		a->late += !once;
		return;
	}
	if (m->kind == IT_LOAD)
		c->load_ns = num_add(c->load_ns, ns);
	else if (m->kind == IT_ALLOC)
		c->alloc_ns = num_add(c->alloc_ns, ns);
	else if (m->has_gpu) {
		extent_add(&a->gpu_at, m->lo, m->hi);
		extent_add(&c->gpu_at, m->lo, m->hi);
		ivl_add(
		    &c->gpu, m->lo > c->done_hi ? m->lo : c->done_hi, m->hi);
		if (c->gpu.n >= PIECES)
			c->gpu_done = num_add(c->gpu_done,
			    ivl_drop(&c->gpu, c->gpu.n / 2, &c->done_hi));
	}
	c->n_range += m->marked > 0;
	c->n_carried += m->marked < 0;
	c->n_op += m->kind == IT_INST;
	c->n_kern += m->kind == IT_KERN;
	if (m->kind == IT_KERN)
		c->kern_ns = num_add(c->kern_ns, ns);
}

/* The iteration's time on the CPU. key is shown where cuts made it. */
static void
cpu_time(struct iteration *x, size_t n, const struct layout *p,
    const struct iter_extent *e, const char *key)
{
	const struct layout_step *s;
	int64_t hi = e->event.hi;

	x->has_cpu = e->event.any;
	x->start = e->event.lo;
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
		if (n == 0 && p->ncut > 0 && (!e->event.any || hi < x->start))
			x->start = hi;
	}
	x->has_dur = x->has_cpu;
	x->cpu_hi = hi;
	x->dur = num_sub(hi, x->start);
}

/*
 * A step begins where the one before it ended, and ends when all of it has
 * ended, on the CPU and on the GPU, but not before the next one begins: so
 * that steps add up to the time that they took together. *end is where the step
 * before it ended, NO_TIME if it is the first, and becomes where this one ends.
 * Returns when it was over, whatever comes next.
 */
static int64_t
step_time(struct iteration *x, int64_t next, int64_t *end)
{
	int64_t over, lo = *end;

	if (lo == NO_TIME && x->has_cpu)
		lo = x->start;
	else if (lo == NO_TIME && x->gpu_at.any)
		lo = x->gpu_at.lo;
	if (x->has_dur && x->cpu_hi > *end)
		*end = x->cpu_hi;
	if (x->gpu_at.any && x->gpu_at.hi > *end)
		*end = x->gpu_at.hi;
	over = *end;
	if (next > *end)
		*end = next;
	x->has_step = lo != NO_TIME && *end != NO_TIME;
	x->step = x->has_step ? num_sub(*end, lo) : 0;
	return over;
}

void
iteration_fields(const struct iteration *x)
{
	out_i64(x->iter);
	out_text(x->key, x->key != NULL ? strlen(x->key) : 0);
	out_opt(x->has_cpu, x->start);
	out_opt(x->has_dur, x->dur);
	out_opt(x->gpu_at.any, x->gpu_at.lo);
	out_opt(x->gpu_at.any, x->gpu_at.hi);
	out_i64(x->gpu);
	out_opt(x->has_step, x->step);
	out_i64(x->kern_ns);
	out_i64((int64_t)x->n_kern);
	out_i64((int64_t)x->n_op);
}

/* Writes a file's oldest open iteration. */
static void
write_iter(struct iter_run *g, struct iter_file *f)
{
	/* the registry's columns, without those of --list */
	static const char *const names[] = { "iter", "key", "start_ns",
		"dur_ns", "gpu_start_ns", "gpu_end_ns", "gpu_ns", "step_ns",
		"kern_ns", "n_kern", "n_op", "src" };
	struct iter_accs *a = &f->accs;
	size_t n = a->base;
	struct iter_acc *c = acc_at(a, n);
	const struct steps_earlier *e = &f->earlier;
	const struct kept_iter *kept;
	struct iteration x = { .iter = (int64_t)n };
	int64_t next = NO_TIME, over;
	bool counts;

	if (f->layout.kind == LAYOUT_KEPT) {
		kept = &f->kept.v[n];
		x = kept->it;
		x.key = smap_view(&f->layout.texts, kept->text).s;
	} else {
		cpu_time(&x, n, &f->layout, &f->extent,
		    g->key.arg != NULL ? g->key.arg : f->own_key);
		x.gpu_at = c->gpu_at;
		x.gpu = num_add(c->gpu_done, ivl_len(&c->gpu));
		/* The first step begins when the GPU is done with the work from
		 * before the recording, as later ones begin when it is done
		 * with the step before. */
		if (n == 0)
			f->first = NO_TIME;
		if (n == 0 && f->layout.kind != LAYOUT_ONE && x.has_cpu &&
		    e->end > x.start &&
		    steps_earlier_delays(e, x.gpu, x.gpu_at.hi))
			f->first = f->step_end = e->end;
		if (!layout_begin(&f->layout, n + 1, &next))
			next = NO_TIME;
		over = step_time(&x, next, &f->step_end);
		if (g->phase == ITER_MEASURE && iter_measured(f)) {
			ARRAY_GROW(f->over, f->n_over, f->over_cap);
			f->over[f->n_over++] = over;
			f->n_inside += iter_shared(f) && c->gpu_at.any &&
				       x.has_step && x.step == 0;
		}
		x.kern_ns = c->kern_ns;
		x.n_kern = c->n_kern;
		x.n_op = c->n_op;
	}
	x.src = f->name;
	x.load_ns = c->load_ns;
	x.alloc_ns = c->alloc_ns;
	/* captured graphs have the ops of their capture in all steps */
	x.marked = c->n_carried * 20 > c->n_range ? -1 : c->n_range > 0;
	counts = iter_counts(g, f, x.iter);
	if (iter_measures(g) ? g->phase == ITER_MEASURE
			     : g->phase == ITER_PLACE &&
				   (g->o.list || (g->o.stable && counts))) {
		ARRAY_GROW(f->stable.v, f->stable.n, f->stable.cap);
		f->stable.v[f->stable.n++] = x;
	}
	if (!g->o.list && g->phase != ITER_MEASURE && counts) {
		out_rec_src(&g->out.iter, "iter", names, ARRAY_LEN(names),
		    x.src != NULL);
		iteration_fields(&x);
		if (x.src != NULL)
			out_word(x.src);
		out_end();
	}
	ivl_free(&c->gpu);
	memmove(a->v, a->v + 1, --a->n * sizeof(*a->v));
	a->base++;
}

/* iter -1: none; start NO_TIME: from the beginning. If some are dropped, a
 * column says which. */
static void
put_cut(
    struct iter_run *g, const struct iter_file *f, int64_t iter, int64_t start)
{
	static const char *const cols[] = { "iter", "start_ns", "src",
		"dropped" };
	static const char *const nameless[] = { "iter", "start_ns", "dropped" };
	bool counts = iter < 0 || iter_counts(g, f, iter);
	bool dropped = f->even != EVEN_UNKNOWN ||
		       (g->plan.wanted == ITER_RANGE && !g->o.dlprof);
	bool src = f->name != NULL;
	struct out_type **t = &g->out.cut[src][dropped];

	if (*t == NULL)
		*t = out_type("cut", src ? cols : nameless, 2 + src + dropped);
	out_rec(*t);
	out_opt(iter >= 0 && counts, iter);
	out_opt(start != NO_TIME, start);
	if (src)
		out_word(f->name);
	if (dropped)
		out_opt(!counts, iter);
	out_end();
}

/* A step begins when the one before is over, on the GPU too: t, or later. */
static int64_t
when_over(const struct iter_run *g, struct iter_file *f, size_t n, int64_t t)
{
	const struct iteration *x = NULL;

	if (f->layout.kind == LAYOUT_KEPT && n > 0)
		x = &f->kept.v[n - 1].it;
	if (x != NULL && x->gpu_at.any)
		extent_add(&f->accs.gpu_at, x->gpu_at.lo, x->gpu_at.hi);
	if (n > 0 && n <= f->n_over)
		return f->over[n - 1] > t ? f->over[n - 1] : t;
	if (n == 0 && f->first != NO_TIME)
		return f->first;
	if (n == 0 || g->o.dlprof || !f->accs.gpu_at.any ||
	    f->accs.gpu_at.hi < t)
		return t;
	return f->accs.gpu_at.hi;
}

/* --cuts: writes where the iterations that have begun by now begin, for
 * commands that must know it before the records of an iteration come; and
 * where step ranges end before the next one begins. */
static void
write_cuts(struct iter_run *g, struct iter_file *f, int64_t now)
{
	const struct layout *p = &f->layout;
	size_t n;
	int64_t lo = now, hi;
	bool next, inside;

	for (;;) {
		n = f->n_begun;
		next = layout_begin(p, n, &lo) && lo <= now;
		inside = p->kind != LAYOUT_CUTS && p->kind != LAYOUT_ONE &&
			 !f->outside;
		hi = inside && n > 0 ? p->step[n - 1].hi : NO_TIME;
		/* the step has ended, and none begins before it ends */
		if (inside && hi <= now &&
		    (n == 0 || n >= p->nstep || p->step[n].lo > hi)) {
			put_cut(
			    g, f, -1, n > 0 ? when_over(g, f, n, hi) : NO_TIME);
			f->outside = true;
		}
		if (!next)
			break;
		put_cut(g, f,
		    p->kind == LAYOUT_KEPT ? f->kept.v[n].it.iter : (int64_t)n,
		    n == 0 && g->o.dlprof ? 0 : when_over(g, f, n, lo));
		f->outside = false;
		f->n_begun++;
	}
}

static void
put_placed(const struct iter_item *m, const char *line, int64_t iter)
{
	size_t rest = m->iter_off + m->iter_len;

	if (m->len == 0) /* --drop */
		return;
	buf_put(&out_buf, line, m->iter_off);
	if (m->iter_off == m->len)
		buf_putc(&out_buf, '\t');
	if (iter >= 0)
		buf_i64(&out_buf, iter);
	else
		buf_putc(&out_buf, '-');
	if (rest < m->len)
		buf_put(&out_buf, line + rest, m->len - rest);
	out_end();
}

void
iter_place(void *run, const struct iter_item *m, const char *line)
{
	struct iter_run *g = run;
	struct iter_file *f = m->src != SRC_NONE ? &g->files.v[m->src] : NULL;
	bool measures = g->phase == ITER_MEASURE, counts, kept;
	int64_t n = -1, lo;

	if (m->kind == IT_PASS || m->kind == IT_LEGEND ||
	    m->kind == IT_RANGEKERN) {
		if (measures || g->o.list) {
			; /* no lines */
		} else if (m->kind == IT_LEGEND) {
			buf_put(&out_buf, line, m->len);
			buf_put(&out_buf, "\titer\n", 6);
			out_check();
		} else if (m->len > 0 && (m->kind == IT_PASS || g->kern_kept)) {
			out_line(line, m->len);
		}
		return;
	}
	/* A record that gets its iteration: the lengths of these are known. */
	if (measures && f != NULL && f->layout.kind == LAYOUT_KEPT)
		return;
	/* a file whose steps come later than another one's has them, too */
	if (f != NULL && g->plan.by == ITER_BY_STEPS)
		f->layout.kind = LAYOUT_STEPS;
	if (f != NULL && m->now != NO_TIME) {
		if (g->o.cuts && !measures)
			write_cuts(g, f, m->now);
		while (
		    layout_begin(&f->layout, f->accs.base + OPEN_ITERS, &lo) &&
		    lo <= m->now)
			write_iter(g, f);
	}
	kept = f != NULL && f->layout.kind == LAYOUT_KEPT;
	if (kept && m->iter_off != m->len) { /* that it was given */
		if (!num_i64(line + m->iter_off, m->iter_len, &n) || n < 0)
			n = -1;
	} else if (f != NULL) {
		n = layout_where(&f->layout, m->lane, m->t);
		n = kept && n >= 0 ? f->kept.v[n].it.iter : n;
	}
	if (n >= 0 && !kept)
		acc_add(&f->accs, (size_t)n, m);
	else if (n < 0)
		g->outside += m->kind == IT_KERN || m->kind == IT_GPU;
	counts = iter_counts(g, f, n);
	if (m->kind == IT_KERN)
		g->kern_kept = g->o.keep || counts;
	if (g->o.list || measures)
		return;
	if (counts || (m->kind == IT_MEM && !g->o.dlprof))
		put_placed(m, line, n);
	else if (g->o.keep)
		put_placed(m, line, -1);
	else
		g->dropped++;
}

size_t
iter_place_end(struct iter_run *g, struct iter_file *f)
{
	bool measures = g->phase == ITER_MEASURE;
	size_t n;

	if (g->o.dlprof)
		f->extent.event.lo = 0;
	if (g->plan.by == ITER_BY_STEPS)
		f->layout.kind = LAYOUT_STEPS;
	n = layout_count(&f->layout);
	if (f->layout.kind == LAYOUT_ONE && !f->extent.event.any)
		n = 0;
	if (g->o.cuts && !measures && n > 0)
		write_cuts(g, f, INT64_MAX);
	while (f->accs.base < n)
		write_iter(g, f);
	if ((g->o.stable || g->plan.wanted == ITER_EVEN) && !measures &&
	    !g->o.ahead && f->layout.kind != LAYOUT_ONE)
		stable_put(
		    &g->out, &f->stable, g->plan.wanted == ITER_RANGE, f->name);
	if (f->layout.kind == LAYOUT_KEPT)
		n = (size_t)f->kept.v[n - 1].it.iter + 1;
	return n;
}
