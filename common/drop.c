/* Record types and columns that are not written; see drop.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cli.h"
#include "cols.h"
#include "drop.h"
#include "err.h"
#include "esc.h"

struct kept_fields { /* consecutive fields that stay; 0 is the tag */
	int from, to;
};

struct dropped {
	struct dropped *next; /* of those with the same first letter */
	const char *tag;
	size_t len;
	char **cols;
	int n_cols; /* 0: the whole type */
	/* for the legend that was written last */
	struct kept_fields *runs;
	int n_runs, n_fields;
	bool none; /* all records of the type stay whole */
};

static struct dropped *first[256]; /* by the first letter */
static bool any, by_table;
static const char **at; /* places after TABs */
static int cap_at;

/* The entry for the type of a line; s is after its '#'. */
static struct dropped *
find(const char *s, size_t n)
{
	struct dropped *d = n > 0 ? first[(unsigned char)*s] : NULL;

	while (d != NULL && (n < d->len || memcmp(s, d->tag, d->len) != 0 ||
				(n > d->len && s[d->len] != '\t')))
		d = d->next;
	return d;
}

static const struct dropped *
of_tag(const char *tag)
{
	return find(tag, strlen(tag));
}

void
drop_add(const char *arg)
{
	char *tag = xstrdup(arg), *colon = strchr(tag, ':');
	struct dropped *d = xcalloc(1, sizeof(*d));
	int i;

	if (colon != NULL)
		*colon = '\0';
	if (type_find(tag) == NULL)
		type_die("--drop", tag);
	if (of_tag(tag) != NULL)
		die("--drop: %s is given twice", tag);
	d->tag = tag;
	d->len = strlen(tag);
	d->next = first[(unsigned char)*tag];
	first[(unsigned char)*tag] = d;
	any = true;
	if (colon == NULL)
		return;
	d->cols = cli_list(colon + 1, &d->n_cols);
	for (i = 0; i < d->n_cols; i++)
		if (col_find(tag, d->cols[i]) == NULL)
			die("--drop: %s records have no column '%s'", tag,
			    d->cols[i]);
}

void
drop_unread(const char *command)
{
	const char *dir = getenv("DLP_REPORTS"), *of = getenv("DLP_READERS");
	char *line = NULL, *word, *save = NULL;
	struct buf b = { 0 };
	size_t cap = 0;
	FILE *f = NULL;

	if (!any && dir != NULL && of != NULL) {
		buf_printf(&b, "%s/awk/unread.tab", dir);
		f = fopen(buf_str(&b), "re");
		buf_clear(&b);
		buf_printf(&b, "%s\t%s\t", of, command);
	}
	while (!any && f != NULL && getline(&line, &cap, f) > 0) {
		if (strncmp(line, buf_str(&b), b.len) != 0)
			continue;
		by_table = true;
		for (word = strtok_r(line + b.len, " \n", &save); word != NULL;
		     word = strtok_r(NULL, " \n", &save))
			drop_add(word);
	}
	if (f != NULL)
		(void)fclose(f);
	free(line);
	buf_free(&b);
}

bool
drop_any(void)
{
	return any;
}

static bool
stays(const struct dropped *d, const char *s, size_t n)
{
	int i;

	for (i = 0; i < d->n_cols; i++)
		if (strlen(d->cols[i]) == n && memcmp(d->cols[i], s, n) == 0)
			return false;
	return true;
}

bool
drop_type(const char *tag)
{
	const struct dropped *d = of_tag(tag);

	return d != NULL && d->n_cols == 0;
}

bool
drop_is_unread(const char *tag)
{
	return by_table && drop_type(tag);
}

bool
drop_column(const char *tag, const char *column)
{
	const struct dropped *d = of_tag(tag);

	return d != NULL &&
	       (d->n_cols == 0 || !stays(d, column, strlen(column)));
}

