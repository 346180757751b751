/*
 * Text for people: what a terminal shows of a value, and how many columns
 * that takes. A profile must not be able to move the cursor, to change
 * colours or to reverse the direction of text.
 */
#include "esc.h"
#include "text.h"
#include "utf8.h"

static const struct {
	long lo, hi;
	int width; /* 0: combines; 2: wide */
} ranges[] = {
	{ 0x0300, 0x036f, 0 },
	{ 0x1100, 0x115f, 2 },
	{ 0x2e80, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 },
	{ 0xf900, 0xfaff, 2 },
	{ 0xfe00, 0xfe0f, 0 },
	{ 0xfe30, 0xfe6f, 2 },
	{ 0xff00, 0xff60, 2 },
	{ 0xffe0, 0xffe6, 2 },
	{ 0x1f300, 0x1faff, 2 },
	{ 0x20000, 0x3fffd, 2 },
};

/* -1: not shown as it is. */
static int
cp_width(long cp)
{
	size_t i;

	if (cp >= 0x20 && cp < 0x7f)
		return 1;
	if (utf8_hidden(cp))
		return -1;
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (cp >= ranges[i].lo && cp <= ranges[i].hi)
			return ranges[i].width;
	return 1;
}

static void
put_hex(struct buf *b, const char *s, int n)
{
	static const char hex[] = "0123456789abcdef";
	int i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		buf_put(b, "\\x", 2);
		buf_putc(b, hex[c >> 4]);
		buf_putc(b, hex[c & 15]);
	}
}

static bool
is_plain(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] - 0x20u >= 0x5fu || s[i] == '\\')
			return false;
	return true;
}

/* An escape in the record's own text stays visible as it is, except those
 * of the backslash and of a bare "-". */
static size_t
put_escape(struct buf *b, const char *s, size_t n, int *width)
{
	if (n >= 2 && s[1] == '\\') {
		buf_putc(b, '\\');
		*width += 1;
		return 2;
	}
	if (n >= 4 && s[1] == 'x' && s[2] == '2' && s[3] == 'd') {
		buf_putc(b, '-');
		*width += 1;
		return 4;
	}
	buf_putc(b, '\\');
	*width += 1;
	return 1;
}

int
text_show(struct buf *b, const char *s, size_t n)
{
	int width = 0, len, w;
	long cp;

	if (is_plain(s, n)) {
		buf_put(b, s, n);
		return (int)(n < 1u << 30 ? n : 1u << 30);
	}
	while (n > 0) {
		if (*s == '\\') {
			size_t k = put_escape(b, s, n, &width);

			s += k;
			n -= k;
			continue;
		}
		len = utf8_next(s, n, &cp);
		w = cp_width(cp);
		if (w >= 0)
			buf_put(b, s, (size_t)len);
		else
			put_hex(b, s, len);
		width += w >= 0 ? w : 4 * len;
		s += len;
		n -= (size_t)len;
	}
	return width;
}

size_t
text_head(const char *s, size_t n, int width, int *used)
{
	size_t at = 0;
	long cp;
	int w = 0, len, k;

	while (at < n) {
		len = utf8_next(s + at, n - at, &cp);
		k = cp_width(cp);
		if (w + k > width)
			break;
		w += k;
		at += (size_t)len;
	}
	*used = w;
	return at;
}

size_t
text_tail(const char *s, size_t n, int width, int *used)
{
	size_t at = n, from;
	long cp;
	int w = 0, k;

	while (at > 0) {
		from = at - 1;
		while (from > 0 && ((unsigned char)s[from] & 0xc0) == 0x80)
			from--;
		utf8_next(s + from, at - from, &cp);
		k = cp_width(cp);
		if (w + k > width)
			break;
		w += k;
		at = from;
	}
	*used = w;
	return n - at;
}
