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

/* False if the alternative has a pair of bytes that the name has not. */
static bool
may_occur(const char *p, size_t m, const struct pat_name *name)
{
	size_t i;

	for (i = p[0] == '^'; i + 1 < m; i++)
		if (p[i] != '#' && p[i + 1] != '#' &&
		    (name->pairs[p[i] & 63] >> (p[i + 1] & 63) & 1) == 0)
			return false;
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
ends_alternative(char c)
{
	return c == '|' || c == ' ' || c == '\0';
}

/* Whether one of the alternatives at *at occurs in the first n bytes of the
 * name. Moves *at behind the term. */
static bool
any_of(const char **at, const struct pat_name *name, size_t n)
{
	const char *p = *at, *end;
	bool found = false;

	for (;; p = end + 1) {
		for (end = p; !ends_alternative(*end);)
			end++;
		if (!found && end > p && may_occur(p, (size_t)(end - p), name))
			found = occurs(p, (size_t)(end - p), name->s, n);
		if (*end != '|')
			break;
	}
	*at = end;
	return found;
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

void
pat_name_set(struct pat_name *p, const char *name, size_t n)
{
	size_t i;

	*p = (struct pat_name){ .s = name, .n = n };
	for (i = 0; i + 1 < n; i++)
		p->pairs[name[i] & 63] |= (uint64_t)1 << (name[i + 1] & 63);
}

bool
pat_find(const char *pat, const struct pat_name *name)
{
	const char *p = pat;
	size_t len;
	bool want;

	for (;;) {
		while (*p == ' ')
			p++;
		if (*p == '\0')
			return true;
		want = *p != '!';
		p += !want;
		len = name->n;
		if (*p == '@') {
			p++;
			len = base_len(name->s, name->n);
		}
		if (any_of(&p, name, len) != want)
			return false;
	}
}

bool
pat_match(const char *pat, const char *name, size_t n)
{
	struct pat_name p;

	pat_name_set(&p, name, n);
	return pat_find(pat, &p);
}
