/* Ordered rules about names; see namerule.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "err.h"
#include "lines.h"
#include "namerule.h"
#include "shipped.h"

#define BLANK " \t\r"

static char
lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

void
name_lower(struct buf *b, const char *s, size_t n)
{
	size_t i;
	char *d;

	buf_reserve(b, n);
	d = b->s + b->len;
	for (i = 0; i < n; i++)
		d[i] = lower(s[i]);
	b->len += n;
}

static char *
lower_copy(const char *s, size_t n)
{
	char *copy = xmemdup(s, n);
	size_t i;

	for (i = 0; i < n; i++)
		copy[i] = lower(copy[i]);
	return copy;
}

/* Appends a line to the pattern. If the line before was cut at a bar in a list
 * of alternatives, the list goes on; otherwise the new line is another term. */
static void
go_on(struct namerule *r, const char *s, size_t n)
{
	size_t len = strlen(r->pat);
	bool list = len > 0 && r->pat[len - 1] == '|';
	size_t i;
	char *d;

	r->pat = xrealloc(r->pat, len + n + 2, 1);
	d = r->pat + len;
	if (!list && len > 0)
		*d++ = ' ';
	for (i = 0; i < n; i++)
		d[i] = lower(s[i]);
	d[n] = '\0';
}

/* The definition whose name begins the text s, which is after a $; NULL if
 * unknown. */
static const struct namerule_def *
def_at(const struct namerules *r, const char *s)
{
	const struct namerule_def *best = NULL;
	size_t i, n;

	for (i = 0; i < r->ndef; i++) {
		n = strlen(r->def[i].name);
		if (strncmp(s, r->def[i].name, n) == 0 &&
		    (best == NULL || n > strlen(best->name)))
			best = &r->def[i];
	}
	return best;
}

static void
expand(const struct namerules *r, struct namerule *u)
{
	const struct namerule_def *d;
	struct buf b = { 0 };
	const char *s = u->pat, *dollar;

	if (strchr(s, '$') == NULL)
		return;
	for (; (dollar = strchr(s, '$')) != NULL;
	     s = dollar + 1 + strlen(d->name)) {
		d = def_at(r, dollar + 1);
		if (d == NULL)
			die("%s:%u: no such name '%s'", r->file, u->line,
			    dollar);
		buf_put(&b, s, (size_t)(dollar - s));
		buf_puts(&b, d->pat);
	}
	buf_puts(&b, s);
	free(u->pat);
	u->pat = xmemdup(b.s, b.len);
	buf_free(&b);
}

/* The last rule is complete: it is a rule, or the definition of a name. */
static void
finish_rule(struct namerules *r)
{
	struct namerule *u;

	if (r->n == 0 || r->v[r->n - 1].done)
		return;
	u = &r->v[r->n - 1];
	if (u->pat[0] == '\0')
		die("%s:%u: no pattern", r->file, u->line);
	expand(r, u);
	u->done = true;
	if (u->word[1] != NULL && strcmp(u->word[1], "=") == 0) {
		r->def = xrealloc(r->def, r->ndef + 1, sizeof(*r->def));
		r->def[r->ndef].name = u->word[0];
		r->def[r->ndef++].pat = u->pat;
		free(u->word[1]);
		r->n--;
	} else {
		pat_compile(&u->code, u->pat);
	}
}

static void
begin_rule(struct namerules *r, const char *s, size_t n,
    const char *const *names, unsigned line)
{
	struct namerule *u;
	const char *end = s + n, *eq;
	size_t m;
	int i;

	ARRAY_GROW(r->v, r->n, r->cap);
	u = &r->v[r->n++];
	*u = (struct namerule){ .line = line };
	for (i = 0; i < r->nwords; i++) {
		if (i == 2 && strcmp(u->word[1], "=") == 0)
			break;
		m = strcspn(s, BLANK "\n");
		if (s >= end || m == 0)
			die("%s:%u: no %s", r->file, line, names[i]);
		/* a first word before the = of a definition */
		eq = s + m + strspn(s + m, BLANK);
		u->word[i] = i == 0 && eq[0] == '=' && eq[1] != '\0' &&
				     strchr(BLANK, eq[1]) != NULL
				 ? lower_copy(s, m)
				 : xmemdup(s, m);
		s += m;
		s += strspn(s, BLANK);
	}
	u->pat = lower_copy(s, s < end ? (size_t)(end - s) : 0);
}

