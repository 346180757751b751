/*
 * A table for people, fitted to a width: numbers on the right and never cut,
 * text on the left and cut inside. The first rows are kept to choose units and
 * widths; later rows use the same. With -u only the first row is, for the
 * widths: each value has its own unit, because later ones are not known.
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "err.h"
#include "fmt.h"
#include "map.h"
#include "num.h"
#include "text_out.h"

/*
 * Fits a table into its width. Numbers get the columns that they need. The
 * widest text is cut first, but stays readable; if that is not enough, the last
 * columns are left out.
 *
 * Texts that are wider than their column are cut inside, so that both ends
 * show. Names of kernels and layers often differ in one place only, so the cut
 * is moved, for a whole column or for a single text, until different texts look
 * different.
 */

#define FIT_GAP 2 /* blanks between columns */

struct fit_col {
	int want;  /* width of its widest value or header */
	int tight; /* the same with a header in two lines */
	int head;  /* the header, in one line */
	bool num;  /* never cut */
	bool sizes;
	bool copy; /* never cut either, because people copy it: rather a line
		    * is too long */
	int width; /* the result */
};

#define CUT_MARK ".." /* replaces the part that was cut */

#define READABLE 8 /* text is cut to no less */
#define SIZES 16   /* and shapes, of which less says nothing, to this */
#define LEAST 3    /* except to this if there is only one more column */

static bool
shrink(struct fit_col *c, int n, int room, bool split)
{
	int i, widest, w, total = FIT_GAP * (n - 1);
	int least = n > 2 ? READABLE : LEAST;

	for (i = 0; i < n; i++) {
		c[i].width = split ? c[i].tight : c[i].want;
		total += c[i].width;
	}
	for (; total > room; total--) {
		for (i = 0, widest = -1; i < n; i++) {
			/* the least width of a text */
			w = c[i].sizes ? SIZES : c[i].head;
			w = least == READABLE && w > least ? w : least;
			if (!c[i].num && !c[i].copy && c[i].want >= w &&
			    c[i].width > w &&
			    (widest < 0 || c[i].width > c[widest].width))
				widest = i;
		}
		if (widest < 0)
			return false;
		c[widest].width--;
	}
	return true;
}

/* Sets the widths so that the columns fit into room: first by headers in two
 * lines, then by cutting the widest text. Returns how many columns, from the
 * left, have room at all; *split: headers take two lines. If there is a column
 * that people copy, all columns are kept even without room. */
static int
fit(struct fit_col *c, int n, int room, bool *split)
{
	int i, total = FIT_GAP * (n - 1);
	bool copy = false;

	*split = false;
	for (i = 0; i < n; i++) {
		total += c[i].want;
		copy |= c[i].copy;
	}
	if (total > room)
		for (i = 0; i < n; i++)
			*split = *split || c[i].tight < c[i].want;
	while (!shrink(c, n, room, *split) && n > 1 && !copy)
		n--;
	for (i = 0, total = FIT_GAP * (n - 1); i < n; i++)
		total += c[i].width;
	for (i = 0; i < n && copy && total > room; i++)
		c[i].width = *split ? c[i].tight : c[i].want;
	if (n == 1 && c->width > room && !copy)
		c->width = room;
	return n;
}

/* The same for one row, whose numbers need need[i] columns: takes the missing
 * width from the widest text. Sets width[i]. */
static void
fit_row(const struct fit_col *c, int n, const int *need, int *width)
{
	int i, k, lack = 0;

	for (i = 0; i < n; i++) {
		width[i] = c[i].width;
		if (c[i].num && need[i] > width[i])
			lack += need[i] - width[i];
	}
	if (lack == 0)
		return;
	for (i = 0, k = -1; i < n; i++)
		if (!c[i].num && !c[i].copy && (k < 0 || width[i] > width[k]))
			k = i;
	if (k < 0 || width[k] - lack < LEAST)
		return;
	width[k] -= lack;
	for (i = 0; i < n; i++)
		if (c[i].num && need[i] > width[i])
			width[i] = need[i];
}

#define AS_SUITS (-1)

#define MIDDLE (1 << 20) /* more than a head can have */

struct cut_col {
	int width;
	int head; /* for all texts */
	/* text -> columns of its head + 2; 0: the same as for all; from
	 * MIDDLE on: what begins there is shown behind its beginning */
	struct smap texts;
	int *text_width; /* by number in texts */
};

