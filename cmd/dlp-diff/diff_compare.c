/*
 * Compares two runs: pairs their rows, decides which differences are noise, and
 * writes the diff records.
 */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "out.h"
#include "stage.h"

/* UNSET: it ran on both sides, but the time is not known on one. */
enum diff_change { SAME, NOISE, FEW, FASTER, SLOWER, IS_NEW, IS_GONE, UNSET };

struct diff_pair {
	struct diff_row **row; /* the rows of both sides in this pair */
	size_t n;
	const char *by; /* the text that they share: key, name, type; NULL if
			 * there is no partner */
	struct diff_sum side[2];
	double noise; /* negative if unknown */
	enum diff_change change;
	const struct smap *texts; /* of the rows' names */
};

struct diff_pairs {
	struct diff_pair *v;
	size_t n, cap;
};

struct diff_report { /* the output */
	const struct diff_model *m;
	const struct diff_how *how;
	struct out_type *type;
	struct diff_pairs pairs;
};

/* The 97.5 % quantile of Student's t with df degrees of freedom, taken at the
 * next lower whole number. */
static double
student(double df)
{
	static const double t[] = { 12.706, 12.706, 4.303, 3.182, 2.776, 2.571,
		2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
		2.131, 2.120, 2.110, 2.101, 2.093, 2.086 };
	const size_t n = ARRAY_LEN(t);

	if (df < (double)n)
		return t[(size_t)df];
	return 1.96 + 2.5 / df;
}

/* The difference of two means that can be chance: Welch's interval of 95 %;
 * negative if a side has only one step. *usual: the interval that many steps of
 * this deviation would have. */
static double
noise_of(const struct diff_sum *a, const struct diff_sum *b, double *usual)
{
	double va, vb, df;

	*usual = 0;
	if (a->n < 2 || b->n < 2)
		return -1;
	va = a->var / (double)a->n;
	vb = b->var / (double)b->n;
	if (va + vb <= 0)
		return 0;
	df = (va + vb) * (va + vb) /
	     (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	*usual = 1.96 * sqrt(va + vb);
	return student(df) * sqrt(va + vb);
}

/* Judges a pair by its sums. A difference is noise up to the interval of
 * noise_of(), and up to the given fraction of the longer time. It is not noise
 * if only the small number of steps makes the interval that wide: nobody can
 * tell then. */
static void
judge_pair(struct diff_pair *p, double part)
{
	const struct diff_sum *a = &p->side[0], *b = &p->side[1];
	double d = b->mean - a->mean, least, usual;

	p->noise = noise_of(a, b, &usual);
	least = part * (a->mean > b->mean ? a->mean : b->mean);
	if (p->noise >= 0 && p->noise < least)
		p->noise = least;
	if (usual < least)
		usual = least;
	if (p->noise > least)
		least = p->noise;
	if (!a->any || !b->any)
		p->change = a->ran && b->ran ? UNSET
			    : b->any         ? IS_NEW
					     : IS_GONE;
	else if (d == 0)
		p->change = SAME;
	else if (fabs(d) <= least)
		p->change = fabs(d) > usual ? FEW : NOISE;
	else
		p->change = d > 0 ? SLOWER : FASTER;
}

static struct diff_pair *
new_pair(struct diff_pairs *p, const char *by)
{
	ARRAY_GROW(p->v, p->n, p->cap);
	p->v[p->n] = (struct diff_pair){ .by = by };
	return &p->v[p->n++];
}

static void
join_row(struct diff_pair *p, struct diff_row *r)
{
	p->row = xrealloc(p->row, p->n + 1, sizeof(struct diff_row *));
	p->row[p->n++] = r;
}

/* The sides on which the row has a time: bit 0 the first, bit 1 the second. */
static int
sides_of(const struct diff_model *m, const struct diff_row *r)
{
	size_t i, k;
	int is = 0;

	for (k = 0; k < 2 && k < r->n_side; k++)
		for (i = 0; i < r->side[k].n && !(is >> k & 1); i++)
			if (r->side[k].v[i].n > 0 &&
			    m->side[k].step[r->side[k].v[i].step].used)
				is |= 1 << k;
	return is;
}

/* Pairs the remaining rows left[0..n) by name (or type) and direction, if both
 * sides have such rows; returns how many are left. */
static size_t
match_left(struct diff_pairs *p, const struct diff_model *m,
    struct diff_row **left, size_t n, bool by_type)
{
	struct smap groups = { 0 };
	uint32_t key[2], *g = xcalloc(n + 1, sizeof(*g));
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		key[0] = by_type ? left[i]->type : left[i]->name;
		key[1] = left[i]->dir;
		g[i] = SMAP_NONE;
		if (key[0] == SMAP_NONE)
			continue;
		g[i] = smap_put(&groups, (const char *)key, sizeof(key), NULL);
		groups.val[g[i]] |= (uint64_t)sides_of(m, left[i]);
	}
	for (i = 0; i < groups.n; i++) {
		if (groups.val[i] != 3)
			continue;
		groups.val[i] = 4 + p->n;
		new_pair(p, by_type ? "type" : "name");
	}
	for (i = 0; i < n; i++) {
		if (p->n > 0 && g[i] != SMAP_NONE && groups.val[g[i]] >= 4)
			join_row(&p->v[groups.val[g[i]] - 4], left[i]);
		else
			left[k++] = left[i];
	}
	free(g);
	smap_free(&groups);
	return k;
}

