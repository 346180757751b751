/* See json_text.h. */
#include "json_text.h"

static size_t
digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

size_t
json_num_len(const char *s, size_t n)
{
	size_t i = n > 0 && s[0] == '-', k;

	k = digits(s + i, n - i);
	if (k == 0 || (k > 1 && s[i] == '0'))
		return 0;
	i += k;
	if (i < n && s[i] == '.') {
		k = digits(s + i + 1, n - i - 1);
		if (k == 0)
			return 0;
		i += k + 1;
	}
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		i += i < n && (s[i] == '+' || s[i] == '-');
		k = digits(s + i, n - i);
		if (k == 0)
			return 0;
		i += k;
	}
	return i;
}

bool
json_is_num(const char *s, size_t n)
{
	return n > 0 && json_num_len(s, n) == n;
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
