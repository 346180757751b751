/*
 * A table for people, fitted to a width: numbers to the right and never cut,
 * text to the left and cut inside. Units and widths come from the first rows,
 * which are kept for that; later rows follow them. table_lay.c lays it out.
 */
#include "err.h"
#include "json_text.h"
#include "table.h"
#include "text_out.h"

#define KEPT 2000 /* rows that decide units and widths */

static struct table tab;

static struct shown
show(const struct column *c, const struct place *p, const struct writer_cell *v)
{
	bool num = c->kind == COL_INT || c->kind == COL_NUM;
	struct shown s = { .at = tab.text.len, .num = num };

	if (v->s == NULL) {
		buf_putc(&tab.text, '-');
		s.width = 1;
	} else if (p != NULL && p->scaled) {
		human_put(&p->unit, &tab.text, v->s, v->n);
		s.width = (int)(tab.text.len - s.at);
	} else {
		s.width = text_show(&tab.text, v->s, v->n);
		s.num = num && json_is_num(v->s, v->n);
	}
	s.n = tab.text.len - s.at;
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
	const char *s = tab.text.s + v->at;
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

	need = xrealloc(need, (size_t)tab.nplace, sizeof(*need));
	width = xrealloc(width, (size_t)tab.nplace, sizeof(*width));
	for (i = 0; i < tab.nplace; i++)
		need[i] = v[i].width;
	fit_row(tab.fits, tab.nplace, need, width);
	for (i = 0; i < tab.nplace; i++) {
		pad = width[i] - v[i].width;
		if (tab.place[i].right)
			put_blanks(pad);
		if (pad < 0 && f->width > 0)
			put_cut(&tab.place[i], &v[i], width[i],
			    width[i] == tab.fits[i].width);
		else
			buf_put(&out_buf, tab.text.s + v[i].at, v[i].n);
		put_blanks((tab.place[i].right || pad < 0 ? 0 : pad) + FIT_GAP);
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

	for (i = 0; i < tab.nplace; i++) {
		h = &tab.place[i].head;
		from = line == 1 ? tab.place[i].head2 : 0;
		to = line == 1 ? h->len : tab.place[i].head2;
		pad = tab.fits[i].width - (int)(to - from);
		if (tab.place[i].right)
			put_blanks(pad);
		if (pad < 0)
			cut_put(&out_buf, h->s, h->len, tab.fits[i].width, -1);
		else
			buf_put(&out_buf, h->s + from, to - from);
		put_blanks((tab.place[i].right || pad < 0 ? 0 : pad) + FIT_GAP);
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

static void
put_kept(struct fmt *f)
{
	int k;

	put_head(f, table_lay(&tab, f));
	for (k = 0; k < tab.nkept; k++)
		put_row(f, tab.kept + k * f->ncol);
	buf_clear(&tab.text);
}

static void
table_begin(struct fmt *f)
{
	tab.kept = xcalloc((size_t)f->ncol * KEPT, sizeof(*tab.kept));
}

static void
table_row(struct fmt *f, const struct writer_cell *v)
{
	struct shown *s =
	    tab.kept + (tab.nkept < KEPT ? tab.nkept * f->ncol : 0);
	int i;

	if (tab.nkept == KEPT && tab.place == NULL)
		put_kept(f);
	for (i = 0; i < f->ncol; i++)
		s[i] = show(&f->col[i],
		    tab.place != NULL ? &tab.place[i] : NULL, &v[i]);
	if (tab.nkept < KEPT) {
		tab.nkept++;
		return;
	}
	put_row(f, s);
	buf_clear(&tab.text);
}

static void
table_end(struct fmt *f)
{
	if (f->begun && tab.place == NULL)
		put_kept(f);
}

const struct sink sink_table = {
	"-w",
	table_begin,
	table_row,
	table_end,
};