static int
text_order(const struct smap *t, uint32_t x, uint32_t y)
{
	if (x == y || x == SMAP_NONE || y == SMAP_NONE)
		return (y == SMAP_NONE) - (x == SMAP_NONE);
	return strcmp(smap_str(t, x, NULL), smap_str(t, y, NULL));
}

/* How far the sides differ; 0: not known. */
static double
distance(const struct diff_pair *p)
{
	return p->change != UNSET ? fabs(p->side[1].mean - p->side[0].mean) : 0;
}

static int
by_change(const void *a, const void *b)
{
	const struct diff_pair *x = a, *y = b;
	double p = distance(x), q = distance(y);
	int c;

	if (p != q)
		return p < q ? 1 : -1;
	p = x->side[0].mean + x->side[1].mean;
	q = y->side[0].mean + y->side[1].mean;
	if (p != q)
		return p < q ? 1 : -1;
	c = text_order(x->texts, x->row[0]->name, y->row[0]->name);
	if (c == 0)
		c = text_order(x->texts, x->row[0]->dir, y->row[0]->dir);
	if (c == 0)
		c = text_order(x->texts, x->row[0]->shapes, y->row[0]->shapes);
	return c;
}

/* Puts all rows into pairs, the largest difference first. */
static void
match_rows(struct diff_report *d)
{
	const struct diff_model *m = d->m;
	struct diff_pairs *p = &d->pairs;
	size_t i, k, n = m->rows.keys.n, nleft = 0;
	struct diff_row **left = xcalloc(n + 1, sizeof(struct diff_row *));

	for (i = 0; i < n; i++) {
		int is = sides_of(m, &m->rows.v[i]);

		if (is == 3)
			join_row(new_pair(p, "key"), &m->rows.v[i]);
		else if (is != 0)
			left[nleft++] = &m->rows.v[i];
	}
	if (m->by == BY_OP) {
		nleft = match_left(p, m, left, nleft, false);
		nleft = match_left(p, m, left, nleft, true);
	}
	for (i = 0; i < nleft; i++)
		join_row(new_pair(p, NULL), left[i]);
	for (i = 0; i < p->n; i++) {
		for (k = 0; k < 2; k++)
			sum_rows(&p->v[i].side[k], &m->side[k], k, p->v[i].row,
			    p->v[i].n);
		judge_pair(&p->v[i], d->how->noise);
		p->v[i].texts = &m->rows.texts;
	}
	if (p->n > 1)
		qsort(p->v, p->n, sizeof(*p->v), by_change);
	free(left);
}

static const char *const changes[] = { [SAME] = "same",
	[NOISE] = "noise",
	[FEW] = "few-steps",
	[FASTER] = "faster",
	[SLOWER] = "slower",
	[IS_NEW] = "new",
	[IS_GONE] = "gone",
	[UNSET] = NULL };

void
model_put_mean(bool has, double v, int decimals)
{
	double scale = pow(10, decimals);

	out_f64(has, v, fmod(round(v * scale), scale) != 0 ? decimals : 0);
}

static const char *
tc_word(unsigned tc)
{
	if (tc & TC_YES)
		return "yes";
	return tc & TC_UNKNOWN ? "unknown" : tc & TC_NO ? "no" : NULL;
}