void
namerules_parse(struct namerules *r, const char *file, const char *text,
    const char *const *names, int nwords)
{
	const char *s, *eol;
	unsigned line = 0;
	size_t n, skip;

	memset(r, 0, sizeof(*r));
	r->file = file;
	r->nwords = nwords;
	for (s = text; *s != '\0'; s = *eol == '\0' ? eol : eol + 1) {
		eol = strchr(s, '\n');
		if (eol == NULL)
			eol = s + strlen(s);
		n = (size_t)(eol - s);
		while (n > 0 && strchr(BLANK, s[n - 1]) != NULL)
			n--;
		skip = strspn(s, BLANK);
		line++;
		if (n == 0 || s[skip] == '#')
			continue;
		if (skip == 0) {
			finish_rule(r);
			begin_rule(r, s, n, names, line);
		} else if (r->n > 0 && !r->v[r->n - 1].done)
			go_on(&r->v[r->n - 1], s + skip, n - skip);
		else
			die("%s:%u: a line that goes on with nothing", file,
			    line);
	}
	finish_rule(r);
}

void
namerules_load(
    struct namerules *r, const char *path, const char *const *names, int nwords)
{
	struct buf b = { 0 };

	if (!lines_all(&b, path))
		die_errno("%s", path);
	if (b.len > 0 && memchr(b.s, '\0', b.len) != NULL)
		die("%s: NUL byte: no text file", path);
	namerules_parse(r, path, buf_str(&b), names, nwords);
	buf_free(&b);
}

const struct namerule *
namerules_find(const struct namerules *r, const char *name, size_t n)
{
	const struct namerule *u;
	struct pat_name p;

	pat_name_set(&p, name, n);
	for (u = r->v; u < r->v + r->n; u++)
		if ((r->without == NULL ||
			strcmp(u->word[JUDGE_SINCE], r->without) != 0) &&
		    pat_find_code(&u->code, &p))
			return u;
	return NULL;
}

void
namerules_free(struct namerules *r)
{
	size_t i;
	int k;

	for (i = 0; i < r->n; i++) {
		for (k = 0; k < r->nwords; k++)
			free(r->v[i].word[k]);
		free(r->v[i].pat);
		pat_free(&r->v[i].code);
	}
	for (i = 0; i < r->ndef; i++) {
		free(r->def[i].name);
		free(r->def[i].pat);
	}
	free(r->def);
	free(r->v);
	memset(r, 0, sizeof(*r));
}

/* Verdicts about names. */

static const char *const names[JUDGE_WORDS] = { "id", "verdict", "type",
	"version that it begins with" };
static const char *const words[] = { "unknown", "no", "yes" };

static int
word_of(const char *s)
{
	int i;

	for (i = 0; i < 3; i++)
		if (strcmp(s, words[i]) == 0)
			return i;
	return -1;
}

void
judge_open(struct namerules *r, const char *path, const char *shipped)
{
	size_t i;

	if (path != NULL)
		namerules_load(r, path, names, JUDGE_WORDS);
	else
		namerules_parse(
		    r, shipped, shipped_text(shipped), names, JUDGE_WORDS);
	for (i = 0; i < r->n; i++)
		if (word_of(r->v[i].word[JUDGE_VERDICT]) < 0)
			die("%s:%u: verdict is yes, no or unknown, not '%s'",
			    r->file, r->v[i].line, r->v[i].word[JUDGE_VERDICT]);
}

enum ynu
judge_verdict(const struct namerule *u)
{
	return u == NULL ? YNU_UNKNOWN
			 : (enum ynu)word_of(u->word[JUDGE_VERDICT]);
}

const char *
ynu_name(enum ynu v)
{
	return words[v];
}
