/*
 * The reader of rules. A line, which goes on in lines that begin with a
 * blank:
 *
 *	OP[|OP...] DIR FAMILY KEY = VALUE [; KEY = VALUE ...]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "expr.h"
#include "rows_set.h"
#include "shipped.h"

static struct set shipped, user;
static bool has_shipped;

struct reader {
	struct set *set;
	const char *file;
	unsigned line; /* where the rule began */
};

static void
bad(const struct reader *rd, const char *what, const char *s, size_t n)
{
	die("%s:%u: %s '%.*s'", rd->file, rd->line, what, (int)n, s);
}

static char *
word(char **p)
{
	char *s = *p + strspn(*p, " \t");
	size_t n = strcspn(s, " \t");

	*p = s + n;
	if (**p != '\0')
		*(*p)++ = '\0';
	return s;
}

static char *
trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	for (n = strlen(s); n > 0 && strchr(" \t", s[n - 1]) != NULL; n--)
		;
	s[n] = '\0';
	return s;
}

static unsigned
direction(const struct reader *rd, const char *s)
{
	if (strcmp(s, "fprop") == 0)
		return DIR_FPROP;
	if (strcmp(s, "bprop") == 0)
		return DIR_BPROP;
	if (strcmp(s, "any") != 0)
		bad(rd, "direction is fprop, bprop or any, not", s, strlen(s));
	return DIR_FPROP | DIR_BPROP;
}

static enum family
family(const struct reader *rd, const char *s)
{
	int f;

	for (f = FAM_NONE + 1; f < FAM_N; f++)
		if (strcmp(family_names[f], s) == 0)
			return (enum family)f;
	bad(rd, "no such family", s, strlen(s));
	return FAM_NONE;
}

static bool
yes(const struct reader *rd, const char *v)
{
	if (strcmp(v, "yes") != 0 && strcmp(v, "no") != 0)
		bad(rd, "yes or no expected, not", v, strlen(v));
	return *v == 'y';
}

static char *
expression(const struct reader *rd, const char *key, char *v)
{
	const char *why;
	size_t at;

	if (strcmp(v, "-") == 0)
		return NULL;
	why = expr_check(v, strlen(v), &at);
	if (why != NULL)
		die("%s:%u: %s: %s at '%s'", rd->file, rd->line, key, why,
		    v[at] == '\0' ? "the end" : v + at);
	return v;
}

static void
assign(const struct reader *rd, struct row *row, char *text)
{
	char *eq = strchr(text, '='), *k, *v;

	if (eq == NULL)
		bad(rd, "KEY = VALUE expected, not", text, strlen(text));
	*eq = '\0';
	k = trim(text);
	v = trim(eq + 1);
	if (strcmp(k, "flop") == 0)
		row->flop = expression(rd, k, v);
	else if (strcmp(k, "bytes") == 0)
		row->bytes = expression(rd, k, v);
	else if (strcmp(k, "bus") == 0)
		row->bus = expression(rd, k, v);
	else if (strcmp(k, "kernel") == 0)
		row->kern = v;
	else if (strcmp(k, "once") == 0)
		row->once = yes(rd, v);
	else if (strcmp(k, "aux") == 0)
		row->aux = yes(rd, v);
	else if (strcmp(k, "tc") == 0)
		row->tc = yes(rd, v);
	else if (strcmp(k, "waits") == 0)
		row->waits = v;
	else
		bad(rd, "no such key", k, strlen(k));
}

/* text is kept: the row points into it. */
static void
read_rule(const struct reader *rd, char *text)
{
	struct row row = { .op = NULL };
	char *ops, *dir, *fam, *item, *next, *op;

	ops = word(&text);
	dir = word(&text);
	fam = word(&text);
	if (*fam == '\0')
		bad(rd, "OP DIRECTION FAMILY expected, not", ops, strlen(ops));
	row.dirs = direction(rd, dir);
	row.family = family(rd, fam);
	for (item = text; item != NULL; item = next) {
		next = strchr(item, ';');
		if (next != NULL)
			*next++ = '\0';
		item = trim(item);
		if (*item != '\0')
			assign(rd, &row, item);
	}
	for (op = strtok(ops, "|"); op != NULL; op = strtok(NULL, "|"))
		set_add(rd->set, &row, op);
}

static void
flush(const struct reader *rd, struct buf *rule)
{
	struct set *set = rd->set;

	if (rule->len > 0) {
		set->text = xrealloc(set->text, set->ntext + 1, sizeof(char *));
		set->text[set->ntext] = xmemdup(rule->s, rule->len);
		read_rule(rd, set->text[set->ntext++]);
	}
	buf_clear(rule);
}

static void
read_text(struct set *set, const char *file, const char *s)
{
	struct reader rd = { set, file, 0 };
	struct buf rule = { 0 };
	unsigned line = 0;
	size_t n;

	for (; *s != '\0'; s += n + (s[n] == '\n')) {
		line++;
		n = strcspn(s, "\n");
		if (*s == '#')
			continue;
		if (*s != ' ' && *s != '\t') {
			flush(&rd, &rule);
			rd.line = line;
		} else if (rule.len == 0 && strspn(s, " \t") < n) {
			rd.line = line;
			bad(&rd, "continuation of nothing", s, n);
		}
		buf_put(&rule, s, n);
	}
	flush(&rd, &rule);
	buf_free(&rule);
}

void
rows_load(const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf b = { 0 };
	char part[4096];
	size_t n;

	if (f == NULL)
		die_errno("%s", path);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_put(&b, part, n);
	if (ferror(f))
		die_errno("%s", path);
	fclose(f);
	if (b.len > 0 && memchr(b.s, '\0', b.len) != NULL)
		die("%s: not a file of rules: it has a zero byte", path);
	read_text(&user, path, buf_str(&b));
	buf_free(&b);
}

const struct row *
rows_of(bool users, const char *op, size_t n)
{
	if (!users && !has_shipped) {
		has_shipped = true;
		read_text(&shipped, "flops.rules", shipped_text("flops.rules"));
	}
	return set_find(users ? &user : &shipped, op, n);
}
