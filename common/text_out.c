/* Text on its way out; see text_out.h. */
#include "array.h"
#include "esc.h"
#include "text_out.h"
#include "utf8.h"

/* The kinds of characters between which the rules distinguish. */
enum text_class {
	PLAIN,
	QUOTE, /* " and \ */
	TAB,
	LINE,    /* LF, CR */
	CONTROL, /* other control characters of ASCII, DEL */
	HIGH,    /* a byte of 0x80 or more: decoded, it is one of: */
	HIDDEN,  /* utf8_hidden() */
	INVALID, /* not UTF-8 */
	CLASSES
};

enum text_how {
	KEEP,
	BLANK,
	BACKSLASH, /* with a backslash before it */
	LETTER,    /* \n, \r */
	JSON_NAME, /*   etc. if JSON has a name, otherwise JSON_CODE */
	JSON_CODE, /* \u000a */
	HEX,       /* \x0a for each of its bytes */
	MARK,      /* U+FFFD */
	DECODE     /* HIGH: decode it first */
};

static const unsigned char how[TEXT_RULES][CLASSES] = {
	[TEXT_FIELD] = { KEEP, KEEP, KEEP, KEEP, HEX, DECODE, HEX, HEX },
	[TEXT_RAW] = { KEEP, KEEP, KEEP, KEEP, HEX, DECODE, HEX, HEX },
	[TEXT_JSON] = { KEEP, BACKSLASH, JSON_NAME, JSON_NAME, JSON_NAME,
	    DECODE, JSON_CODE, MARK },
	[TEXT_JSON_VALUE] = { KEEP, KEEP, KEEP, KEEP, JSON_NAME, DECODE,
	    JSON_CODE, MARK },
	[TEXT_JSON_STATS] = { KEEP, BACKSLASH, JSON_CODE, JSON_CODE, JSON_CODE,
	    DECODE, JSON_CODE, MARK },
	[TEXT_JSON_TRACE] = { KEEP, BACKSLASH, JSON_CODE, JSON_CODE, JSON_CODE,
	    DECODE, MARK, MARK },
	[TEXT_JSON_BYTES] = { KEEP, BACKSLASH, JSON_CODE, JSON_CODE, JSON_CODE,
	    KEEP },
	[TEXT_TSV_STATS] = { KEEP, KEEP, BLANK, LETTER, HEX, DECODE, HEX, HEX },
	[TEXT_COLUMN_STATS] = { KEEP, KEEP, BLANK, BLANK, BLANK, DECODE, BLANK,
	    MARK },
};

static enum text_class
class_of(unsigned char c)
{
	if (c >= 0x80)
		return HIGH;
	if (c == '\t')
		return TAB;
	if (c == '\n' || c == '\r')
		return LINE;
	return c < 0x20 || c == 0x7f ? CONTROL : QUOTE;
}

/* Printable ASCII except " and \: no rule changes it. */
static inline bool
is_plain(char c)
{
	return (unsigned char)c - 0x20u < 0x5fu && c != '"' && c != '\\';
}

static void
put_code(struct buf *b, long cp, bool names)
{
	static const char from[] = "\b\t\n\f\r", to[] = "btnfr";
	const char *p;

	if (names && cp != 0 && cp < 0x20 &&
	    (p = strchr(from, (int)cp)) != NULL) {
		buf_putc(b, '\\');
		buf_putc(b, to[p - from]);
	} else if (cp < 0x10000) {
		buf_printf(b, "\\u%04lx", (unsigned long)cp);
	} else { /* two surrogates, as in UTF-16 */
		buf_printf(b, "\\u%04lx\\u%04lx",
		    0xd7c0 + ((unsigned long)cp >> 10),
		    0xdc00 + ((unsigned long)cp & 0x3ff));
	}
}

