/* A section's way; see run.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "run.h"
#include "stage.h"

static bool
wanted(const struct run *g, int64_t n)
{
	return !g->filter || (n >= g->from && n <= g->to);
}

/* Writes the oldest open iteration. */
static void
write_iter(struct run *g)
{
	size_t n = g->accs.base;
	const struct acc *next = NULL;
	struct line x;

	acc_at(&g->accs, n);
	if (n + 1 < plan_count(&g->plan))
		next = acc_at(&g->accs, n + 1);
	line_make(&x, n, &g->plan, &g->extent, acc_at(&g->accs, n), next,
	    g->key.arg != NULL ? g->key.arg : g->own_key);
	if (g->listing)
		stable_add(&g->stable, &x);
	else if (wanted(g, x.iter))
		line_put(&x);
	acc_drop(&g->accs);
}

static void
write_closed(struct run *g, int64_t now)
{
	int64_t lo;

	while (
	    plan_begin(&g->plan, g->accs.base + OPEN_ITERS, &lo) && lo <= now)
		write_iter(g);
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
place_item(struct run *g, const struct item *m, const char *line)
{
	int64_t n;

	if (m->now != NO_TIME)
		write_closed(g, m->now);
	n = plan_where(&g->plan, m->lane, m->t);
	if (n >= 0)
		acc_add(&g->accs, (size_t)n, m);
	else
		g->outside += m->what == IT_KERN || m->what == IT_GPU;
	if (m->what == IT_KERN)
		g->kern_kept = wanted(g, n);
	if (g->listing)
		return;
	if (wanted(g, n))
		put_line(m, line, n);
	else
		g->dropped++;
}

static void
run_item(struct run *g, const struct item *m, const char *line)
{
	if (m->what == IT_PASS || m->what == IT_RANGEKERN) {
		if (!g->listing && (m->what == IT_PASS || g->kern_kept))
			out_line(line, m->len);
	} else if (m->what != IT_LEGEND) {
		place_item(g, m, line);
	} else if (!g->listing) {
		put_legend(m, line);
	}
}

static void
play(void *ctx, const struct item *m, const char *line)
{
	run_item(ctx, m, line);
}

/* The iterations are known, or begin to be. */
static void
go(struct run *g)
{
	g->waiting = false;
	spool_play(&g->spool, play, g);
	opkey_clear(&g->op);
}

void
run_keep(struct run *g, struct item *m, const char *line)
{
	if (!g->waiting) {
		run_item(g, m, line);
		return;
	}
	if (g->listing)
		m->len = 0;
	spool_put(&g->spool, m, line);
}

void
run_range(struct run *g, uint32_t lane, const char *s, size_t n, int64_t lo,
    int64_t hi)
{
	int is;

	if (g->listing)
		cand_range(&g->cands, &g->key, lane, s, n, lo, hi);
	if (g->one)
		return;
	if (g->key.arg == NULL) {
		if (g->waiting)
			own_add(&g->own, &g->key, &g->plan, lane, s, n, lo, hi);
		return;
	}
	is = key_range(&g->key, s, n);
	if (is == STEP_CUT && hi != INT64_MAX) {
		opkey_range(&g->op, g->plan.lane[lane].proc, hi);
	} else if (is == STEP_RANGE) {
		g->found = true;
		plan_step(&g->plan, lane, lo, hi,
		    smap_put(&g->plan.texts, s, n, NULL));
		if (g->waiting)
			go(g);
	}
}

/* Looks for the framework's own step ranges. */
static void
choose_own(struct run *g)
{
	int row = own_take(&g->own, &g->extent, &g->op, &g->plan);

	g->found = row >= 0;
	if (g->found && key_own_cuts(row))
		g->own_key = key_own_text(row);
}

/* What was asked for is not there. Of an input that was cut off nothing can
 * be said. */
static bool
is_fatal(const struct run *g)
{
	return g->strict && !g->broken;
}

static void
say_not_found(const struct run *g)
{
	bool fatal = is_fatal(g);
	const char *all = ": the whole profile is one iteration";

	if (g->broken && !g->extent.any)
		return;
	if (g->key.arg != NULL)
		(fatal ? die : warn)("key '%s' not found%s (--list proposes"
				     " keys)",
		    g->key.arg, fatal ? "" : all);
	else if (!g->listing)
		(fatal ? die : warn)("no step ranges that cover %d %% of the"
				     " time%s (-k names a key, --list proposes"
				     " some)",
		    OWN_PCT, fatal ? "" : all);
}

static void
decide(struct run *g)
{
	if (g->key.arg == NULL)
		choose_own(g);
	else
		g->found = opkey_cuts(&g->op, &g->plan);
	if (!g->found)
		say_not_found(g);
}

static void
finish_list(struct run *g)
{
	static const char *const kinds[] = { "one", "range", "op" };
	const struct extent *e = &g->extent;

	if (g->key.arg == NULL)
		cand_list(&g->cands, e->work_lo, e->work_hi, g->limit);
	else
		stable_list(&g->stable, g->key.arg, kinds[g->plan.kind],
		    e->work_lo, e->work_hi);
}

static void
notes(struct run *g)
{
	if (g->key.arg != NULL && !g->found && !g->one)
		stage_note("iter_key_not_found", 1);
	stage_note("iter_outside", g->outside);
	stage_note("iter_nested", g->plan.nested);
	stage_note("iter_late", g->accs.late);
	stage_note("iter_dropped", g->dropped);
}

void
run_end(struct run *g)
{
	size_t n;

	if (g->waiting) {
		decide(g);
		go(g);
	}
	n = plan_count(&g->plan);
	if (g->plan.kind == PLAN_ONE && !g->extent.any)
		n = 0;
	while (g->accs.base < n)
		write_iter(g);
	if (g->filter && g->from >= (int64_t)n)
		(is_fatal(g) ? die : warn)("no iteration %lld: the profile has"
					   " %zu",
		    (long long)g->from, n);
	if (g->listing)
		finish_list(g);
	notes(g);
}

void
run_section(struct run *g)
{
	plan_clear(&g->plan);
	acc_clear(&g->accs);
	opkey_clear(&g->op);
	cand_clear(&g->cands);
	stable_clear(&g->stable);
	g->own.n = 0;
	g->found = false;
	g->extent = (struct extent){ 0 };
	g->outside = g->dropped = 0;
	g->kern_kept = true;
	g->waiting = !g->one && (g->key.arg != NULL || !g->listing);
}

/* Lines that nothing is added to keep their place among the others. */
void
run_pass(struct run *g, const char *line, size_t n, bool meta)
{
	struct item m = { .what = IT_PASS, .t = NO_TIME, .now = NO_TIME };

	m.len = (uint32_t)n;
	if (g->listing) {
		if (meta)
			out_line(line, n);
	} else if (g->waiting) {
		spool_put(&g->spool, &m, line);
	} else {
		out_line(line, n);
	}
}
