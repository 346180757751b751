/* The matcher of name patterns; see pat.h. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "pat.h"

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

/* True if s[0..n) begins with p[0..m). */
static bool
match_here(const char *p, size_t m, const char *s, size_t n)
{
	size_t i, j;

	for (i = j = 0; i < m; i++) {
		if (j == n)
			return false;
		if (p[i] != '#') {
			if (p[i] != s[j++])
				return false;
			continue;
		}
		if (!digit(s[j]))
			return false;
		while (j < n && digit(s[j]))
			j++;
	}
	return true;
}

/* True if the alternative p[0..m) occurs in s[0..n). */
static bool
occurs(const char *p, size_t m, const char *s, size_t n)
{
	size_t i;

	if (m > 0 && p[0] == '^')
		return match_here(p + 1, m - 1, s, n);
	if (memchr(p, '#', m) == NULL)
		return memmem(s, n, p, m) != NULL;
	for (i = 0; i < n; i++)
		if ((s[i] == p[0] || p[0] == '#') &&
		    match_here(p, m, s + i, n - i))
			return true;
	return false;
}

static bool
any_of(const char *p, size_t m, const char *s, size_t n)
{
	const char *end = p + m, *bar;

	for (; p < end; p = bar + 1) {
		bar = memchr(p, '|', (size_t)(end - p));
		if (bar == NULL)
			bar = end;
		if (occurs(p, (size_t)(bar - p), s, n))
			return true;
	}
	return false;
}

/* The end of the function's own name: the first argument list that is not the
 * anonymous namespace. */
static size_t
base_len(const char *s, size_t n)
{
	static const char *const skip[] = { "(anonymous namespace)",
		"<unnamed>" };
	size_t i, k, m;

	for (i = 0; i < n; i++) {
		if (s[i] != '<' && s[i] != '(')
			continue;
		for (k = 0; k < 2; k++) {
			m = strlen(skip[k]);
			if (n - i >= m && memcmp(s + i, skip[k], m) == 0)
				break;
		}
		if (k == 2)
			break;
	}
	return i;
}

bool
pat_match(const char *pat, const char *name, size_t n)
{
	const char *p = pat;
	size_t m, len;
	bool want;

	for (; *p != '\0'; p += m) {
		p += strspn(p, " ");
		m = strcspn(p, " ");
		if (m == 0)
			break;
		want = *p != '!';
		if (!want) {
			p++;
			m--;
		}
		len = n;
		if (*p == '@') {
			p++;
			m--;
			len = base_len(name, n);
		}
		if (any_of(p, m, name, len) != want)
			return false;
	}
	return true;
}