/* The character of len bytes at s. */
static void
put_char(struct buf *b, const char *s, int len, long cp, enum text_how as)
{
	int i;

	switch (as) {
	case BLANK:
		buf_putc(b, ' ');
		break;
	case BACKSLASH:
		buf_putc(b, '\\');
		buf_putc(b, *s);
		break;
	case LETTER:
		buf_puts(b, *s == '\n' ? "\\n" : "\\r");
		break;
	case JSON_NAME:
	case JSON_CODE:
		put_code(b, cp, as == JSON_NAME);
		break;
	case HEX:
		for (i = 0; i < len; i++)
			buf_printf(b, "\\x%02x", (unsigned char)s[i]);
		break;
	case MARK:
		buf_puts(b, "\xef\xbf\xbd");
		break;
	default:
		buf_put(b, s, (size_t)len);
	}
}

void
text_put(struct buf *b, const char *s, size_t n, enum text_rule rule)
{
	const unsigned char *as = how[rule];
	size_t i = 0, from = 0;
	enum text_class c;
	long cp;
	int len;

	while (i < n) {
		if (is_plain(s[i]) ||
		    as[c = class_of((unsigned char)s[i])] == KEEP) {
			i++;
			continue;
		}
		len = utf8_next(s + i, n - i, &cp);
		if (c == HIGH)
			c = cp < 0 ? INVALID : utf8_hidden(cp) ? HIDDEN : PLAIN;
		if (as[c] != KEEP) {
			buf_put(b, s + from, i - from);
			put_char(b, s + i, len, cp, as[c]);
			from = i + (size_t)len;
		}
		i += (size_t)len;
	}
	buf_put(b, s + from, n - from);
}

void
text_put_field(struct buf *b, const char *s, size_t n, enum text_rule rule)
{
	struct buf raw = { 0 };

	if (rule == TEXT_FIELD || !esc_has(s, n)) {
		text_put(b, s, n, rule);
		return;
	}
	esc_undo(&raw, s, n);
	text_put(b, buf_str(&raw), raw.len, rule);
	buf_free(&raw);
}

size_t
text_chars(const char *s, size_t n)
{
	size_t i, chars = 0;

	for (i = 0; i < n; i++)
		chars += ((unsigned char)s[i] & 0xc0) != 0x80;
	return chars;
}

/* Code points that do not take one column. */
static const struct {
	long lo, hi;
	int width; /* 0: combines with the one before it; 2: wide */
} widths[] = {
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

/* -1: a terminal must not get it. */
static int
cp_width(long cp)
{
	size_t i;

	if (cp >= 0x20 && cp < 0x7f)
		return 1;
	if (utf8_hidden(cp))
		return -1;
	for (i = 0; i < ARRAY_LEN(widths); i++)
		if (cp >= widths[i].lo && cp <= widths[i].hi)
			return widths[i].width;
	return 1;
}

static bool
all_plain(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] - 0x20u >= 0x5fu || s[i] == '\\')
			return false;
	return true;
}

