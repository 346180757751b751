/*
 * For reading row by row: a line for each value that is set, behind its
 * column's name, and an empty line between rows. Where lines have a width,
 * words are wrapped under the value's beginning.
 */
#include "fmt.h"
#include "text_out.h"

static int label;  /* the longest name */
static bool later; /* a row stands before */

static void
xtab_begin(struct fmt *f)
{
	int i, n;

	for (i = 0; i < f->ncol; i++) {
		n = (int)strlen(f->col[i].head);
		label = n > label ? n : label;
	}
}

static void
spaces(int n)
{
	while (n-- > 0)
		buf_putc(&out_buf, ' ');
}

/* The bytes of s that go on a line: up to the last blank that fits, or as
 * much as fits where there is none. */
static size_t
line_len(const char *s, size_t n, int width)
{
	int used;
	size_t fit = text_head(s, n, width, &used), k;

	if (fit >= n)
		return n;
	for (k = fit; k > 0 && s[k] != ' ';)
		k--;
	return k > 0 ? k : fit > 0 ? fit : n;
}

static void
put_wrapped(const char *s, size_t n, int width)
{
	size_t k;

	while (width > 10 && (k = line_len(s, n, width)) < n) {
		buf_put(&out_buf, s, k);
		buf_putc(&out_buf, '\n');
		spaces(label + 2);
		for (; k < n && s[k] == ' ';)
			k++;
		s += k;
		n -= k;
	}
	buf_put(&out_buf, s, n);
	buf_putc(&out_buf, '\n');
}

static void
xtab_row(struct fmt *f, const struct writer_cell *v)
{
	const char *head;
	int i;

	if (later)
		buf_putc(&out_buf, '\n');
	later = true;
	for (i = 0; i < f->ncol; i++) {
		if (v[i].s == NULL)
			continue;
		head = f->col[i].head;
		buf_puts(&out_buf, head);
		spaces(label + 2 - (int)strlen(head));
		buf_clear(&f->tmp);
		text_show(&f->tmp, v[i].s, v[i].n);
		put_wrapped(buf_str(&f->tmp), f->tmp.len, f->width - label - 2);
	}
}

static void
xtab_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_xtab = { "xtab", xtab_begin, xtab_row, xtab_end };