/* A step or a row that takes longer is slower; other totals are only more. */
static void
put_values(const struct diff_pair *p, bool is_time)
{
	const struct diff_sum *a = &p->side[0], *b = &p->side[1];
	double d = b->mean - a->mean;
	bool known = p->change != UNSET;
	const char *change = changes[p->change];
	const char *tc_a = tc_word(a->tc), *tc_b = tc_word(b->tc);

	if (!is_time && (p->change == FASTER || p->change == SLOWER))
		change = p->change == FASTER ? "less" : "more";

	model_put_mean(a->any, a->mean, 1);
	model_put_mean(b->any, b->mean, 1);
	model_put_mean(known, d, 1);
	out_f64(known && a->any && a->mean > 0, 100 * d / a->mean, 2);
	model_put_mean(known && p->noise >= 0, p->noise, 1);
	out_word(change);
	model_put_mean(a->any, a->calls, 2);
	model_put_mean(b->any, b->calls, 2);
	out_f64(a->has_flop, a->flop, 0);
	out_f64(b->has_flop, b->flop, 0);
	out_word(tc_a);
	out_word(tc_b);
	/* one word if both have the same, or only one has a word */
	out_word(tc_a != NULL ? tc_a : tc_b);
	if (tc_a != NULL && tc_b != NULL && tc_a != tc_b) {
		buf_puts(&out_buf, "->");
		buf_puts(&out_buf, tc_b);
	}
}

static void
put_total(const struct diff_report *d, const char *what, const char *name,
    const struct diff_pair *p)
{
	out_rec(d->type);
	out_word(what);
	out_unset();
	out_word(name);
	out_unsets(3);
	put_values(p, strcmp(what, "step") == 0);
	out_end();
}

enum { OF_STEP, OF_BUSY, OF_IDLE };

/* Sums up one value of each step: of the selected steps if iter is -1,
 * otherwise of all steps of that number. */
static void
step_sum(
    struct diff_sum *s, const struct diff_side *side, int what, int64_t iter)
{
	double *v = xcalloc(side->n + 1, sizeof(*v)), n_kern = 0;
	size_t i, n = 0;

	*s = (struct diff_sum){ 0 };
	for (i = 0; i < side->n; i++) {
		const struct diff_step *x = &side->step[i];
		double busy = (double)x->gpu_ns;

		if (iter < 0 ? !x->used : !x->has || x->iter != iter)
			continue;
		n_kern += (double)x->n_kern;
		v[n++] = what == OF_STEP   ? (double)x->ns
			 : what == OF_BUSY ? busy
					   : fmax((double)x->ns - busy, 0);
	}
	sum_values(s, v, n);
	s->any = n > 0;
	s->calls = iter < 0 || n == 0 ? (double)n : n_kern / (double)n;
	free(v);
}

static void
step_pair(
    struct diff_pair *p, const struct diff_report *d, int what, int64_t iter)
{
	size_t k;

	for (k = 0; k < 2; k++)
		step_sum(&p->side[k], &d->m->side[k], what, iter);
	judge_pair(p, d->how->noise);
}

static void
row_pair(struct diff_pair *p, const struct diff_report *d, struct diff_row *row)
{
	size_t k;

	for (k = 0; k < 2; k++) {
		sum_rows(&p->side[k], &d->m->side[k], k, &row, 1);
		/* no work is 0, the time of ops on the CPU is not known then */
		p->side[k].any |= !d->m->cpu;
	}
	judge_pair(p, d->how->noise);
}

/* Writes the totals of the sides before their rows, the step first. */
static void
put_totals(
    const struct diff_report *d, struct diff_pair *step, struct diff_pair *idle)
{
	const struct diff_model *m = d->m;
	const char *const names[] = { model_unit(m), "GPU busy", "GPU idle" };
	static const char *const what[] = { "step", "busy", "idle" };
	struct diff_row all = m->all, tc = m->tc;
	struct diff_pair p = { 0 };
	int i;

	for (i = OF_STEP; i <= OF_IDLE; i++) {
		step_pair(&p, d, i, -1);
		put_total(d, what[i], names[i], &p);
		if (i == OF_STEP)
			*step = p;
	}
	*idle = p;
	row_pair(&p, d, &all);
	put_total(d, "work", m->cpu ? "CPU work" : "GPU work", &p);
	for (i = 0; i < 2; i++)
		if (!p.side[i].any)
			warn("%s, %s: no step that counts has times of ops on"
			     " the CPU: record with ranges of ops",
			    i == 0 ? "A" : "B", m->side[i].name);
	row_pair(&p, d, &tc);
	if (!m->cpu && (p.side[0].mean > 0 || p.side[1].mean > 0))
		put_total(d, "tc", "TC work", &p);
}

