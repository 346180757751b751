/* Escapes of values, and the TABs between them; see esc.h. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdint.h>

#include "esc.h"

#ifdef __SSE2__
#define AT_ONCE 16

/* True if one of these bytes is not plain. */
static bool
special(const char *s)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
	__m128i low = _mm_min_epu8(v, _mm_set1_epi8(0x1f));

	return _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(low, v),
		   _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')),
		       _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f))))) != 0;
}
#else
#define AT_ONCE 8
#define EACH(byte) (0x0101010101010101u * (byte))

/* The same; tests all bytes together for zero and for values below a bound. */
static bool
special(const char *s)
{
	uint64_t w, esc, del;

	memcpy(&w, s, 8);
	esc = w ^ EACH('\\');
	del = w ^ EACH(0x7f);
	return ((((w - EACH(0x20)) & ~w) | ((esc - EACH(1)) & ~esc) |
		    ((del - EACH(1)) & ~del)) &
		   EACH(0x80)) != 0;
}
#endif

static void
put_one(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char from[] = "\\\t\n\r", to[] = "\\tnr";
	const char *p = memchr(from, c, sizeof(from) - 1);
	char e[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

	if (p != NULL)
		e[1] = to[p - from];
	buf_put(b, e, p != NULL ? 2 : 4);
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
		while (i + AT_ONCE <= n && !special(s + i))
			i += AT_ONCE;
		/* the last bytes: checked together with bytes before them */
		if (i + AT_ONCE > n && n >= AT_ONCE &&
		    !special(s + n - AT_ONCE))
			break;
		if (i == n)
			break;
		if ((unsigned char)s[i] >= 0x20 && s[i] != '\\' && s[i] != 0x7f)
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

#ifdef __SSE2__
/* The TABs among 16 bytes, a bit each. */
static inline uint64_t
in_16(const char *s)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);

	return (unsigned)_mm_movemask_epi8(
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
}

/* Stores the places of the TABs in m, counted from s, after k others. */
static inline int
tabs_in(uint64_t m, const char *s, const char **p, int k, int max)
{
	if (max - k >= 64)
		for (; m != 0; m &= m - 1)
			p[k++] = s + __builtin_ctzll(m) + 1;
	for (; m != 0; m &= m - 1, k++)
		if (k < max)
			p[k] = s + __builtin_ctzll(m) + 1;
	return k;
}
#endif

int
tabs_find(const char *s, size_t n, const char **p, int max)
{
	const char *end = s + n;
	int k = 0;

#ifdef __SSE2__
	for (; end - s >= 64; s += 64)
		k = tabs_in(in_16(s) | in_16(s + 16) << 16 |
				in_16(s + 32) << 32 | in_16(s + 48) << 48,
		    s, p, k, max);
	for (; end - s >= 16; s += 16)
		k = tabs_in(in_16(s), s, p, k, max);
#endif
	for (; s < end; s++)
		if (*s == '\t') {
			if (k < max)
				p[k] = s + 1;
			k++;
		}
	return k;
}
