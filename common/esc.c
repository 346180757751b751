/* Escapes of values; see esc.h. */
#include "esc.h"

static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c != '\\' && c != 0x7f;
}

#define EACH(byte) (0x0101010101010101u * (byte))

/* True if one of eight bytes is not plain. Tests all bytes together for zero
 * and for values below a bound. */
static bool
word_special(const char *s)
{
	uint64_t w, esc, del;

	memcpy(&w, s, 8);
	esc = w ^ EACH('\\');
	del = w ^ EACH(0x7f);
	return ((((w - EACH(0x20)) & ~w) | ((esc - EACH(1)) & ~esc) |
		    ((del - EACH(1)) & ~del)) &
		   EACH(0x80)) != 0;
}

static void
put_one(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char e[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

	switch (c) {
	case '\\':
		buf_put(b, "\\\\", 2);
		break;
	case '\t':
		buf_put(b, "\\t", 2);
		break;
	case '\n':
		buf_put(b, "\\n", 2);
		break;
	case '\r':
		buf_put(b, "\\r", 2);
		break;
	default:
		buf_put(b, e, 4);
	}
}

void
esc_put(struct buf *b, const char *s, size_t n)
{
	size_t i, from = 0;

	if (n == 1 && s[0] == '-') {
		buf_put(b, "\\x2d", 4);
		return;
	}
	for (i = 0; i < n; i++) {
		while (i + 8 <= n && !word_special(s + i))
			i += 8;
		/* the last bytes: checked together with bytes before them */
		if (i + 8 > n && n >= 8 && !word_special(s + n - 8))
			break;
		if (i == n)
			break;
		if (is_plain((unsigned char)s[i]))
			continue;
		buf_put(b, s + from, i - from);
		put_one(b, (unsigned char)s[i]);
		from = i + 1;
	}
	buf_put(b, s + from, n - from);
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Reads one escape at s[0] == '\\'; returns its length. */
static size_t
undo_one(struct buf *b, const char *s, size_t n)
{
	static const char from[] = "\\tnr", to[] = "\\\t\n\r";
	const char *p;

	if (n >= 2 && s[1] != '\0' && (p = strchr(from, s[1])) != NULL) {
		buf_putc(b, to[p - from]);
		return 2;
	}
	if (n >= 4 && s[1] == 'x' && hex_digit(s[2]) >= 0 &&
	    hex_digit(s[3]) >= 0) {
		buf_putc(b, (char)(hex_digit(s[2]) * 16 + hex_digit(s[3])));
		return 4;
	}
	buf_putc(b, '\\');
	return 1;
}

void
esc_undo(struct buf *b, const char *s, size_t n)
{
	const char *p;

	while (n > 0 && (p = memchr(s, '\\', n)) != NULL) {
		size_t k = (size_t)(p - s);

		buf_put(b, s, k);
		k += undo_one(b, p, n - k);
		s += k;
		n -= k;
	}
	buf_put(b, s, n);
}