/* Appends s[0..n), a text as shown, in exactly width columns: as much of its
 * beginning as fits into head columns, the mark, and its end. head < 0: a
 * choice that suits the text. */
static void
cut_put(struct buf *b, const char *s, size_t n, int width, int head)
{
	int room = width - (int)sizeof(CUT_MARK) + 1, used, used2;
	size_t from, to;

	if (room < 1) {
		buf_put(b, CUT_MARK, (size_t)(width > 0 ? width : 0));
		return;
	}
	if (head >= MIDDLE) { /* behind some of its beginning */
		buf_put(
		    b, s, text_head(s, n, width < 10 ? 0 : width / 4, &used));
		buf_puts(b, CUT_MARK);
		from = (size_t)(head - MIDDLE);
		cut_put(b, s + from, n - from, room - used, width);
		return;
	}
	/* the end of a path is more telling than its beginning; for shapes it
	 * is the beginning */
	if (head < 0)
		head = n > 0 && s[0] == '['        ? room - room / 4
		       : memchr(s, '/', n) != NULL ? room / 3
						   : (room + 1) / 2;
	if (head > room)
		head = room;
	from = text_head(s, n, head, &used);
	to = text_tail(s, n, room - used, &used2);
	buf_put(b, s, from);
	buf_puts(b, CUT_MARK);
	buf_put(b, s + n - to, to);
	for (; used + used2 < room; used++)
		buf_putc(b, ' ');
}

/* Text id as shown with that head: its number in shown. */
static uint32_t
try_head(const struct cut_col *c, struct smap *shown, uint32_t id, int head,
    bool *is_new)
{
	struct buf b = { 0 };
	const char *s;
	uint32_t k;
	size_t n;

	s = smap_str(&c->texts, id, &n);
	if (c->text_width[id] <= c->width)
		buf_put(&b, s, n);
	else
		cut_put(&b, s, n, c->width, head);
	k = smap_put(shown, b.s, b.len, is_new);
	buf_free(&b);
	return k;
}

/* The number of texts that are shown like another one with that head. */
static size_t
clashes(const struct cut_col *c, int head)
{
	struct smap shown = { 0 };
	size_t n = 0;
	uint32_t id;
	bool is_new;

	for (id = 0; id < c->texts.n; id++) {
		try_head(c, &shown, id, head, &is_new);
		n += !is_new;
	}
	smap_free(&shown);
	return n;
}

/* Texts that differ in their middles only: shows the first part that no other
 * text shows, from where the text differs from its twin. */
static bool
show_middle(struct cut_col *c, struct smap *shown, uint32_t id, uint32_t twin)
{
	const int least = 2 * (int)(sizeof(CUT_MARK) - 1) + 2;
	size_t n, other, at = 0;
	bool is_new = false;
	const char *t = smap_str(&c->texts, twin, &other);
	const char *s = smap_str(&c->texts, id, &n);

	while (at < n && at < other && s[at] == t[at])
		at++;
	if (at + (size_t)c->width > n)
		at = n > (size_t)c->width ? n - (size_t)c->width : 1;
	for (; !is_new && c->width > least && at + (size_t)c->width <= n;
	     at++) {
		if (((unsigned char)s[at] & 0xc0) == 0x80) /* in a character */
			continue;
		try_head(c, shown, id, MIDDLE + (int)at, &is_new);
		if (is_new)
			c->texts.val[id] = (uint64_t)(MIDDLE + (int)at) + 2;
	}
	return is_new;
}

/* Gives texts that are still shown like an earlier one a cut of their own: the
 * same two ends, cut elsewhere, tell nothing, but are better than equal texts.
 */
static void
move_single(struct cut_col *c)
{
	struct smap shown = { 0 };
	uint32_t id, at;
	bool is_new;
	int head, k;

	for (id = 0; id < c->texts.n; id++) {
		at = try_head(c, &shown, id, c->head, &is_new);
		if (is_new)
			shown.val[at] = id;
		else
			is_new =
			    show_middle(c, &shown, id, (uint32_t)shown.val[at]);
		for (k = 0; !is_new && k < c->width; k++) {
			head = (c->width + (k % 2 ? -k : k)) / 2;
			try_head(c, &shown, id, head, &is_new);
			if (is_new)
				c->texts.val[id] = (uint64_t)head + 2;
		}
	}
	smap_free(&shown);
}

