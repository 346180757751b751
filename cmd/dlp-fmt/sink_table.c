/*
 * A table for people, fitted to a width: numbers to the right and never cut,
 * text to the left and cut inside. Units and widths come from the first rows,
 * which are kept for that; later rows follow them.
 */
#include <limits.h>
#include <stdlib.h>

#include "cut.h"
#include "err.h"
#include "fit.h"
#include "fmt.h"
#include "human.h"
#include "json_text.h"
#include "num.h"
#include "text.h"

#define KEPT 2000     /* rows that decide units and widths */
#define MAX_TEXT 1000 /* columns are no wider, whatever a value is */

struct shown { /* a cell: its place in text */
	size_t at, n;
	int width;
	bool num;
};

struct place { /* a column of the table */
	bool right, scaled;
	struct human unit;
	struct buf head;
	size_t head2; /* where the header's second line begins; 0: it has one */
	struct cut_col *cut;
};

static struct buf text;
static struct shown *kept;
static int nkept;
static struct place *place; /* NULL before the first line was written */
static struct fit_col *fits;
static int nplace; /* columns that have room */

static struct shown
show(const struct column *c, const struct place *p, const struct cell *v)
{
	bool num = c->kind == COL_INT || c->kind == COL_NUM;
	struct shown s = { .at = text.len, .num = num };

	if (v->s == NULL) {
		buf_putc(&text, '-');
		s.width = 1;
	} else if (p != NULL && p->scaled) {
		human_put(&p->unit, &text, v->s, v->n);
		s.width = (int)(text.len - s.at);
	} else {
		s.width = text_show(&text, v->s, v->n);
		s.num = num && json_number(v->s, v->n);
	}
	s.n = text.len - s.at;
	return s;
}

static void
put_blanks(int n)
{
	for (; n > 0; n--)
		buf_putc(&out_buf, ' ');
}

static void
end_line(void)
{
	while (out_buf.len > 0 && out_buf.s[out_buf.len - 1] == ' ')
		out_buf.len--;
	buf_putc(&out_buf, '\n');
	out_check();
}

static void
put_cut(const struct place *p, const struct shown *v, int w, bool own)
{
	const char *s = text.s + v->at;
	int i;

	if (v->num) /* half a number would be another one */
		for (i = 0; i < w; i++)
			buf_putc(&out_buf, '#');
	else if (p->cut != NULL && own)
		cut_text(p->cut, &out_buf, s, v->n);
	else
		cut_put(&out_buf, s, v->n, w, -1);
}

static void
put_row(const struct fmt *f, const struct shown *v)
{
	static int *need, *width;
	int i, pad;

	need = xrealloc(need, (size_t)nplace, sizeof(*need));
	width = xrealloc(width, (size_t)nplace, sizeof(*width));
	for (i = 0; i < nplace; i++)
		need[i] = v[i].width;
	fit_row(fits, nplace, need, width);
	for (i = 0; i < nplace; i++) {
		pad = width[i] - v[i].width;
		if (place[i].right)
			put_blanks(pad);
		if (pad < 0 && f->width > 0)
			put_cut(&place[i], &v[i], width[i],
			    width[i] == fits[i].width);
		else
			buf_put(&out_buf, text.s + v[i].at, v[i].n);
		put_blanks((place[i].right || pad < 0 ? 0 : pad) + FIT_GAP);
	}
	end_line();
}

/* Line 0 is above; a header of one line stands in line 1. */
static void
put_head_line(int line)
{
	struct buf *h;
	size_t from, to;
	int i, pad;

	for (i = 0; i < nplace; i++) {
		h = &place[i].head;
		from = line == 1 ? place[i].head2 : 0;
		to = line == 1 ? h->len : place[i].head2;
		pad = fits[i].width - (int)(to - from);
		if (place[i].right)
			put_blanks(pad);
		if (pad < 0)
			cut_put(&out_buf, h->s, h->len, fits[i].width, -1);
		else
			buf_put(&out_buf, h->s + from, to - from);
		put_blanks((place[i].right || pad < 0 ? 0 : pad) + FIT_GAP);
	}
	end_line();
}

static void
put_head(const struct fmt *f, bool two)
{
	int line;

	for (line = two ? 0 : 1; line < 2; line++) {
		if (f->bold)
			buf_puts(&out_buf, "\033[1m");
		put_head_line(line);
		if (f->bold) {
			out_buf.len--;
			buf_puts(&out_buf, "\033[0m\n");
		}
	}
}

