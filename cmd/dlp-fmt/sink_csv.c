/*
 * Comma-separated values as RFC 4180 has them, lines ending in LF: a value
 * stands as it is, escapes undone; one with a comma, a quote, CR or LF is
 * quoted. Unset is a bare -, a text that is just - is quoted.
 */
#include "esc.h"
#include "fmt.h"

/* 1: the value must be quoted; 2: it holds an escape */
static const unsigned char special[256] = {
	['"'] = 1,
	[','] = 1,
	['\n'] = 1,
	['\r'] = 1,
	['\\'] = 2,
};

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

static void
put_value(struct fmt *f, const char *s, size_t n)
{
	unsigned char x = 0;
	size_t i;

	for (i = 0; i < n; i++)
		x |= special[(unsigned char)s[i]];
	if (x & 2) {
		buf_clear(&f->tmp);
		esc_undo(&f->tmp, s, n);
		s = buf_str(&f->tmp);
		n = f->tmp.len;
		x = n == 1 && s[0] == '-';
		for (i = 0; i < n; i++)
			x |= special[(unsigned char)s[i]];
	}
	if (x & 1)
		quoted(s, n);
	else
		buf_put(&out_buf, s, n);
}

static void
csv_begin(struct fmt *f)
{
	int i;

	for (i = 0; i < f->ncol; i++) {
		if (i > 0)
			buf_putc(&out_buf, ',');
		put_value(f, f->col[i].head, strlen(f->col[i].head));
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
		if (v[i].s == NULL)
			buf_putc(&out_buf, '-');
		else
			put_value(f, v[i].s, v[i].n);
	}
	buf_putc(&out_buf, '\n');
}

static void
csv_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_csv = { "csv", csv_begin, csv_row, csv_end };