/* Called after all texts were added: chooses the places so that different texts
 * look different, if possible. */
static void
cut_choose(struct cut_col *c)
{
	static const int eighths[] = { 4, 3, 5, 2, 6, 1, 7 };
	size_t least = clashes(c, AS_SUITS), n, i;
	int head;

	for (i = 0; least > 0 && i < ARRAY_LEN(eighths); i++) {
		head = (c->width - 2) * eighths[i] / 8;
		n = clashes(c, head);
		if (n < least) {
			least = n;
			c->head = head;
		}
	}
	if (least > 0)
		move_single(c);
}

struct fitted_cell { /* a cell: its place in text */
	size_t at, n;
	int width;
	bool num;
};

struct fitted_col { /* a column of the table */
	bool right, scaled;
	struct human unit;
	struct buf head;
	size_t head2; /* start of the header's second line; 0 if it has one
		       * line */
	struct cut_col *cut;
};

struct fitted {
	struct buf text;
	struct fitted_cell *kept; /* rows of cells */
	int nkept;
	struct fitted_col *place; /* NULL until the layout is made */
	struct fit_col *fits;
	int nplace;        /* columns that have room */
	int *need, *width; /* of the row that is being written */
};

#define KEPT 2000     /* rows that decide units and widths */
#define MAX_TEXT 1000 /* the widest column, whatever its values are */

/* The kept cell of row k in column i. */
static struct fitted_cell *
kept_cell(const struct fitted *t, const struct fmt *f, int k, int i)
{
	return &t->kept[k * f->ncol + i];
}

/* Puts the kept values of column i into its unit: its own, or that of all
 * columns that share it. */
static void
scale(struct fitted *t, const struct fmt *f, int i, const double *largest)
{
	struct fitted_col *p = &t->place[i];
	struct fitted_cell *s;
	int k;

	p->scaled = f->at_once ? human_own_unit(&p->unit, f->col[i].from->canon)
			       : human_column(&p->unit, f, i, largest);
	for (k = 0; k < t->nkept && p->scaled; k++) {
		struct buf b = { 0 };

		s = kept_cell(t, f, k, i);
		human_put(&p->unit, &b, t->text.s + s->at, s->n);
		s->at = t->text.len;
		s->n = b.len;
		s->width = (int)b.len;
		buf_put(&t->text, b.s, b.len);
		buf_free(&b);
	}
}

static void
measure(struct fitted *t, const struct fmt *f, int i)
{
	struct fit_col *c = &t->fits[i];
	struct fitted_col *p = &t->place[i];
	const struct buf *head = &p->head;
	size_t k, longer, least;
	int row, broken;

	if (f->human) {
		if (!p->scaled)
			p->unit = (struct human){ 0 };
		people_head(
		    &p->unit, &p->head, rec_type_tag(f->type), f->col[i].head);
		c->head = (int)head->len;
	} else {
		c->head =
		    text_show(&p->head, f->col[i].head, strlen(f->col[i].head));
	}
	c->num = p->right || (f->human && people_whole(f->col[i].from->canon));
	c->sizes = strcmp(f->col[i].from->canon, "shapes") == 0;
	c->copy = f->col[i].copy;
	for (row = 0; row < t->nkept; row++)
		if (kept_cell(t, f, row, i)->width > c->tight)
			c->tight = kept_cell(t, f, row, i)->width;
	if (p->unit.own && c->tight < HUMAN_OWN_WIDTH)
		c->tight = HUMAN_OWN_WIDTH;
	if (c->tight > MAX_TEXT)
		c->tight = MAX_TEXT;
	c->want = c->tight > c->head ? c->tight : c->head;
	/* the best place to break a header into two lines: after a blank */
	least = head->len;
	for (k = 1; c->num && f->human && c->tight < c->head && k < head->len;
	     k++) {
		longer = k > head->len - k ? k : head->len - k;
		if (head->s[k - 1] == ' ' && longer < least) {
			least = longer;
			p->head2 = k;
		}
	}
	broken = (int)(head->len - p->head2);
	broken = broken > (int)p->head2 ? broken : (int)p->head2;
	if (p->head2 == 0)
		c->tight = c->want;
	else if (c->tight < broken)
		c->tight = broken;
}

#define SPARE 32 /* columns to which a text is widened */

/* With -u later texts may be longer than that of the first row: these share the
 * room that is left. */
