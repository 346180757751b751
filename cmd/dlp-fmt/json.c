/* The pieces of JSON, RFC 8259; see json.h. */
#include "json.h"

#include "esc.h"
#include "json_text.h"
#include "utf8.h"

#define MAX_DEPTH 256 /* of nested arrays and objects */

static void
put_control(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char names[] = "\bb\tt\nn\ff\rr";
	const char *p;

	for (p = names; *p != '\0'; p += 2)
		if ((unsigned char)*p == c) {
			buf_putc(b, '\\');
			buf_putc(b, p[1]);
			return;
		}
	buf_puts(b, "\\u00");
	buf_putc(b, hex[c >> 4]);
	buf_putc(b, hex[c & 15]);
}

/* All of them are legal in a string, but not to a terminal. */
static void
put_cp(struct buf *b, const char *s, int len, long cp)
{
	if (cp < 0)
		buf_puts(b, "\xef\xbf\xbd");
	else if (cp < 0x20 || cp == 0x7f)
		put_control(b, (unsigned char)cp);
	else if (utf8_hidden(cp) && cp < 0x10000)
		buf_printf(b, "\\u%04lx", (unsigned long)cp);
	else if (utf8_hidden(cp))
		buf_printf(b, "\\u%04lx\\u%04lx",
		    0xd7c0 + ((unsigned long)cp >> 10),
		    0xdc00 + ((unsigned long)cp & 0x3ff));
	else
		buf_put(b, s, (size_t)len);
}

static void
put_text(struct buf *b, const char *s, size_t n)
{
	size_t i = 0, from = 0;
	long cp;
	int len;

	while (i < n) {
		if ((unsigned char)s[i] - 0x20u < 0x5fu && s[i] != '"' &&
		    s[i] != '\\') {
			i++;
			continue;
		}
		buf_put(b, s + from, i - from);
		if (s[i] == '"' || s[i] == '\\') {
			buf_putc(b, '\\');
			buf_putc(b, s[i]);
			len = 1;
		} else {
			len = utf8_next(s + i, n - i, &cp);
			put_cp(b, s + i, len, cp);
		}
		i += (size_t)len;
		from = i;
	}
	buf_put(b, s + from, n - from);
}

void
json_raw(struct buf *b, const char *s, size_t n)
{
	size_t i = 0;
	long cp;
	int len;

	for (; i < n; i += (size_t)len) {
		len = 1;
		if ((unsigned char)s[i] < 0x7f) {
			buf_putc(b, s[i]);
			continue;
		}
		len = utf8_next(s + i, n - i, &cp);
		put_cp(b, s + i, len, cp);
	}
}

void
json_string(struct buf *b, const char *s, size_t n)
{
	static struct buf raw;

	buf_putc(b, '"');
	if (esc_has(s, n)) {
		buf_clear(&raw);
		esc_undo(&raw, s, n);
		put_text(b, buf_str(&raw), raw.len);
	} else {
		put_text(b, s, n);
	}
	buf_putc(b, '"');
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

/* The length of the string that s (at its quote) begins with, 0 if it is
 * none. */
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
 * One pass with a stack of brackets. What may come next: a value (or the
 * end of an empty array), a key (or the end of an empty object), or what
 * follows a value.
 */
enum state { VALUE, FIRST_VALUE, KEY, FIRST_KEY, AFTER };

struct check {
	char stack[MAX_DEPTH];
	int depth;
	enum state st;
};

static bool
open_close(struct check *c, char ch)
{
	if (ch == '[' || ch == '{') {
		if ((c->st != VALUE && c->st != FIRST_VALUE) ||
		    c->depth == MAX_DEPTH)
			return false;
		c->stack[c->depth++] = ch == '[' ? ']' : '}';
		c->st = ch == '[' ? FIRST_VALUE : FIRST_KEY;
		return true;
	}
	if (c->depth == 0 || c->stack[c->depth - 1] != ch || c->st == VALUE ||
	    c->st == KEY)
		return false;
	c->depth--;
	c->st = AFTER;
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

/* Takes one token; its length, 0 if it may not stand here. */
static size_t
token(struct check *c, const char *s, size_t n)
{
	size_t k;

	if (strchr("[]{}", s[0]) != NULL)
		return open_close(c, s[0]);
	if (c->st == AFTER) {
		if (s[0] != ',' || c->depth == 0)
			return 0;
		c->st = c->stack[c->depth - 1] == ']' ? VALUE : KEY;
		return 1;
	}
	if (c->st == KEY || c->st == FIRST_KEY) {
		c->st = VALUE;
		return key_len(s, n);
	}
	k = s[0] == '"' ? string_len(s, n) : word_len(s, n);
	c->st = AFTER;
	return k;
}

bool
json_valid(const char *s, size_t n)
{
	struct check c = { .st = VALUE };
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
	return c.st == AFTER && c.depth == 0;
}