/* Finds the fields that stay in records after this legend. */
static void
bind(struct dropped *d, const char *s, const char *end)
{
	int n = tabs_find(s, (size_t)(end - s), at, 0), i;

	if (cap_at < n + 1) {
		cap_at = n + 64;
		at = xrealloc(at, (size_t)cap_at, sizeof(*at));
	}
	tabs_find(s, (size_t)(end - s), at, n);
	at[n] = end + 1;
	d->runs = xrealloc(d->runs, (size_t)n + 1, sizeof(*d->runs));
	d->runs[0] = (struct kept_fields){ 0, 0 };
	d->n_runs = 1;
	d->n_fields = n;
	d->none = true;
	for (i = 0; i < n; i++) {
		if (!stays(d, at[i], (size_t)(at[i + 1] - at[i]) - 1)) {
			d->none = false;
			continue;
		}
		if (d->runs[d->n_runs - 1].to < i)
			d->runs[d->n_runs++] =
			    (struct kept_fields){ i + 1, i + 1 };
		else
			d->runs[d->n_runs - 1].to = i + 1;
	}
}

/* Moves the fields that stay to w; returns the place after them. A record that
 * does not fit its legend is left for the reader to report. */
static char *
cut(const struct dropped *d, char *w, const char *s, const char *end)
{
	const char *from;
	size_t n;
	int i;

	if (d->n_runs == 0 ||
	    tabs_find(s, (size_t)(end - s), at, d->n_fields) != d->n_fields) {
		memmove(w, s, (size_t)(end - s));
		return w + (end - s);
	}
	at[d->n_fields] = end + 1;
	for (i = 0; i < d->n_runs; i++) {
		from = d->runs[i].from == 0 ? s : at[d->runs[i].from - 1] - 1;
		n = (size_t)(at[d->runs[i].to] - 1 - from);
		memmove(w, from, n);
		w += n;
	}
	return w;
}

static uint64_t
take_out(const struct dropped *d, char *s, size_t *len)
{
	char *end = s + *len - 1, *w = s, *p = s, *tab;
	uint64_t bits = 0;
	int i;

	for (i = 0; p < end; i++, p = tab) {
		tab = memchr(p + 1, '\t', (size_t)(end - p - 1));
		if (tab == NULL)
			tab = end;
		if (i < 64 && !stays(d, p + 1, (size_t)(tab - p - 1))) {
			bits |= (uint64_t)1 << i;
			continue;
		}
		memmove(w, p, (size_t)(tab - p));
		w += tab - p;
	}
	*w++ = '\n';
	*len = (size_t)(w - s);
	return bits;
}

uint64_t
drop_columns(const char *tag, char *s, size_t *len)
{
	const struct dropped *d = of_tag(tag);

	return d != NULL && d->n_cols > 0 ? take_out(d, s, len) : 0;
}

uint64_t
drop_legend(char *line, size_t *len)
{
	char *tab = memchr(line, '\t', *len);
	const struct dropped *d =
	    tab != NULL ? find(line + 1, (size_t)(tab - line) - 1) : NULL;
	size_t n;
	uint64_t bits;

	if (d == NULL || d->n_cols == 0)
		return 0;
	n = *len - (size_t)(tab - line);
	bits = take_out(d, tab, &n);
	*len = (size_t)(tab - line) + n;
	return bits;
}

size_t
drop_lines(char *s, size_t n, uint64_t *n_gone)
{
	char *end = s + n, *w = s, *p, *nl;
	const char *kept = s; /* lines that stay, up to p, are not moved yet */
	struct dropped *d;

	for (p = s; p < end && (nl = memchr(p, '\n', (size_t)(end - p)));
	     p = nl + 1) {
		d = find(p + (*p == '#'), (size_t)(nl - p) - (*p == '#'));
		if (d == NULL || (d->none && *p != '#'))
			continue;
		memmove(w, kept, (size_t)(p - kept));
		w += p - kept;
		kept = nl + 1;
		if (d->n_cols == 0) {
			*n_gone += *p != '#';
			continue;
		}
		if (*p == '#')
			bind(d, p, nl);
		w = cut(d, w, p, nl);
		*w++ = '\n';
	}
	memmove(w, kept, (size_t)(end - kept));
	return (size_t)(w + (end - kept) - s);
}
