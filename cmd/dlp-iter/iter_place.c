/* Items to their iterations, and the records of iterations and cuts. */
#include <string.h>

#include "iter.h"

/* iter -1: none; start NO_TIME: from the beginning. If some are dropped, a
 * column says which. */
static void
put_cut(
    struct iter_run *g, const struct iter_file *f, int64_t iter, int64_t start)
{
	static const char *const cols[] = { "iter", "start_ns", "src",
		"dropped" };
	static const char *const nameless[] = { "iter", "start_ns", "dropped" };
	const char *src = f->name;
	bool counts = iter < 0 || iter_counts(g, f, iter);
	bool dropped =
	    f->even != EVEN_UNKNOWN ||
	    (g->plan.wanted == ITER_RANGE && !g->o.rules->plain_range);
	struct out_type **t = &g->out.cut[src != NULL][dropped];

	if (*t == NULL)
		*t = out_type("cut", src != NULL ? cols : nameless,
		    2 + (src != NULL) + dropped);
	out_rec(*t);
	out_opt(iter >= 0 && counts, iter);
	out_opt(start != NO_TIME, start);
	if (src != NULL)
		out_raw(src, strlen(src));
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
	if (x != NULL && x->has_gpu &&
	    (!f->accs.has_gpu || x->gpu_hi > f->accs.gpu_hi)) {
		f->accs.gpu_hi = x->gpu_hi;
		f->accs.has_gpu = true;
	}
	if (n == 0 || g->o.rules->overlap || !f->accs.has_gpu ||
	    f->accs.gpu_hi < t)
		return t;
	return f->accs.gpu_hi;
}

/* --cuts: writes where the iterations that have begun by now begin, for
 * commands that must know it before the records of an iteration come; and
 * where step ranges end before the next one begins. */
static void
write_cuts(struct iter_run *g, struct iter_file *f, int64_t now)
{
	size_t n;
	int64_t lo = now;
	bool next;

	for (;;) {
		n = f->n_begun;
		next = layout_begin(&f->layout, n, &lo) && lo <= now;
		if (f->layout.kind != LAYOUT_CUTS &&
		    f->layout.kind != LAYOUT_ONE && !f->outside &&
		    (n == 0 || layout_gap(&f->layout, n - 1, now))) {
			put_cut(g, f, -1,
			    n > 0 ? when_over(g, f, n, f->layout.step[n - 1].hi)
				  : NO_TIME);
			f->outside = true;
		}
		if (!next)
			break;
		put_cut(g, f,
		    f->layout.kind == LAYOUT_KEPT ? f->kept.v[n].it.iter
						  : (int64_t)n,
		    n == 0 && g->o.rules->from_zero ? 0
						    : when_over(g, f, n, lo));
		f->outside = false;
		f->n_begun++;
	}
}

/* Writes a file's oldest open iteration. */
static void
write_iter(struct iter_run *g, struct iter_file *f)
{
	size_t n = f->accs.base;
	struct iteration x;

	if (f->layout.kind == LAYOUT_KEPT)
		kept_iteration(&x, f, n);
	else
		iteration_make(&x, n, &f->layout, &f->extent,
		    acc_at(&f->accs, n),
		    g->key.arg != NULL ? g->key.arg : f->own_key, &f->step_end);
	x.src = f->name;
	x.load_ns = acc_at(&f->accs, n)->load_ns;
	x.alloc_ns = acc_at(&f->accs, n)->alloc_ns;
	if (iter_measures(g)
		? g->phase == ITER_MEASURE
		: g->o.list || (g->o.stable && iter_counts(g, f, x.iter)))
		stable_add(&f->stable, &x);
	if (!g->o.list && g->phase != ITER_MEASURE && iter_counts(g, f, x.iter))
		iteration_put(&g->out, &x);
	acc_drop(&f->accs);
}

static void
write_closed(struct iter_run *g, struct iter_file *f, int64_t now)
{
	int64_t lo;

	while (layout_begin(&f->layout, f->accs.base + OPEN_ITERS, &lo) &&
	       lo <= now)
		write_iter(g, f);
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

static void
put_legend(const struct iter_item *m, const char *line)
{
	buf_put(&out_buf, line, m->len);
	buf_put(&out_buf, "\titer\n", 6);
	out_check();
}

/* A record that gets its iteration. */
static void
place_record(struct iter_run *g, const struct iter_item *m, const char *line)
{
	struct iter_file *f = m->src != SRC_NONE ? &g->files.v[m->src] : NULL;
	int64_t n = -1;

	/* the lengths of these are known */
	if (g->phase == ITER_MEASURE && f != NULL &&
	    f->layout.kind == LAYOUT_KEPT)
		return;
	/* a file whose steps come later than another one's has them, too */
	if (f != NULL && g->plan.by == ITER_BY_STEPS)
		f->layout.kind = LAYOUT_STEPS;
	if (f != NULL && g->o.cuts && g->phase != ITER_MEASURE &&
	    m->now != NO_TIME)
		write_cuts(g, f, m->now);
	if (f != NULL && m->now != NO_TIME)
		write_closed(g, f, m->now);
	if (f != NULL && f->layout.kind == LAYOUT_KEPT)
		n = kept_where(f, m, line);
	else if (f != NULL)
		n = layout_where(&f->layout, m->lane, m->t);
	if (n >= 0 && f->layout.kind != LAYOUT_KEPT)
		acc_add(&f->accs, (size_t)n, m);
	else if (n < 0)
		g->outside += m->kind == IT_KERN || m->kind == IT_GPU;
	if (m->kind == IT_KERN)
		g->kern_kept = g->o.keep || iter_counts(g, f, n);
	if (g->o.list || g->phase == ITER_MEASURE)
		return;
	if (iter_counts(g, f, n) ||
	    (m->kind == IT_MEM && !g->o.rules->drop_mem))
		put_placed(m, line, n);
	else if (g->o.keep)
		put_placed(m, line, -1);
	else
		g->dropped++;
}

void
iter_place(struct iter_run *g, const struct iter_item *m, const char *line)
{
	if (g->phase == ITER_MEASURE &&
	    (m->kind == IT_PASS || m->kind == IT_LEGEND ||
		m->kind == IT_RANGEKERN))
		return;
	if (m->kind == IT_PASS || m->kind == IT_RANGEKERN) {
		if (!g->o.list && m->len > 0 &&
		    (m->kind == IT_PASS || g->kern_kept))
			out_line(line, m->len);
	} else if (m->kind != IT_LEGEND) {
		place_record(g, m, line);
	} else if (!g->o.list) {
		put_legend(m, line);
	}
}

size_t
iter_place_end(struct iter_run *g, struct iter_file *f)
{
	size_t n;

	if (g->o.rules->from_zero)
		f->extent.first = 0;
	if (g->plan.by == ITER_BY_STEPS)
		f->layout.kind = LAYOUT_STEPS;
	n = layout_count(&f->layout);
	if (f->layout.kind == LAYOUT_ONE && !f->extent.any)
		n = 0;
	if (g->o.cuts && g->phase != ITER_MEASURE && n > 0)
		write_cuts(g, f, INT64_MAX);
	while (f->accs.base < n)
		write_iter(g, f);
	if ((g->o.stable || g->plan.wanted == ITER_EVEN) &&
	    g->phase != ITER_MEASURE && !g->o.ahead &&
	    f->layout.kind != LAYOUT_ONE)
		stable_put(
		    &g->out, &f->stable, g->plan.wanted == ITER_RANGE, f->name);
	if (f->layout.kind == LAYOUT_KEPT)
		n = (size_t)f->kept.v[n - 1].it.iter + 1;
	return n;
}
