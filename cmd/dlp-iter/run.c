/*
 * A section: items wait until the key is known, then each gets its iteration
 * and goes out; an iteration's own record follows when it can no longer
 * change.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "iter.h"
#include "num.h"

/* All of the registry's columns but those of --list. */
static const char *const iter_cols[] = { "iter", "key", "start_ns", "dur_ns",
	"gpu_start_ns", "gpu_end_ns", "gpu_ns", "step_ns", "kern_ns", "n_kern",
	"n_op" };

static bool
wanted(const struct run *g, int64_t n)
{
	return !g->filter || (n >= g->from && n <= g->to);
}

/* The iteration's time on the CPU. */
static void
cpu_time(const struct run *g, size_t n, struct line *x)
{
	const struct plan *p = &g->plan;
	const struct step *s;
	int64_t hi = g->last;

	x->has_cpu = g->any;
	x->start = g->first;
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
		x->key = g->key.arg != NULL ? g->key.arg : g->own_key;
		if (n > 0) {
			x->has_cpu = true;
			x->start = p->cut[n - 1];
		}
		if (n < p->ncut)
			hi = p->cut[n];
		else if (hi < x->start)
			hi = x->start;
		if (n == 0 && p->ncut > 0 && (!g->any || hi < x->start))
			x->start = hi;
	}
	x->has_dur = x->has_cpu;
	x->dur = num_sub(hi, x->start);
}

/* The GPU step: to where the next iteration begins on the GPU. */
static void
step_time(const struct acc *c, const struct acc *next, struct line *x)
{
	int64_t gpu = 0;

	if (c->has_gpu)
		gpu = num_sub(
		    next != NULL && next->has_gpu ? next->gpu_lo : c->gpu_hi,
		    c->gpu_lo);
	x->has_step = x->has_dur || c->has_gpu;
	x->step = x->has_dur && x->dur > gpu ? x->dur : gpu;
}

static void
put_iter(const struct line *x)
{
	static struct out_type *t;

	if (t == NULL)
		t = out_type("iter", iter_cols,
		    sizeof(iter_cols) / sizeof(iter_cols[0]));
	out_rec(t);
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
	out_end();
}

