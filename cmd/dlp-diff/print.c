/* Diff records; see print.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "out.h"
#include "print.h"

static const char *const changes[] = { [SAME] = "same",
	[NOISE] = "noise",
	[FASTER] = "faster",
	[SLOWER] = "slower",
	[IS_NEW] = "new",
	[IS_GONE] = "gone" };

static void
put_word(const char *s)
{
	out_raw(s, s != NULL ? strlen(s) : 0);
}

static void
put_f64(bool has, double v, int decimals)
{
	if (!has) {
		out_unset();
		return;
	}
	buf_putc(&out_buf, '\t');
	buf_f64(&out_buf, v, decimals);
}

void
print_mean(bool has, double v, int decimals)
{
	double scale = pow(10, decimals);

	put_f64(has, v, fmod(round(v * scale), scale) != 0 ? decimals : 0);
}

static const char *
tc_word(unsigned tc)
{
	if (tc & TC_YES)
		return "yes";
	return tc & TC_UNKNOWN ? "unknown" : tc & TC_NO ? "no" : NULL;
}

/* What both have, or what became of it. */
static void
put_tc(const char *a, const char *b)
{
	put_word(a != NULL ? a : b);
	if (a != NULL && b != NULL && a != b) {
		buf_puts(&out_buf, "->");
		buf_puts(&out_buf, b);
	}
}

/* More of something is not slower yet, unless it is a step's or a row's. */
static void
put_values(const struct pair *p, bool is_time)
{
	const struct sum *a = &p->side[0], *b = &p->side[1];
	double d = b->mean - a->mean;
	const char *change = changes[p->change];

	if (!is_time && (p->change == FASTER || p->change == SLOWER))
		change = p->change == FASTER ? "less" : "more";

	print_mean(a->any, a->mean, 1);
	print_mean(b->any, b->mean, 1);
	print_mean(true, d, 1);
	put_f64(a->any && a->mean > 0, 100 * d / a->mean, 2);
	print_mean(p->noise >= 0, p->noise, 1);
	put_word(change);
	print_mean(a->any, a->calls, 2);
	print_mean(b->any, b->calls, 2);
	put_f64(a->has_flop, a->flop, 0);
	put_f64(b->has_flop, b->flop, 0);
	put_word(tc_word(a->tc));
	put_word(tc_word(b->tc));
	put_tc(tc_word(a->tc), tc_word(b->tc));
}

static struct out_type *
diff_type(void)
{
	static struct out_type *t;

	if (t == NULL)
		t = out_type_reg("diff", "dlp-diff");
	return t;
}

static void
put_total(const char *what, const char *name, const struct pair *p)
{
	out_rec(diff_type());
	put_word(what);
	out_unset();
	put_word(name);
	out_unset();
	out_unset();
	out_unset();
	put_values(p, strcmp(what, "step") == 0);
	out_end();
}

static void
put_row(const struct model *m, const struct pair *p)
{
	const struct row *r = p->row[0];
	bool by_name = p->by != NULL && strcmp(p->by, "name") == 0;
	bool by_type = p->by != NULL && strcmp(p->by, "type") == 0;

	out_rec(diff_type());
	put_word("row");
	put_word(p->by);
	model_put_text(m, by_type ? r->type : r->name);
	model_put_text(m, r->dir);
	model_put_text(m, by_name || by_type ? SMAP_NONE : r->shapes);
	model_put_text(m, r->type);
	put_values(p, true);
	out_end();
}

enum { OF_STEP, OF_BUSY, OF_IDLE };

/* One value of each step that counts; those in which it is not known, and
 * iter -1 or the iterations of that number, which then need not count. */
