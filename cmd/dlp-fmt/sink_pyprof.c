/*
 * The three forms of PyProf's own output: separated by blanks, CSV with
 * every value quoted, or columns of its widths, where kernel and params share
 * what is left of the width, text is cut on the right and numbers are not.
 */
#include <stdlib.h>

#include "err.h"
#include "esc.h"
#include "pycols.h"
#include "text_out.h"

static const struct pycol **cols; /* per column */
static int *widths;

static const struct pycol *
find(const char *header)
{
	const struct pycol *p;

	for (p = pycols; strcmp(p->header, header) != 0; p++)
		;
	return p;
}

/* PyProf refuses a width that its narrowest columns do not fit in. */
static void
set_widths(const struct fmt *f)
{
	int i, sum = 0, nfree = 0;

	for (i = 0; i < f->ncol; i++) {
		widths[i] = cols[i]->width;
		sum += widths[i];
	}
	if (sum > f->width)
		die("-w: these columns need a width of at least %d", sum);
	for (i = 0; i < f->ncol; i++)
		nfree += widths[i] == 0;
	for (i = 0; i < f->ncol; i++)
		if (widths[i] == 0)
			widths[i] = (f->width - sum) / nfree;
}

static void
put_blanks(int n)
{
	for (; n > 0; n--)
		buf_putc(&out_buf, ' ');
}

/* One value, escaped text, in columns. */
static void
put_wide(int w, bool num, const char *s, size_t n)
{
	static struct buf shown;
	int used;

	buf_clear(&shown);
	used = text_show(&shown, s, n);
	if (num)
		put_blanks(w - used);
	else if (used > w)
		shown.len = text_head(shown.s, shown.len, w, &used);
	buf_put(&out_buf, shown.s, shown.len);
	if (!num)
		put_blanks(w - used);
	buf_putc(&out_buf, ' ');
}

static void
put_csv(const char *s, size_t n)
{
	static struct buf raw;
	size_t i;

	buf_clear(&raw);
	esc_undo(&raw, s, n);
	buf_putc(&out_buf, '"');
	for (i = 0; i < raw.len; i++) {
		if (raw.s[i] == '"')
			buf_putc(&out_buf, '"');
		buf_putc(&out_buf, raw.s[i]);
	}
	buf_putc(&out_buf, '"');
}

static void
put(const struct fmt *f, int i, bool num, const char *s, size_t n)
{
	if (f->width > 0) {
		put_wide(widths[i], num, s, n);
		return;
	}
	if (i > 0)
		buf_putc(&out_buf, f->py_csv ? ',' : ' ');
	if (f->py_csv)
		put_csv(s, n);
	else
		text_show(&out_buf, s, n);
}

static void
py_begin(struct fmt *f)
{
	int i;

	cols = xcalloc((size_t)f->ncol, sizeof(*cols));
	widths = xcalloc((size_t)f->ncol, sizeof(*widths));
	for (i = 0; i < f->ncol; i++)
		cols[i] = find(f->col[i].head);
	if (f->width > 0)
		set_widths(f);
	for (i = 0; i < f->ncol; i++)
		put(f, i, false, cols[i]->header, strlen(cols[i]->header));
	buf_putc(&out_buf, '\n');
}

static void
py_row(struct fmt *f, const struct writer_cell *v)
{
	int i;

	for (i = 0; i < f->ncol; i++) {
		const struct pycol *p = cols[i];

		if (v[i].s == NULL && p->unset != NULL) {
			put(f, i, p->num, p->unset, strlen(p->unset));
		} else if (p->put != NULL) {
			buf_clear(&f->tmp);
			p->put(f, &f->tmp, &v[i]);
			put(f, i, p->num, buf_str(&f->tmp), f->tmp.len);
		} else {
			put(f, i, p->num, v[i].s, v[i].n);
		}
	}
	buf_putc(&out_buf, '\n');
}

static void
py_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_pyprof = { "pyprof", py_begin, py_row, py_end };
