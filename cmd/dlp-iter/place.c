/* Items to their iterations; see place.h. */
#include "place.h"

#include "cuts.h"
#include "kept.h"
#include "out.h"

/* Writes a file's oldest open iteration. */
static void
write_iter(struct run *g, struct source *f)
{
	size_t n = f->accs.base;
	struct line x;

	if (f->plan.kind == PLAN_KEPT)
		kept_line(&x, f, n);
	else
		line_make(&x, n, &f->plan, &f->extent, acc_at(&f->accs, n),
		    g->key.arg != NULL ? g->key.arg : f->own_key, &f->step_end);
	x.src = f->name;
	if (g->even ? g->measuring
		    : g->listing || (g->stable && run_wanted(g, f, x.iter)))
		stable_add(&f->stable, &x);
	if (!g->listing && !g->measuring && run_wanted(g, f, x.iter))
		line_put(&x);
	acc_drop(&f->accs);
}

static void
write_closed(struct run *g, struct source *f, int64_t now)
{
	int64_t lo;

	while (
	    plan_begin(&f->plan, f->accs.base + OPEN_ITERS, &lo) && lo <= now)
		write_iter(g, f);
}

static void
put_line(const struct item *m, const char *line, int64_t iter)
{
	size_t rest = m->iter_off + m->iter_len;

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
put_legend(const struct item *m, const char *line)
{
	buf_put(&out_buf, line, m->len);
	buf_put(&out_buf, "\titer\n", 6);
	out_check();
}

/* A record that gets its iteration. */
static void
place_record(struct run *g, const struct item *m, const char *line)
{
	struct source *f = m->src != SRC_NONE ? &g->files.v[m->src] : NULL;
	int64_t n = -1;

	/* the lengths of these are known */
	if (g->measuring && f != NULL && f->plan.kind == PLAN_KEPT)
		return;
	if (f != NULL && g->cuts && !g->measuring && m->now != NO_TIME)
		cuts_write(g, f, m->now);
	if (f != NULL && m->now != NO_TIME)
		write_closed(g, f, m->now);
	if (f != NULL && g->steps)
		f->plan.kind = PLAN_STEPS;
	if (f != NULL && f->plan.kind == PLAN_KEPT)
		n = kept_where(f, m, line);
	else if (f != NULL)
		n = plan_where(&f->plan, m->lane, m->t);
	if (n >= 0 && f->plan.kind != PLAN_KEPT)
		acc_add(&f->accs, (size_t)n, m);
	else if (n < 0)
		g->outside += m->what == IT_KERN || m->what == IT_GPU;
	if (m->what == IT_KERN)
		g->kern_kept = g->keep || run_wanted(g, f, n);
	if (g->listing || g->measuring)
		return;
	if (run_wanted(g, f, n) || (m->what == IT_MEM && !g->dlprof))
		put_line(m, line, n);
	else if (g->keep)
		put_line(m, line, -1);
	else
		g->dropped++;
}

void
place(struct run *g, const struct item *m, const char *line)
{
	if (g->measuring && (m->what == IT_PASS || m->what == IT_LEGEND ||
				m->what == IT_RANGEKERN))
		return;
	if (m->what == IT_PASS || m->what == IT_RANGEKERN) {
		if (!g->listing && (m->what == IT_PASS || g->kern_kept))
			out_line(line, m->len);
	} else if (m->what != IT_LEGEND) {
		place_record(g, m, line);
	} else if (!g->listing) {
		put_legend(m, line);
	}
}

size_t
place_end(struct run *g, struct source *f)
{
	size_t n;

	if (g->dlprof)
		f->extent.first = 0;
	if (g->steps)
		f->plan.kind = PLAN_STEPS;
	n = plan_count(&f->plan);
	if (f->plan.kind == PLAN_ONE && !f->extent.any)
		n = 0;
	if (g->cuts && !g->measuring && n > 0)
		cuts_write(g, f, INT64_MAX);
	while (f->accs.base < n)
		write_iter(g, f);
	if (g->stable && !g->measuring && f->plan.kind != PLAN_ONE)
		stable_put(&f->stable, g->filter, f->name);
	if (f->plan.kind == PLAN_KEPT)
		n = (size_t)f->kept.v[n - 1].line.iter + 1;
	return n;
}