/* Writes the oldest open iteration. */
static void
write_iter(struct run *g)
{
	size_t n = g->accs.base;
	const struct acc *c, *next = NULL;
	struct line x = { 0 };

	acc_at(&g->accs, n);
	if (n + 1 < plan_count(&g->plan))
		next = acc_at(&g->accs, n + 1);
	c = acc_at(&g->accs, n);
	x.iter = (int64_t)n;
	cpu_time(g, n, &x);
	step_time(c, next, &x);
	x.has_gpu = c->has_gpu;
	x.gpu_lo = c->gpu_lo;
	x.gpu_hi = c->gpu_hi;
	x.gpu = acc_gpu_ns(c);
	x.kern_ns = c->kern_ns;
	x.n_kern = c->n_kern;
	x.n_op = c->n_op;
	if (g->list != NULL)
		list_iter(g->list, &x);
	else if (wanted(g, x.iter))
		put_iter(&x);
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

void
run_item(struct run *g, const struct item *m, const char *line)
{
	int64_t n;

	if (m->what == IT_PASS || m->what == IT_RANGEKERN) {
		if (!g->listing && (m->what == IT_PASS || g->kern_kept))
			out_line(line, m->len);
		return;
	}
	if (m->what == IT_LEGEND) {
		if (g->listing)
			return;
		buf_put(&out_buf, line, m->len);
		buf_put(&out_buf, "\titer\n", 6);
		out_check();
		return;
	}
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

static void
own_range(struct run *g, uint32_t lane, const char *s, size_t n, int64_t lo,
    int64_t hi)
{
	int row = g->waiting ? key_own(&g->key, s, n) : -1;

	if (row < 0)
		return;
	if (g->nown == g->own_cap) {
		g->own_cap = g->own_cap > 0 ? g->own_cap * 2 : 64;
		g->own = xrealloc(g->own, g->own_cap, sizeof(*g->own));
	}
	g->own[g->nown++] = (struct own){ lo, hi, lane,
		smap_put(&g->plan.texts, s, n, NULL), row };
}

void
run_range(struct run *g, uint32_t lane, const char *s, size_t n, int64_t lo,
    int64_t hi)
{
	int is;

	if (g->list != NULL)
		list_range(g->list, &g->key, lane, s, n, lo, hi);
	if (g->one)
		return;
	if (g->key.arg == NULL) {
		own_range(g, lane, s, n, lo, hi);
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

/* How much of the profile's time the ranges of a row cover, in percent; what
 * cuts covers all before it. The profile's time is from the first to the last
 * start of an op or launch: the last wait for the GPU is no step left out. */
static double
coverage(const struct run *g, int row)
{
	struct ivl u = { 0 };
	double len = (double)g->work_hi - (double)g->work_lo;
	double in;
	size_t i;

	for (i = 0; i < g->nown; i++)
		if (g->own[i].row == row && key_own_cuts(row))
			ivl_add(&u, g->work_lo, g->own[i].lo);
		else if (g->own[i].row == row)
			ivl_add(&u, g->own[i].lo, g->own[i].hi);
	in = (double)ivl_len_in(&u, g->work_lo, g->work_hi);
	ivl_free(&u);
	return len > 0 ? 100 * in / len : 0;
}

static void
take_row(struct run *g, int row)
{
	const struct own *o;
	size_t i;

	for (i = 0; i < g->nown; i++) {
		o = &g->own[i];
		if (o->row != row)
			continue;
		if (key_own_cuts(row) && o->hi != INT64_MAX)
			opkey_range(&g->op, g->plan.lane[o->lane].proc, o->hi);
		else if (!key_own_cuts(row))
			plan_step(&g->plan, o->lane, o->lo, o->hi, o->text);
	}
	if (!key_own_cuts(row))
		return;
	opkey_cuts(&g->op, &g->plan);
	g->own_key = key_own_text(row);
}

/* Looks for the framework's own step ranges. */
static void
choose_own(struct run *g)
{
	size_t i, n;
	int row;

	for (row = 0; g->any_work && row < key_own_count(); row++) {
		for (i = n = 0; i < g->nown; i++)
			n += g->own[i].row == row;
		if (n < (key_own_cuts(row) ? 2 : 1) ||
		    coverage(g, row) < OWN_PCT)
			continue;
		take_row(g, row);
		g->found = true;
		return;
	}
}

static void
decide(struct run *g)
{
	const char *all = "the whole profile is one iteration";

	if (g->key.arg == NULL) {
		choose_own(g);
		if (!g->found && !g->listing)
			warn("no step ranges that cover %d %% of the time: %s"
			     " (-k names a key, --list proposes some)",
			    OWN_PCT, all);
	} else {
		g->found = opkey_cuts(&g->op, &g->plan);
		if (!g->found)
			warn("key '%s' not found: %s (--list proposes keys)",
			    g->key.arg, all);
	}
}

static void
finish_list(struct run *g)
{
	static const char *const kinds[] = { "one", "range", "op" };

	if (g->key.arg == NULL)
		list_cands(g->list, g->work_lo, g->work_hi, g->limit);
	else
		list_iters(g->list, g->key.arg, kinds[g->plan.kind], g->work_lo,
		    g->work_hi);
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
run_end(struct stage *st)
{
	struct run *g = st->ctx;
	size_t n;

	if (g->waiting) {
		decide(g);
		go(g);
	}
	n = plan_count(&g->plan);
	if (g->plan.kind == PLAN_ONE && !g->any)
		n = 0;
	while (g->accs.base < n)
		write_iter(g);
	if (g->filter && g->from >= (int64_t)n)
		warn("no iteration %lld: the profile has %zu",
		    (long long)g->from, n);
	if (g->listing)
		finish_list(g);
	notes(g);
}

void
run_section(struct stage *st)
{
	struct run *g = st->ctx;

	plan_clear(&g->plan);
	acc_clear(&g->accs);
	opkey_clear(&g->op);
	if (g->list != NULL)
		list_clear(g->list);
	read_reset(g);
	g->nown = 0;
	g->any = g->found = false;
	g->any_work = false;
	g->first = g->last = g->work_lo = g->work_hi = 0;
	g->outside = g->dropped = 0;
	g->kern_kept = true;
	g->waiting = !g->one && (g->key.arg != NULL || !g->listing);
}

/* Lines that nothing is added to keep their place among the others. */
void
run_pass(struct stage *st, struct rec *r)
{
	struct run *g = st->ctx;
	struct item m = { .what = IT_PASS, .t = NO_TIME, .now = NO_TIME };

	m.len = (uint32_t)r->len;
	if (g->listing) {
		if (r->kind == REC_META)
			out_line(r->line, r->len);
	} else if (g->waiting) {
		spool_put(&g->spool, &m, r->line);
	} else {
		out_line(r->line, r->len);
	}
}
