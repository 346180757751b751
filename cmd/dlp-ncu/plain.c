/* See plain.h. */
#include <string.h>

#include "plain.h"

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* Behind the bracket that closes the one at s[i]. */
static size_t
behind(const char *s, size_t n, size_t i)
{
	char open = s[i], close = open == '(' ? ')' : open == '{' ? '}' : ']';
	size_t depth = 0;

	for (; i < n; i++) {
		depth += s[i] == open;
		if (s[i] == close && --depth == 0)
			return i + 1;
	}
	return n;
}

static void
put_word(struct buf *out, const char *s, size_t n)
{
	static const struct {
		const char *word, *plain;
	} words[] = { { "void", "" }, { "const", "" }, { "true", "1" },
		{ "false", "0" } };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == n &&
		    memcmp(words[i].word, s, n) == 0) {
			buf_puts(out, words[i].plain);
			return;
		}
	if (*s >= '0' && *s <= '9') /* 3ul */
		while (n > 1 && strchr("uUlL", s[n - 1]) != NULL)
			n--;
	buf_put(out, s, n);
}

void
plain_name(struct buf *out, const char *s, size_t n)
{
	static const char unnamed[] = "<unnamed>";
	size_t i = 0, end;

	while (i < n) {
		end = i + 1;
		if (is_word(s[i])) {
			while (end < n && is_word(s[end]))
				end++;
			if (n - end < 2 || memcmp(s + end, "::", 2) != 0)
				put_word(out, s + i, end - i);
		} else if (s[i] == '(' || s[i] == '{' || s[i] == '[') {
			end = behind(s, n, i);
			if (n - i > 7 && memcmp(s + i + 1, "lambda", 6) == 0)
				buf_puts(out, "lambda");
		} else if (n - i >= sizeof(unnamed) - 1 &&
			   memcmp(s + i, unnamed, sizeof(unnamed) - 1) == 0) {
			end = i + sizeof(unnamed) - 1;
		} else if (s[i] != ' ' && s[i] != ':') {
			buf_putc(out, s[i]);
		}
		i = end;
	}
}
