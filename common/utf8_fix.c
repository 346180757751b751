/* See utf8_fix.h. */
#include "utf8_fix.h"
#include "utf8.h"

void
utf8_fix(struct buf *out, const char *s, size_t n)
{
	size_t i = 0, from = 0;
	long cp;
	int len;

	while (i < n) {
		len = utf8_next(s + i, n - i, &cp);
		if (cp < 0 || (cp >= 0x80 && utf8_hidden(cp))) {
			buf_put(out, s + from, i - from);
			buf_puts(out, "\xef\xbf\xbd");
			from = i + (size_t)len;
		}
		i += (size_t)len;
	}
	buf_put(out, s + from, n - from);
}

void
utf8_show(struct buf *out, const char *s, size_t n)
{
	int len, i;
	long cp;

	for (; n > 0; s += len, n -= (size_t)len) {
		len = utf8_next(s, n, &cp);
		if (!utf8_hidden(cp)) {
			buf_put(out, s, (size_t)len);
			continue;
		}
		for (i = 0; i < len; i++)
			buf_printf(out, "\\x%02x", (unsigned char)s[i]);
	}
}

bool
utf8_shown(const char *s, size_t n)
{
	int len;
	long cp;

	for (; n > 0; s += len, n -= (size_t)len) {
		len = utf8_next(s, n, &cp);
		if (utf8_hidden(cp))
			return false;
	}
	return true;
}
