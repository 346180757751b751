/*
 * A table for people, fitted to a width: numbers to the right and never cut,
 * text to the left and cut in the middle, where kernel names and paths
 * differ least. The widths come from the first rows, which are kept for that;
 * later rows follow the same widths.
 */
#include <stdlib.h>

#include "err.h"
#include "fmt.h"

#define KEPT 2000     /* rows that decide the widths */
#define GAP 2         /* blanks between columns */
#define MARK ".."     /* what was cut */
#define MIN_TEXT 8    /* text is cut to no less */
#define MAX_TEXT 1000 /* columns are no wider, whatever a value is */

struct shown { /* a cell of a kept row: its place in text */
	size_t at, n;
	int width;
	bool num;
};

static struct buf text;
static struct shown *kept;
static int nkept;
static int *width; /* per column */

static bool
is_num(const struct column *c)
{
	return c->kind == COL_INT || c->kind == COL_NUM;
}

static struct shown
show(const struct column *c, const struct cell *v)
{
	struct shown s = { .at = text.len };

	if (v->s == NULL) {
		buf_putc(&text, '-');
		s.width = 1;
		s.num = is_num(c);
	} else {
		s.width = text_show(&text, v->s, v->n);
		s.num = is_num(c) && json_number(v->s, v->n);
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
put_cut(const char *s, size_t n, int w)
{
	int room = w - (int)sizeof(MARK) + 1, used, used2;
	size_t head, tail;

	if (room < 2)
		room = 2;
	/* of a path the end tells more */
	head = text_head(
	    s, n, memchr(s, '/', n) ? room / 3 : (room + 1) / 2, &used);
	tail = text_tail(s, n, room - used, &used2);
	buf_put(&out_buf, s, head);
	buf_puts(&out_buf, MARK);
	buf_put(&out_buf, s + n - tail, tail);
	put_blanks(room - used - used2);
}

static void
put_cell(const struct fmt *f, int i, const struct shown *v)
{
	const char *s = text.s + v->at;
	bool right = is_num(&f->col[i]);
	int pad = width[i] - v->width;

	if (right)
		put_blanks(pad);
	if (pad < 0 && !v->num && f->width > 0)
		put_cut(s, v->n, width[i]);
	else
		buf_put(&out_buf, s, v->n);
	if (i < f->ncol - 1)
		put_blanks((right || pad < 0 ? 0 : pad) + GAP);
}

static void
put_row(const struct fmt *f, const struct shown *v)
{
	int i;

	for (i = 0; i < f->ncol; i++)
		put_cell(f, i, &v[i]);
	while (out_buf.len > 0 && out_buf.s[out_buf.len - 1] == ' ')
		out_buf.len--;
	buf_putc(&out_buf, '\n');
	out_check();
}

/* The widest of the columns that can be cut, -1 if none can. */
static int
widest(const struct fmt *f, const int *least)
{
	int i, best = -1;

	for (i = 0; i < f->ncol; i++)
		if (!is_num(&f->col[i]) && width[i] > least[i] &&
		    (best < 0 || width[i] > width[best]))
			best = i;
	return best;
}

/* Takes from the widest text columns until the table fits, or nothing is
 * left to take. */
static void
fit(const struct fmt *f, const int *least)
{
	int i, total = GAP * (f->ncol - 1);

	for (i = 0; i < f->ncol; i++) {
		if (width[i] > MAX_TEXT)
			width[i] = MAX_TEXT;
		total += width[i];
	}
	while (f->width > 0 && total > f->width) {
		i = widest(f, least);
		if (i < 0)
			break;
		width[i]--;
		total--;
	}
}

static void
put_head(struct fmt *f)
{
	struct shown *h = xcalloc((size_t)f->ncol, sizeof(*h));
	int *least = xcalloc((size_t)f->ncol, sizeof(*least));
	int i, k;

	width = xcalloc((size_t)f->ncol, sizeof(*width));
	for (i = 0; i < f->ncol; i++) {
		struct cell c = { f->col[i].head, strlen(f->col[i].head) };

		h[i] = show(&f->col[i], &c);
		h[i].num = true; /* not cut */
		width[i] = h[i].width;
		least[i] = width[i] > MIN_TEXT ? width[i] : MIN_TEXT;
		for (k = 0; k < nkept; k++)
			if (kept[k * f->ncol + i].width > width[i])
				width[i] = kept[k * f->ncol + i].width;
	}
	fit(f, least);
	if (f->bold)
		buf_puts(&out_buf, "\033[1m");
	put_row(f, h);
	if (f->bold) {
		out_buf.len--;
		buf_puts(&out_buf, "\033[0m\n");
	}
	free(h);
	free(least);
}

static void
put_kept(struct fmt *f)
{
	int k;

	put_head(f);
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

	if (nkept == KEPT && width == NULL)
		put_kept(f);
	for (i = 0; i < f->ncol; i++)
		s[i] = show(&f->col[i], &v[i]);
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
	if (f->begun && width == NULL)
		put_kept(f);
}

const struct sink sink_table = {
	"table",
	table_begin,
	table_row,
	table_end,
};