/* Writes the pairs beyond the limit as one. */
static void
put_rest(const struct diff_report *d, size_t from)
{
	const struct diff_pairs *p = &d->pairs;
	struct diff_pair rest = { 0 };
	size_t i, k, n = 0;
	struct diff_row **rows;

	for (i = from; i < p->n; i++)
		n += p->v[i].n;
	rows = xcalloc(n + 1, sizeof(struct diff_row *));
	for (i = from, n = 0; i < p->n; i++)
		for (k = 0; k < p->v[i].n; k++)
			rows[n++] = p->v[i].row[k];
	for (k = 0; k < 2; k++)
		sum_rows(&rest.side[k], &d->m->side[k], k, rows, n);
	rest.side[0].tc = rest.side[1].tc = 0;
	judge_pair(&rest, d->how->noise);
	put_total(d, "rest", "(rest)", &rest);
	free(rows);
}

static void
put_pairs(const struct diff_report *d)
{
	const struct diff_model *m = d->m;
	size_t i, n = d->how->limit;

	if (n == 0 || n > d->pairs.n)
		n = d->pairs.n;
	for (i = 0; i < n; i++) {
		const struct diff_pair *p = &d->pairs.v[i];
		const struct diff_row *r = p->row[0];
		bool by_name = p->by != NULL && strcmp(p->by, "name") == 0;
		bool by_type = p->by != NULL && strcmp(p->by, "type") == 0;

		out_rec(d->type);
		out_word("row");
		out_word(p->by);
		model_put_text(m, by_type ? r->type : r->name);
		model_put_text(m, r->dir);
		model_put_text(m, by_name || by_type ? SMAP_NONE : r->shapes);
		model_put_text(m, r->type);
		put_values(p, true);
		out_end();
	}
	if (n < d->pairs.n)
		put_rest(d, n);
}

void
compare_facts(const struct diff_side *s)
{
	size_t i, k, at, len;

	for (i = 0; i < s[0].info.n; i++) {
		const char *a = smap_str(&s[0].info, (uint32_t)i, &len);

		if (smap_find(&s[1].info, a, len) != SMAP_NONE)
			continue;
		at = strcspn(a, "\t");
		for (k = 0; k < s[1].info.n; k++) {
			const char *b = smap_str(&s[1].info, (uint32_t)k, NULL);

			if (strncmp(a, b, at + 1) == 0)
				warn("%.*s: %s in A, %s in B", (int)at, a,
				    a + at + 1, b + at + 1);
		}
	}
}

/* The times that a comparison is made of, for a program that compares other
 * steps: those of each row, and of the totals, in each step of both sides. */

struct cell_out {
	const struct diff_model *m;
	struct out_type *type;
	size_t k; /* the side */
};

static void
begin_cell(
    const struct cell_out *o, const char *what, const struct diff_step *s)
{
	out_rec(o->type);
	out_word(what);
	out_word(o->k == 0 ? "A" : "B");
	out_i64(s->run);
	out_i64(s->iter);
	out_i64(s->used);
}

static void
put_step(const struct cell_out *o, const char *what, const struct diff_step *s,
    int64_t ns)
{
	begin_cell(o, what, s);
	out_unsets(5);
	out_i64(ns);
	out_i64(s->n_kern);
	out_i64(0);
	out_end();
}

/* row: its number, or negative for a total */
static void
put_row_cells(const struct cell_out *o, const char *what, int64_t row,
    const struct diff_row *r)
{
	const struct diff_cell *x;
	const struct diff_step *s;
	size_t i;

	for (i = 0; o->k < r->n_side && i < r->side[o->k].n; i++) {
		x = &r->side[o->k].v[i];
		s = &o->m->side[o->k].step[x->step];
		if (!s->has)
			continue;
		begin_cell(o, what, s);
		out_opt(row >= 0, row);
		model_put_text(o->m, row >= 0 ? r->name : SMAP_NONE);
		model_put_text(o->m, row >= 0 ? r->dir : SMAP_NONE);
		model_put_text(o->m, row >= 0 ? r->shapes : SMAP_NONE);
		model_put_text(o->m, row >= 0 ? r->type : SMAP_NONE);
		out_i64(x->ns);
		out_i64(x->n);
		out_i64(x->tc);
		out_end();
	}
}

