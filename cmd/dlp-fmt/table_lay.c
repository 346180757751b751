/* The layout of a fitted table: units, widths, headers; see table.h. */
#include "table.h"

#include <limits.h>
#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "text_out.h"

#define MAX_TEXT 1000 /* columns are no wider, whatever a value is */

/* The largest of the kept values of column i. */
static double
largest_of(const struct table *t, const struct fmt *f, int i)
{
	const struct shown *s;
	double v, largest = 0;
	int k;

	for (k = 0; k < t->nkept; k++) {
		s = &t->kept[k * f->ncol + i];
		if (num_f64(t->text.s + s->at, s->n, &v) &&
		    (v < 0 ? -v : v) > largest)
			largest = v < 0 ? -v : v;
	}
	return largest;
}

/* The unit of column i, by the largest value: its own, or that of all columns
 * that share it. */
static bool
choose_unit(struct table *t, const struct fmt *f, int i, const double *largest)
{
	const char *name = f->col[i].from->canon;
	struct human *h = &t->place[i].unit;
	double most = largest[i];
	int k;

	if (!f->shared)
		return human_unit(h, name, most);
	for (k = 0; k < f->ncol; k++)
		if (largest[k] > most &&
		    human_same_unit(name, f->col[k].from->canon))
			most = largest[k];
	return human_unit_shared(h, name, most);
}

/* Puts the kept values of column i into its unit. */
static void
scale(struct table *t, const struct fmt *f, int i, const double *largest)
{
	struct place *p = &t->place[i];
	struct shown *s;
	int k;

	p->scaled = choose_unit(t, f, i, largest);
	for (k = 0; k < t->nkept && p->scaled; k++) {
		struct buf b = { 0 };

		s = &t->kept[k * f->ncol + i];
		human_put(&p->unit, &b, t->text.s + s->at, s->n);
		s->at = t->text.len;
		s->n = b.len;
		s->width = (int)b.len;
		buf_put(&t->text, b.s, b.len);
		buf_free(&b);
	}
}

/* Where a header is best broken into two lines: behind a _. */
static size_t
break_head(const struct buf *h)
{
	size_t i, longer, best = 0, least = h->len;

	for (i = 1; i < h->len; i++) {
		longer = i > h->len - i ? i : h->len - i;
		if (h->s[i - 1] == '_' && longer < least) {
			least = longer;
			best = i;
		}
	}
	return best;
}

static void
measure(struct table *t, const struct fmt *f, int i)
{
	struct fit_col *c = &t->fits[i];
	struct place *p = &t->place[i];
	int k, broken;

	if (p->scaled)
		human_head(&p->unit, &p->head, f->col[i].head);
	else
		c->head =
		    text_show(&p->head, f->col[i].head, strlen(f->col[i].head));
	c->head = p->scaled ? (int)p->head.len : c->head;
	c->num = p->right;
	c->copy = f->col[i].copy;
	for (k = 0; k < t->nkept; k++)
		if (t->kept[k * f->ncol + i].width > c->tight)
			c->tight = t->kept[k * f->ncol + i].width;
	if (c->tight > MAX_TEXT)
		c->tight = MAX_TEXT;
	c->want = c->tight > c->head ? c->tight : c->head;
	if (c->num && f->human && c->tight < c->head)
		p->head2 = break_head(&p->head);
	broken = (int)(p->head.len - p->head2);
	broken = broken > (int)p->head2 ? broken : (int)p->head2;
	if (p->head2 == 0)
		c->tight = c->want;
	else if (c->tight < broken)
		c->tight = broken;
}

static void
say_left_out(const struct table *t, const struct fmt *f)
{
	struct buf b = { 0 };
	int i;

	for (i = t->nplace; i < f->ncol; i++) {
		buf_puts(&b, i > t->nplace ? "," : "");
		buf_puts(&b, f->col[i].head);
	}
	if (b.len > 0)
		warn("no room for the columns %.900s; -w 0 is as wide as they"
		     " need",
		    buf_str(&b));
	buf_free(&b);
}

/* Where texts of column i are cut. */
static void
choose_cut(struct table *t, const struct fmt *f, int i)
{
	const struct shown *s;
	int k;

	if (t->fits[i].num || t->fits[i].copy ||
	    t->fits[i].width >= t->fits[i].want)
		return;
	t->place[i].cut = cut_new(t->fits[i].width);
	for (k = 0; k < t->nkept; k++) {
		s = &t->kept[k * f->ncol + i];
		cut_add(t->place[i].cut, t->text.s + s->at, s->n, s->width);
	}
	cut_choose(t->place[i].cut);
}

bool
table_lay(struct table *t, const struct fmt *f)
{
	bool two = false;
	double *largest;
	int i;

	t->place = xcalloc((size_t)f->ncol, sizeof(*t->place));
	t->fits = xcalloc((size_t)f->ncol, sizeof(*t->fits));
	largest = xcalloc((size_t)f->ncol, sizeof(*largest));
	for (i = 0; i < f->ncol; i++) {
		t->place[i].right =
		    f->col[i].kind == COL_INT || f->col[i].kind == COL_NUM;
		if (f->human && t->place[i].right)
			largest[i] = largest_of(t, f, i);
	}
	for (i = 0; i < f->ncol; i++) {
		if (f->human && t->place[i].right)
			scale(t, f, i, largest);
		measure(t, f, i);
	}
	t->nplace =
	    fit(t->fits, f->ncol, f->width > 0 ? f->width : INT_MAX, &two);
	say_left_out(t, f);
	for (i = 0; i < t->nplace; i++) {
		choose_cut(t, f, i);
		if (!two)
			t->place[i].head2 = 0;
	}
	free(largest);
	return two;
}