static void
step_sum(struct sum *s, const struct side *side, int what, int64_t iter)
{
	double *v = xcalloc(side->n + 1, sizeof(*v)), n_kern = 0;
	size_t i, n = 0;

	*s = (struct sum){ 0 };
	for (i = 0; i < side->n; i++) {
		const struct step *x = &side->step[i];
		double busy = (double)x->gpu_ns;

		if (iter < 0 ? !x->used : !x->has || x->iter != iter)
			continue;
		n_kern += (double)x->n_kern;
		v[n++] = what == OF_STEP   ? (double)x->ns
			 : what == OF_BUSY ? busy
					   : fmax((double)x->ns - busy, 0);
	}
	stat_of(s, v, n);
	s->any = n > 0;
	s->calls = iter < 0 || n == 0 ? (double)n : n_kern / (double)n;
	free(v);
}

static void
step_pair(
    struct pair *p, const struct model *m, int what, int64_t iter, double floor)
{
	size_t k;

	for (k = 0; k < 2; k++)
		step_sum(&p->side[k], &m->side[k], what, iter);
	match_judge(p, floor);
}

static void
row_pair(struct pair *p, const struct model *m, struct row *row, double floor)
{
	size_t k;

	for (k = 0; k < 2; k++) {
		stat_rows(&p->side[k], &m->side[k], k, &row, 1);
		p->side[k].any = true; /* none of it is 0, not unknown */
	}
	match_judge(p, floor);
}

void
print_totals(
    const struct model *m, double floor, struct pair *step, struct pair *idle)
{
	const char *const names[] = { model_unit(m), "GPU busy", "GPU idle" };
	static const char *const what[] = { "step", "busy", "idle" };
	struct row all = m->all, tc = m->tc;
	struct pair p = { 0 };
	int i;

	for (i = OF_STEP; i <= OF_IDLE; i++) {
		step_pair(&p, m, i, -1, floor);
		put_total(what[i], names[i], &p);
		if (i == OF_STEP)
			*step = p;
	}
	*idle = p;
	row_pair(&p, m, &all, floor);
	put_total("work", m->cpu ? "CPU work" : "GPU work", &p);
	row_pair(&p, m, &tc, floor);
	if (!m->cpu && (p.side[0].mean > 0 || p.side[1].mean > 0))
		put_total("tc", "TC work", &p);
}

static void
put_rest(
    const struct model *m, const struct pairs *p, size_t from, double floor)
{
	struct pair rest = { 0 };
	size_t i, k, n = 0;
	struct row **rows;

	for (i = from; i < p->n; i++)
		n += p->v[i].n;
	rows = xcalloc(n + 1, sizeof(struct row *));
	for (i = from, n = 0; i < p->n; i++)
		for (k = 0; k < p->v[i].n; k++)
			rows[n++] = p->v[i].row[k];
	for (k = 0; k < 2; k++)
		stat_rows(&rest.side[k], &m->side[k], k, rows, n);
	rest.side[0].tc = rest.side[1].tc = 0;
	match_judge(&rest, floor);
	put_total("rest", "(rest)", &rest);
	free(rows);
}

void
print_pairs(
    const struct model *m, const struct pairs *p, size_t n, double floor)
{
	size_t i;

	if (n == 0 || n > p->n)
		n = p->n;
	for (i = 0; i < n; i++)
		put_row(m, &p->v[i]);
	if (n < p->n)
		put_rest(m, p, n, floor);
}

static int64_t
last_iter(const struct model *m)
{
	int64_t last = -1;
	size_t k, i;

	for (k = 0; k < 2; k++)
		for (i = 0; i < m->side[k].n; i++)
			if (m->side[k].step[i].iter > last)
				last = m->side[k].step[i].iter;
	return last;
}

void
print_iters(const struct model *m, double floor)
{
	int64_t i, n = last_iter(m);
	struct pair p = { 0 };

	for (i = 0; i <= n; i++) {
		step_pair(&p, m, OF_STEP, i, floor);
		if (!p.side[0].any && !p.side[1].any)
			continue;
		out_rec(diff_type());
		put_word("iter");
		put_word(p.side[0].any && p.side[1].any ? "key" : NULL);
		out_i64(i);
		out_unset();
		out_unset();
		out_unset();
		put_values(&p, true);
		out_end();
	}
}
