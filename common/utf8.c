/* UTF-8; see utf8.h. */
#include "utf8.h"

int
utf8_next(const char *s, size_t n, long *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char lo, hi;
	int len, i;

	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	*cp = -1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 1;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	/* the second byte: no overlong forms, no surrogates, nothing above
	 * U+10FFFF */
	lo = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
	hi = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
	for (i = 1; i < len; i++) {
		if ((size_t)i >= n || p[i] < lo || p[i] > hi)
			return i;
		lo = 0x80;
		hi = 0xbf;
	}
	*cp = p[0] & (0x7f >> len);
	for (i = 1; i < len; i++)
		*cp = *cp << 6 | (p[i] & 0x3f);
	return len;
}

void
utf8_put(struct buf *out, unsigned long cp)
{
	int left; /* bytes after the first */

	if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		cp = 0xfffd;
	left = (cp >= 0x80) + (cp >= 0x800) + (cp >= 0x10000);
	buf_putc(out, (char)(left == 0 ? cp
				       : (0xff00ul >> (left + 1) & 0xff) |
					     cp >> 6 * left));
	while (left-- > 0)
		buf_putc(out, (char)(0x80 | (cp >> 6 * left & 63)));
}

/* pipelines/reports/awk/plain.awk has the same list. */
bool
utf8_hidden(long cp)
{
	static const long ranges[][2] = { { 0x00, 0x1f }, { 0x7f, 0x9f },
		{ 0xad, 0xad }, { 0x034f, 0x034f }, { 0x061c, 0x061c },
		{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0x3164, 0x3164 }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 },
		{ 0xfff9, 0xfffb }, { 0xe0000, 0x10ffff } };
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (cp >= ranges[i][0] && cp <= ranges[i][1])
			return true;
	return cp < 0;
}

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