static void
put_cells(const struct diff_model *m)
{
	struct cell_out o = { .m = m };
	const struct diff_side *side;
	size_t i;

	o.type = out_type_reg("diffcell", "dlp-diff");
	for (o.k = 0; o.k < 2; o.k++) {
		side = &m->side[o.k];
		for (i = 0; i < side->n; i++) {
			if (!side->step[i].has)
				continue;
			put_step(&o, "step", &side->step[i], side->step[i].ns);
			put_step(
			    &o, "busy", &side->step[i], side->step[i].gpu_ns);
		}
		put_row_cells(&o, "work", -1, &m->all);
		put_row_cells(&o, "tc", -1, &m->tc);
		for (i = 0; i < m->rows.keys.n; i++)
			put_row_cells(&o, "row", (int64_t)i, &m->rows.v[i]);
	}
}

static void
put_notes(const struct diff_model *m, const struct diff_pairs *p)
{
	static const char *const names[] = { "name", "type" };
	uint64_t n[2] = { 0 }, outside = 0, left_out = 0;
	size_t i;
	int k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < 2; k++)
			n[k] += p->v[i].by != NULL &&
				strcmp(p->v[i].by, names[k]) == 0;
	for (i = 0; i < m->n_side; i++) {
		outside += m->side[i].outside;
		left_out += m->side[i].n - m->side[i].n_used;
	}
	stage_note("diff_by_name", n[0]);
	stage_note("diff_by_type", n[1]);
	stage_note("diff_outside", outside);
	stage_note("diff_steps_left_out", left_out);
	if (n[0] + n[1] > 0)
		warn("ops without a partner of the same key: rows matched by"
		     " name: %llu, by type: %llu (column by)",
		    (unsigned long long)n[0], (unsigned long long)n[1]);
}

static int
gate(const struct diff_model *m, const struct diff_pair *step,
    const struct diff_how *how)
{
	double a = step->side[0].mean, d = step->side[1].mean - a;

	if (!how->gate || step->change != SLOWER || d <= how->fail_over * a)
		return EXIT_OK;
	warn("the %s became %.2f %% slower; --fail-over allows %g %%",
	    model_unit(m), 100 * d / a, 100 * how->fail_over);
	return EXIT_GATE;
}

int
compare(struct diff_model *m, const struct diff_how *how)
{
	struct diff_report d = { .m = m, .how = how };
	struct diff_pair step = { 0 }, idle = { 0 };
	double d_step, d_idle;
	size_t i, k;
	int rc;
	const struct diff_side *s;
	struct diff_pair p = { 0 };
	int64_t j, n;

	d.type = out_type_reg("diff", "dlp-diff");
	put_totals(&d, &step, &idle);
	d_step = step.side[1].mean - step.side[0].mean;
	d_idle = idle.side[1].mean - idle.side[0].mean;
	/* then the ops on the GPU do not show why */
	if (step.change == SLOWER && 2 * d_idle > d_step && !m->cpu)
		warn("the %s takes %.3f ms longer, and in it the GPU idles"
		     " %.3f ms longer: -v cpu compares the ops on the CPU",
		    model_unit(m), d_step / 1e6, d_idle / 1e6);
	if (m->by == BY_ITER) {
		/* Iterations by their number. */
		s = d.m->side;
		n = -1;
		for (; s < d.m->side + 2; s++)
			for (k = 0; k < s->n; k++)
				n = s->step[k].iter > n ? s->step[k].iter : n;
		for (j = 0; j <= n; j++) {
			step_pair(&p, &d, OF_STEP, j);
			if (!p.side[0].any && !p.side[1].any)
				continue;
			out_rec(d.type);
			out_word("iter");
			out_word(p.side[0].any && p.side[1].any ? "key" : NULL);
			out_i64(j);
			out_unsets(3);
			put_values(&p, true);
			out_end();
		}
	} else {
		match_rows(&d);
		put_pairs(&d);
	}
	if (how->cells)
		put_cells(m);
	rc = gate(m, &step, how);
	put_notes(m, &d.pairs);
	stage_note("gate_fired", rc == EXIT_GATE);
	for (i = 0; i < d.pairs.n; i++)
		free(d.pairs.v[i].row);
	free(d.pairs.v);
	return rc;
}
