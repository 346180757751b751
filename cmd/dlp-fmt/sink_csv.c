/*
 * Comma-separated values as RFC 4180 has them, lines ending in LF: a value
 * stands as it is, escapes undone; one with a comma, a quote, CR or LF is
 * quoted. Unset is a bare -, a text that is just - is quoted. With --quote,
 * columns are quoted always, and unset is empty. With --guard, text that a
 * spreadsheet would take for a formula has a ' in front.
 */
#include "esc.h"
#include "fmt.h"
#include "num.h"

/* 1: the value must be quoted; 2: it holds an escape */
static const unsigned char special[256] = {
	['"'] = 1,
	[','] = 1,
	['\n'] = 1,
	['\r'] = 1,
	['\\'] = 2,
};

#define ALWAYS 4

static void
quoted(const char *s, size_t n)
{
	const char *q;

	buf_putc(&out_buf, '"');
	while (n > 0 && (q = memchr(s, '"', n)) != NULL) {
		size_t k = (size_t)(q - s) + 1;

		buf_put(&out_buf, s, k);
		buf_putc(&out_buf, '"');
		s += k;
		n -= k;
	}
	buf_put(&out_buf, s, n);
	buf_putc(&out_buf, '"');
}

/* Numbers stay numbers, with their sign. */
static bool
is_formula(const char *s, size_t n)
{
	double x;

	return n > 0 && strchr("=+-@\t\r\n", s[0]) != NULL && s[0] != '\0' &&
	       !num_f64(s, n, &x);
}

static void
put_value(struct fmt *f, const char *s, size_t n, unsigned char x)
{
	size_t i;

	for (i = 0; i < n; i++)
		x |= special[(unsigned char)s[i]];
	if (x & 2) {
		buf_clear(&f->tmp);
		esc_undo(&f->tmp, s, n);
		s = buf_str(&f->tmp);
		n = f->tmp.len;
		x &= ALWAYS;
		x |= n == 1 && s[0] == '-';
		for (i = 0; i < n; i++)
			x |= special[(unsigned char)s[i]];
	}
	if (f->guard && is_formula(s, n)) {
		struct buf b = { 0 };

		buf_putc(&b, '\'');
		buf_put(&b, s, n);
		buf_free(&f->tmp);
		f->tmp = b;
		s = buf_str(&f->tmp);
		n = f->tmp.len;
	}
	if (x & (1 | ALWAYS))
		quoted(s, n);
	else
		buf_put(&out_buf, s, n);
}

static void
csv_begin(struct fmt *f)
{
	int i;

	if (f->title != NULL) {
		buf_puts(&out_buf, f->title);
		buf_putc(&out_buf, '\n');
	}
	for (i = 0; i < f->ncol; i++) {
		if (i > 0)
			buf_putc(&out_buf, ',');
		put_value(f, f->col[i].head, strlen(f->col[i].head), 0);
	}
	buf_putc(&out_buf, '\n');
}

static void
csv_row(struct fmt *f, const struct cell *v)
{
	int i;

	for (i = 0; i < f->ncol; i++) {
		if (i > 0)
			buf_putc(&out_buf, ',');
		if (v[i].s != NULL)
			put_value(
			    f, v[i].s, v[i].n, f->col[i].quote ? ALWAYS : 0);
		else if (f->quotes == NULL)
			buf_putc(&out_buf, '-');
		else if (f->col[i].quote)
			buf_puts(&out_buf, "\"\"");
	}
	buf_putc(&out_buf, '\n');
}

static void
csv_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_csv = { "csv", csv_begin, csv_row, csv_end };