/* The largest of the kept values of column i. */
static double
largest_of(const struct fmt *f, int i)
{
	const struct shown *s;
	double v, largest = 0;
	int k;

	for (k = 0; k < nkept; k++) {
		s = &kept[k * f->ncol + i];
		if (num_f64(text.s + s->at, s->n, &v) &&
		    (v < 0 ? -v : v) > largest)
			largest = v < 0 ? -v : v;
	}
	return largest;
}

/* The unit of column i, by the largest value: its own, or that of all columns
 * that share it. */
static bool
choose_unit(const struct fmt *f, int i, const double *largest)
{
	const char *name = f->col[i].from->canon;
	struct human *h = &place[i].unit;
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
scale(const struct fmt *f, int i, const double *largest)
{
	struct place *p = &place[i];
	struct shown *s;
	int k;

	p->scaled = choose_unit(f, i, largest);
	for (k = 0; k < nkept && p->scaled; k++) {
		struct buf b = { 0 };

		s = &kept[k * f->ncol + i];
		human_put(&p->unit, &b, text.s + s->at, s->n);
		s->at = text.len;
		s->n = b.len;
		s->width = (int)b.len;
		buf_put(&text, b.s, b.len);
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
measure(const struct fmt *f, int i)
{
	struct fit_col *c = &fits[i];
	struct place *p = &place[i];
	int k, broken;

	if (p->scaled)
		human_head(&p->unit, &p->head, f->col[i].head);
	else
		c->head =
		    text_show(&p->head, f->col[i].head, strlen(f->col[i].head));
	c->head = p->scaled ? (int)p->head.len : c->head;
	c->num = p->right;
	c->copy = f->col[i].copy;
	for (k = 0; k < nkept; k++)
		if (kept[k * f->ncol + i].width > c->tight)
			c->tight = kept[k * f->ncol + i].width;
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
say_left_out(const struct fmt *f)
{
	struct buf b = { 0 };
	int i;

	for (i = nplace; i < f->ncol; i++) {
		buf_puts(&b, i > nplace ? "," : "");
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
choose_cut(const struct fmt *f, int i)
{
	const struct shown *s;
	int k;

	if (fits[i].num || fits[i].copy || fits[i].width >= fits[i].want)
		return;
	place[i].cut = cut_new(fits[i].width);
	for (k = 0; k < nkept; k++) {
		s = &kept[k * f->ncol + i];
		cut_add(place[i].cut, text.s + s->at, s->n, s->width);
	}
	cut_choose(place[i].cut);
}

static void
lay_out(const struct fmt *f)
{
	bool two = false;
	double *largest;
	int i;

	place = xcalloc((size_t)f->ncol, sizeof(*place));
	fits = xcalloc((size_t)f->ncol, sizeof(*fits));
	largest = xcalloc((size_t)f->ncol, sizeof(*largest));
	for (i = 0; i < f->ncol; i++) {
		place[i].right =
		    f->col[i].kind == COL_INT || f->col[i].kind == COL_NUM;
		if (f->human && place[i].right)
			largest[i] = largest_of(f, i);
	}
	for (i = 0; i < f->ncol; i++) {
		if (f->human && place[i].right)
			scale(f, i, largest);
		measure(f, i);
	}
	nplace = fit(fits, f->ncol, f->width > 0 ? f->width : INT_MAX, &two);
	say_left_out(f);
	for (i = 0; i < nplace; i++) {
		choose_cut(f, i);
		if (!two)
			place[i].head2 = 0;
	}
	put_head(f, two);
	free(largest);
}

static void
put_kept(struct fmt *f)
{
	int k;

	lay_out(f);
	for (k = 0; k < nkept; k++)
		put_row(f, kept + k * f->ncol);
	buf_clear(&text);
}

static void
table_begin(struct fmt *f)
{
	kept = xcalloc((size_t)f->ncol * KEPT, sizeof(*kept));
}

static void
table_row(struct fmt *f, const struct cell *v)
{
	struct shown *s = kept + (nkept < KEPT ? nkept * f->ncol : 0);
	int i;

	if (nkept == KEPT && place == NULL)
		put_kept(f);
	for (i = 0; i < f->ncol; i++)
		s[i] =
		    show(&f->col[i], place != NULL ? &place[i] : NULL, &v[i]);
	if (nkept < KEPT) {
		nkept++;
		return;
	}
	put_row(f, s);
	buf_clear(&text);
}

static void
table_end(struct fmt *f)
{
	if (f->begun && place == NULL)
		put_kept(f);
}

const struct sink sink_table = {
	"-w",
	table_begin,
	table_row,
	table_end,
};