int
text_show(struct buf *b, const char *s, size_t n)
{
	int width = 0, len, w;
	bool dash;
	long cp;

	if (all_plain(s, n)) {
		buf_put(b, s, n);
		return (int)(n < 1u << 30 ? n : 1u << 30);
	}
	for (; n > 0; s += len, n -= (size_t)len) {
		/* An escape in the record's own text stays visible, except
		 * those of the backslash and of a bare "-". */
		if (*s == '\\') {
			dash = n >= 4 && memcmp(s, "\\x2d", 4) == 0;
			len = dash ? 4 : n >= 2 && s[1] == '\\' ? 2 : 1;
			buf_putc(b, dash ? '-' : '\\');
			width++;
			continue;
		}
		len = utf8_next(s, n, &cp);
		w = cp_width(cp);
		put_char(b, s, len, cp, w >= 0 ? KEEP : HEX);
		width += w >= 0 ? w : 4 * len;
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

void
text_blanks(struct buf *b, int n)
{
	for (; n > 0; n--)
		buf_putc(b, ' ');
}

/* The pieces of JSON, RFC 8259. */

#define MAX_DEPTH 256 /* of nested arrays and objects */

static size_t
digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

/* The length of the JSON number at the start of s; 0 if there is none. */
static size_t
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
json_quote(struct buf *out, const char *s, size_t n, enum text_rule rule)
{
	buf_putc(out, '"');
	text_put(out, s, n, rule);
	buf_putc(out, '"');
}

void
json_quote_field(struct buf *out, const char *s, size_t n, enum text_rule rule)
{
	buf_putc(out, '"');
	text_put_field(out, s, n, rule);
	buf_putc(out, '"');
}

static bool
has_four_hex(const char *s)
{
	int i;

	for (i = 0; i < 4; i++)
		if (s[i] == '\0' ||
		    strchr("0123456789abcdefABCDEF", s[i]) == NULL)
			return false;
	return true;
}

/* The length of the string at s, which is at its quote; 0 if it is not a
 * string. */
static size_t
string_len(const char *s, size_t n)
{
	size_t i, k;
	long cp;

	for (i = 1; i < n && s[i] != '"'; i += k) {
		k = (size_t)utf8_next(s + i, n - i, &cp);
		if (cp < 0x20)
			return 0;
		if (s[i] != '\\')
			continue;
		if (i + 1 >= n)
			return 0;
		k = s[i + 1] == 'u' ? 6 : 2;
		if (s[i + 1] == '\0' ||
		    strchr("\"\\/bfnrtu", s[i + 1]) == NULL || i + k > n)
			return 0;
		if (k == 6 && !has_four_hex(s + i + 2))
			return 0;
	}
	return i < n ? i + 1 : 0;
}

static size_t
word_len(const char *s, size_t n)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i, k;

	for (i = 0; i < 3; i++) {
		k = strlen(words[i]);
		if (n >= k && memcmp(s, words[i], k) == 0)
			return k;
	}
	return json_num_len(s, n);
}

/*
 * One pass with a stack of brackets. The states say what may come next: a value
 * (or the end of an empty array), a key (or the end of an empty object), or the
 * text after a value.
 */
enum json_next { VALUE, FIRST_VALUE, KEY, FIRST_KEY, AFTER };

struct json_check {
	char stack[MAX_DEPTH];
	int depth;
	enum json_next next;
};

static bool
open_close(struct json_check *c, char ch)
{
	if (ch == '[' || ch == '{') {
		if ((c->next != VALUE && c->next != FIRST_VALUE) ||
		    c->depth == MAX_DEPTH)
			return false;
		c->stack[c->depth++] = ch == '[' ? ']' : '}';
		c->next = ch == '[' ? FIRST_VALUE : FIRST_KEY;
		return true;
	}
	if (c->depth == 0 || c->stack[c->depth - 1] != ch || c->next == VALUE ||
	    c->next == KEY)
		return false;
	c->depth--;
	c->next = AFTER;
	return true;
}

static size_t
key_len(const char *s, size_t n)
{
	size_t i = s[0] == '"' ? string_len(s, n) : 0;

	if (i == 0)
		return 0;
	while (i < n && s[i] == ' ')
		i++;
	return i < n && s[i] == ':' ? i + 1 : 0;
}

/* Takes one token; returns its length, 0 if it is not allowed here. */
static size_t
token(struct json_check *c, const char *s, size_t n)
{
	size_t k;

	if (strchr("[]{}", s[0]) != NULL)
		return open_close(c, s[0]);
	if (c->next == AFTER) {
		if (s[0] != ',' || c->depth == 0)
			return 0;
		c->next = c->stack[c->depth - 1] == ']' ? VALUE : KEY;
		return 1;
	}
	if (c->next == KEY || c->next == FIRST_KEY) {
		c->next = VALUE;
		return key_len(s, n);
	}
	k = s[0] == '"' ? string_len(s, n) : word_len(s, n);
	c->next = AFTER;
	return k;
}

bool
json_valid(const char *s, size_t n)
{
	struct json_check c = { .next = VALUE };
	size_t i = 0, k;

	while (i < n) {
		if (s[i] == ' ') {
			i++;
			continue;
		}
		k = token(&c, s + i, n - i);
		if (k == 0)
			return false;
		i += k;
	}
	return c.next == AFTER && c.depth == 0;
}
