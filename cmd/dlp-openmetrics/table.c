/* See table.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "lines.h"
#include "shipped.h"
#include "table.h"

#define WORDS 7

static const char *const hows[] = { "sum", "mean", "min", "max", "stddev",
	"share", "flag" };
static const char *const units[] = { "seconds", "bytes", "ratio" };

static const char *file;
static unsigned long lineno;

static void
bad(const char *what, const char *value)
{
	die("%s:%lu: %s '%s'", file, lineno, what, value);
}

/* Letters, digits and _, not a digit first. */
static bool
is_name(const char *s)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const char *p;

	if (*s == '\0' || strchr(first, *s) == NULL)
		return false;
	for (p = s; *p != '\0'; p++)
		if (strchr(first, *p) == NULL && (*p < '0' || *p > '9'))
			return false;
	return true;
}

static const char *
unit_of(const char *name)
{
	const char *end = strrchr(name, '_');
	size_t i;

	for (i = 0; end != NULL && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end + 1, units[i]) == 0)
			return units[i];
	return NULL;
}

static void
read_labels(struct metric *m, char *s)
{
	char *save, *eq;

	if (strcmp(s, "-") == 0)
		return;
	for (s = strtok_r(s, ",", &save); s != NULL;
	     s = strtok_r(NULL, ",", &save)) {
		if (m->nlabel == MAX_LABELS)
			bad("too many labels:", s);
		eq = strchr(s, '=');
		if (eq != NULL)
			*eq = '\0';
		if (!is_name(s) || strncmp(s, "__", 2) == 0)
			bad("no name of a label:", s);
		m->label[m->nlabel] = s;
		m->column[m->nlabel++] = eq != NULL ? eq + 1 : s;
	}
}

static enum how
read_how(const char *s)
{
	size_t i;

	for (i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		if (strcmp(s, hows[i]) == 0)
			return (enum how)i;
	bad("neither sum, mean, min, max, stddev, share nor flag:", s);
	return HOW_SUM;
}

static void
check_name(const struct table *t, const char *name)
{
	size_t i;

	if (!is_name(name))
		bad("no name of a metric:", name);
	for (i = 0; i < t->n; i++)
		if (strcmp(t->v[i].name, name) == 0)
			bad("a second metric", name);
}

static void
add(struct table *t, char **w)
{
	struct metric m = { .name = w[0], .record = w[1], .value = w[2] };

	check_name(t, w[0]);
	m.how = read_how(w[3]);
	if (strcmp(w[4], "step") == 0)
		m.where = WHERE_STEP;
	else if (strcmp(w[4], "work") == 0)
		m.where = WHERE_WORK;
	else if (strcmp(w[4], "all") != 0)
		bad("neither all, work nor step:", w[4]);
	read_labels(&m, w[5]);
	m.help = w[6];
	m.unit = unit_of(m.name);
	m.of = strchr(m.value, '/');
	if ((m.of != NULL) != (m.how == HOW_SHARE))
		bad("only a share has two columns:", m.value);
	if (m.of != NULL)
		*m.of++ = '\0';
	if (t->n == t->cap) {
		t->cap = t->cap > 0 ? t->cap * 2 : 32;
		t->v = xrealloc(t->v, t->cap, sizeof(*t->v));
	}
	t->v[t->n++] = m;
}

/* One line; its text is kept. */
static void
one_line(struct table *t, const char *s, size_t n)
{
	char *w[WORDS], *p;
	int i;

	for (; n > 0 && (*s == ' ' || *s == '\t'); n--)
		s++;
	if (n == 0 || *s == '#')
		return;
	p = xmemdup(s, n);
	for (i = 0; i < WORDS; i++) {
		w[i] = p;
		p += i < WORDS - 1 ? strcspn(p, " \t") : strlen(p);
		if (p == w[i])
			bad("a metric takes 7 words:", w[0]);
		if (*p != '\0')
			*p++ = '\0';
		p += strspn(p, " \t");
	}
	add(t, w);
}

static void
read_shipped(struct table *t)
{
	const char *s = shipped_text("metrics.tab"), *e;

	file = "metrics.tab";
	for (lineno = 1; *s != '\0'; lineno++, s = e + (*e != '\0')) {
		e = strchr(s, '\n');
		if (e == NULL)
			e = s + strlen(s);
		one_line(t, s, (size_t)(e - s));
	}
}

void
table_read(struct table *t, const char *path)
{
	struct lines in = { 0 };
	const char *s;
	size_t n;

	if (path == NULL) {
		read_shipped(t);
		return;
	}
	file = path;
	lines_open(&in, path);
	while (lines_next(&in, &s, &n)) {
		lineno = (unsigned long)in.no;
		one_line(t, s, n);
	}
	lines_close(&in);
}
