/* See json_text.h. */
#include "json_text.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *
digits(const char *s, const char *e)
{
	while (s < e && is_digit(*s))
		s++;
	return s;
}

bool
json_is_num(const char *s, size_t n)
{
	const char *e = s + n, *d;

	if (s < e && *s == '-')
		s++;
	d = digits(s, e);
	if (d == s || (*s == '0' && d - s > 1))
		return false;
	s = d;
	if (s < e && *s == '.') {
		d = digits(++s, e);
		if (d == s)
			return false;
		s = d;
	}
	if (s < e && (*s | 0x20) == 'e') {
		s++;
		if (s < e && (*s == '+' || *s == '-'))
			s++;
		d = digits(s, e);
		if (d == s)
			return false;
		s = d;
	}
	return s == e;
}

void
json_quote(struct buf *out, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	buf_putc(out, '"');
	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\') {
			buf_putc(out, '\\');
			buf_putc(out, s[i]);
		} else if (c < 0x20 || c == 0x7f) {
			buf_puts(out, "\\u00");
			buf_putc(out, hex[c >> 4]);
			buf_putc(out, hex[c & 15]);
		} else {
			buf_putc(out, s[i]);
		}
	}
	buf_putc(out, '"');
}
