/* The pieces of JSON, RFC 8259; see json_text.h. */
#include "json_text.h"

#include "utf8.h"

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