static void
widen(struct fitted *t, const struct fmt *f)
{
	int i, room = f->width - FIT_GAP * (t->nplace - 1);
	bool more = true;

	for (i = 0; i < t->nplace; i++)
		room -= t->fits[i].width;
	while (more && room > 0)
		for (i = 0, more = false; i < t->nplace && room > 0; i++) {
			struct fit_col *c = &t->fits[i];

			if (c->num || c->width <= c->head || c->width >= SPARE)
				continue;
			c->width++;
			room--;
			more = true;
		}
}

/* Chooses where texts of column i are cut. */
static void
choose_cut(struct fitted *t, const struct fmt *f, int i)
{
	const struct fitted_cell *s;
	struct cut_col *c;
	bool is_new;
	uint32_t id;
	int k;

	if (t->fits[i].num || t->fits[i].copy ||
	    t->fits[i].width >= t->fits[i].want)
		return;
	c = t->place[i].cut = xcalloc(1, sizeof(*c));
	c->width = t->fits[i].width;
	c->head = AS_SUITS;
	c->text_width = xcalloc((size_t)t->nkept + 1, sizeof(*c->text_width));
	for (k = 0; k < t->nkept; k++) {
		s = kept_cell(t, f, k, i);
		id = smap_put(&c->texts, t->text.s + s->at, s->n, &is_new);
		if (is_new)
			c->text_width[id] = s->width;
	}
	cut_choose(c);
}

/* Makes the layout of the kept rows and warns about columns without room. True
 * if a header has two lines. */
static bool
lay_out(struct fitted *t, const struct fmt *f)
{
	size_t ncol = (size_t)f->ncol;
	const struct fitted_cell *s;
	struct buf left_out = { 0 };
	bool two = false, any = false;
	double v, *largest = xcalloc(ncol, sizeof(*largest));
	int i, k, n = f->ncol;

	/* a sparse column at the end is not shown if no row has a value */
	for (k = 0; k < t->nkept && !any; k++) {
		s = kept_cell(t, f, k, n - 1);
		any = s->n != 1 || t->text.s[s->at] != '-';
	}
	if (n > 1 && f->col[n - 1].sparse && !any)
		n--;
	t->place = xcalloc(ncol, sizeof(*t->place));
	t->fits = xcalloc(ncol, sizeof(*t->fits));
	for (i = 0; i < f->ncol; i++) {
		t->place[i].right = column_is_num(&f->col[i]);
		if (f->human && t->place[i].right)
			for (k = 0; k < t->nkept; k++) {
				s = kept_cell(t, f, k, i);
				if (num_f64(t->text.s + s->at, s->n, &v) &&
				    fabs(v) > largest[i])
					largest[i] = fabs(v);
			}
	}
	for (i = 0; i < f->ncol; i++) {
		if (f->human && t->place[i].right)
			scale(t, f, i, largest);
		measure(t, f, i);
	}
	t->nplace = fit(t->fits, n, f->width > 0 ? f->width : INT_MAX, &two);
	if (f->at_once)
		widen(t, f);
	for (i = t->nplace; i < n; i++) {
		buf_puts(&left_out, i > t->nplace ? "," : "");
		buf_puts(&left_out, f->col[i].head);
	}
	if (left_out.len > 0)
		warn("left out for lack of room: %.900s (-w 0 shows all)",
		    buf_str(&left_out));
	buf_free(&left_out);
	for (i = 0; i < t->nplace; i++) {
		choose_cut(t, f, i);
		if (!two)
			t->place[i].head2 = 0;
	}
	free(largest);
	return two;
}

