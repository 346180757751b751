/*
 * Taking C++ names apart. The names are whatever a profile holds, so nothing
 * here trusts brackets to be balanced; everything is linear and looks only
 * inside its span.
 */
#include <ctype.h>
#include <string.h>

#include "kernname_span.h"

static const struct span none = { "", 0 };

static bool
is_ident(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static struct span
slice(const char *from, const char *to)
{
	struct span a = { from, (size_t)(to - from) };

	while (a.n > 0 && a.s[0] == ' ') {
		a.s++;
		a.n--;
	}
	while (a.n > 0 && a.s[a.n - 1] == ' ')
		a.n--;
	return a;
}

struct span
span_of(const char *text)
{
	struct span a = { text, strlen(text) };

	return a;
}

bool
span_is(struct span a, const char *text)
{
	return a.n == strlen(text) && memcmp(a.s, text, a.n) == 0;
}

bool
span_starts(struct span a, const char *text)
{
	size_t n = strlen(text);

	return a.n >= n && memcmp(a.s, text, n) == 0;
}

bool
span_has(struct span a, const char *text)
{
	size_t n = strlen(text);

	for (; a.n >= n; a.s++, a.n--)
		if (a.s[0] == text[0] && memcmp(a.s, text, n) == 0)
			return true;
	return false;
}

struct span
span_after(struct span a, const char *word)
{
	size_t i, n = strlen(word);

	for (i = 0; i + n <= a.n; i++) {
		if (a.s[i] != word[0] || memcmp(a.s + i, word, n) != 0)
			continue;
		if (i > 0 && is_ident(a.s[i - 1]))
			continue;
		if (i + n < a.n && is_ident(a.s[i + n]))
			continue;
		return (struct span){ a.s + i + n, a.n - i - n };
	}
	return none;
}

struct span
span_base(struct span path)
{
	size_t i = 0, from = 0;

	while (i < path.n && path.s[i] != '<' && path.s[i] != '(') {
		if (path.s[i] == ':' || path.s[i] == ' ' || path.s[i] == '&')
			from = i + 1;
		i++;
	}
	return slice(path.s + from, path.s + i);
}

struct span
span_arg(struct span name, int i)
{
	const char *s = memchr(name.s, '<', name.n);
	const char *end = name.s + name.n, *from;
	int depth = 0;

	if (s == NULL)
		return none;
	for (from = ++s; s < end; s++) {
		if (*s == '<' || *s == '(' || *s == '[' || *s == '{')
			depth++;
		if (depth == 0 && (*s == ',' || *s == '>')) {
			if (i-- == 0)
				return slice(from, s);
			if (*s == '>')
				return none;
			from = s + 1;
		}
		if (depth > 0 &&
		    (*s == '>' || *s == ')' || *s == ']' || *s == '}'))
			depth--;
	}
	return none;
}

long
span_number(struct span a)
{
	size_t i = 0;
	long v = 0;

	/* Digits inside identifiers (uint4) are none of the number. */
	while (i < a.n && !isdigit((unsigned char)a.s[i])) {
		while (i < a.n && is_ident(a.s[i]))
			i++;
		if (i < a.n && !isdigit((unsigned char)a.s[i]))
			i++;
	}
	if (i == a.n)
		return -1;
	for (; i < a.n && isdigit((unsigned char)a.s[i]) && v < 1000000; i++)
		v = v * 10 + (a.s[i] - '0');
	return v;
}
