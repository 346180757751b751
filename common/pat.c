/* The matcher of name patterns; see pat.h. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "array.h"
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

struct pat_alt {
	const char *p;
	size_t len;
	size_t term; /* of the next term, the number of its first alternative */
	char pair[4]; /* its first and its last pair, if it is so marked */
	bool pairs, want, base; /* base: of the function's own name */
};

static bool
plain(char c)
{
	return c != '#' && c != '^';
}

static void
add_alternative(struct pat_code *code, const char *p, size_t len,
    const struct pat_alt *like)
{
	struct pat_alt *a;

	ARRAY_GROW(code->v, code->n, code->cap);
	a = &code->v[code->n++];
	*a = *like;
	a->p = p;
	a->len = len;
	a->pairs = len > 1 && plain(p[0]) && plain(p[1]) && plain(p[len - 2]) &&
		   plain(p[len - 1]);
	if (!a->pairs)
		return;
	memcpy(a->pair, p, 2);
	memcpy(a->pair + 2, p + len - 2, 2);
}

/* Takes the pattern apart; the memory of code is used again. */
static void
take_apart(struct pat_code *code, const char *p)
{
	const char *end;
	size_t first;

	for (code->n = 0;;) {
		struct pat_alt like = { .want = true };

		while (*p == ' ')
			p++;
		if (*p == '\0')
			return;
		like.want = *p != '!';
		p += !like.want;
		like.base = *p == '@';
		p += like.base;
		for (first = code->n;; p = end + 1) {
			end = p + strcspn(p, "| ");
			add_alternative(code, p, (size_t)(end - p), &like);
			if (*end != '|')
				break;
		}
		for (p = end; first < code->n; first++)
			code->v[first].term = code->n;
	}
}

void
pat_compile(struct pat_code *code, const char *pat)
{
	*code = (struct pat_code){ 0 };
	take_apart(code, pat);
}

void
pat_free(struct pat_code *code)
{
	free(code->v);
	*code = (struct pat_code){ 0 };
}

static bool
has_pair(const struct pat_name *name, const char *pair)
{
	return (name->pairs[pair[0] & 63] >> (pair[1] & 63) & 1) != 0;
}

static bool
alternative_in(const struct pat_alt *a, const struct pat_name *name)
{
	if (a->pairs &&
	    (!has_pair(name, a->pair) || !has_pair(name, a->pair + 2)))
		return false;
	return a->len > 0 && may_occur(a->p, a->len, name) &&
	       occurs(a->p, a->len, name->s,
		   a->base ? base_len(name->s, name->n) : name->n);
}

bool
pat_find_code(const struct pat_code *code, const struct pat_name *name)
{
	const struct pat_alt *a = code->v, *end = code->v + code->n, *next;
	bool want;

	for (; a < end; a = next) {
		next = code->v + a->term;
		want = a->want;
		while (a < next && !alternative_in(a, name))
			a++;
		if ((a < next) != want)
			return false;
	}
	return true;
}

bool
pat_match(const char *pat, const char *name, size_t n)
{
	static struct pat_code code; /* its memory is used again */
	struct pat_name p;

	pat_name_set(&p, name, n);
	take_apart(&code, pat);
	return pat_find_code(&code, &p);
}