/* The text of a value; p is NULL until there is a layout. */
static struct fitted_cell
show(struct fitted *t, const struct fmt_column *c, const struct fitted_col *p,
    const struct writer_cell *v, bool human)
{
	bool num = column_is_num(c);
	struct fitted_cell s = { .at = t->text.len, .num = num };
	const char *words = NULL;

	if (human)
		words = people_value(c->from->canon, v->s, v->n);
	if (words != NULL) {
		s.width = text_show(&t->text, words, strlen(words));
		s.num = false;
	} else if (v->s == NULL) {
		buf_putc(&t->text, '-');
		s.width = 1;
	} else if (p != NULL && p->scaled) {
		human_put(&p->unit, &t->text, v->s, v->n);
		s.width = (int)(t->text.len - s.at);
	} else {
		s.width = text_show(&t->text, v->s, v->n);
		s.num = num && json_is_num(v->s, v->n);
	}
	s.n = t->text.len - s.at;
	return s;
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
put_fitted_row(const struct fmt *f, const struct fitted_cell *v)
{
	const struct fitted *t = f->state;
	const struct fitted_col *p;
	const char *s;
	uint32_t id;
	int i, pad, w, head;

	for (i = 0; i < t->nplace; i++)
		t->need[i] = v[i].width;
	fit_row(t->fits, t->nplace, t->need, t->width);
	for (i = 0; i < t->nplace; i++) {
		p = &t->place[i];
		s = t->text.s + v[i].at;
		w = t->width[i];
		pad = w - v[i].width;
		if (p->right)
			text_blanks(&out_buf, pad);
		if (pad >= 0 || f->width == 0 || (f->at_once && v[i].num)) {
			buf_put(&out_buf, s, v[i].n);
		} else if (v[i].num) {
			/* part of a number would be a different number */
			for (head = 0; head < w; head++)
				buf_putc(&out_buf, '#');
		} else {
			head = AS_SUITS;
			if (p->cut != NULL && w == t->fits[i].width) {
				head = p->cut->head;
				id = smap_find(&p->cut->texts, s, v[i].n);
				if (id != SMAP_NONE &&
				    p->cut->texts.val[id] > 0)
					head = (int)p->cut->texts.val[id] - 2;
			}
			cut_put(&out_buf, s, v[i].n, w, head);
		}
		text_blanks(
		    &out_buf, (p->right || pad < 0 ? 0 : pad) + FIT_GAP);
	}
	end_line();
}

/* Line 0 is the upper one; a header of one line is in line 1. */
static void
put_head(const struct fmt *f, int line)
{
	const struct fitted *t = f->state;
	const struct fitted_col *p;
	size_t from, to;
	int i, pad;

	if (f->bold)
		buf_puts(&out_buf, "\033[1m");
	for (i = 0; i < t->nplace; i++) {
		p = &t->place[i];
		from = line == 1 ? p->head2 : 0;
		to = line == 1 ? p->head.len : p->head2;
		pad = t->fits[i].width - (int)(to - from);
		if (p->right)
			text_blanks(&out_buf, pad);
		if (pad < 0)
			cut_put(&out_buf, p->head.s, p->head.len,
			    t->fits[i].width, -1);
		else
			buf_put(&out_buf, p->head.s + from, to - from);
		text_blanks(
		    &out_buf, (p->right || pad < 0 ? 0 : pad) + FIT_GAP);
	}
	end_line();
	if (f->bold) {
		out_buf.len--;
		buf_puts(&out_buf, "\033[0m\n");
	}
}

static void
put_kept(struct fmt *f)
{
	struct fitted *t = f->state;
	int k;

	if (lay_out(t, f))
		put_head(f, 0);
	put_head(f, 1);
	for (k = 0; k < t->nkept; k++)
		put_fitted_row(f, t->kept + k * f->ncol);
	buf_clear(&t->text);
}

static void
table_begin(struct fmt *f)
{
	struct fitted *t = f->state;

	t->kept = xcalloc((size_t)f->ncol * KEPT, sizeof(*t->kept));
	t->need = xcalloc((size_t)f->ncol, sizeof(*t->need));
	t->width = xcalloc((size_t)f->ncol, sizeof(*t->width));
}

static void
table_row(struct fmt *f, const struct writer_cell *v)
{
	struct fitted *t = f->state;
	struct fitted_cell *s;
	int i;

	if (t->nkept == KEPT && t->place == NULL)
		put_kept(f);
	s = t->kept + (t->place == NULL ? t->nkept * f->ncol : 0);
	for (i = 0; i < f->ncol; i++)
		s[i] = show(t, &f->col[i],
		    t->place != NULL ? &t->place[i] : NULL, &v[i], f->human);
	if (t->nkept < KEPT && t->place == NULL) {
		t->nkept++;
		if (f->at_once)
			put_kept(f);
		return;
	}
	put_fitted_row(f, s);
	buf_clear(&t->text);
}

static void
table_end(struct fmt *f)
{
	const struct fitted *t = f->state;

	if (f->begun && t->place == NULL)
		put_kept(f);
}

const struct sink sink_table = {
	.option = "-w",
	.state = sizeof(struct fitted),
	.fitted = true,
	.begin = table_begin,
	.row = table_row,
	.end = table_end,
};
