/* Reads the table of metrics: words separated by blanks, checked one by one. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "lines.h"
#include "om.h"
#include "shipped.h"

#define WORDS 7

static const char *const hows[] = { "sum", "mean", "min", "max", "stddev",
	"share", "flag" };
static const char *const units[] = { "seconds", "bytes", "ratio" };

struct om_at { /* the line that is read, for messages */
	const char *file;
	unsigned long line;
};

static void
bad(const struct om_at *at, const char *what, const char *value)
{
	die("%s:%lu: %s '%s'", at->file, at->line, what, value);
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

	for (i = 0; end != NULL && i < ARRAY_LEN(units); i++)
		if (strcmp(end + 1, units[i]) == 0)
			return units[i];
	return NULL;
}

static void
read_labels(const struct om_at *at, struct om_metric *m, char *s)
{
	char *save, *eq;

	if (strcmp(s, "-") == 0)
		return;
	for (s = strtok_r(s, ",", &save); s != NULL;
	     s = strtok_r(NULL, ",", &save)) {
		if (m->nlabel == OM_LABELS)
			bad(at, "too many labels:", s);
		eq = strchr(s, '=');
		if (eq != NULL)
			*eq = '\0';
		if (!is_name(s) || strncmp(s, "__", 2) == 0)
			bad(at, "no name of a label:", s);
		m->label[m->nlabel] = s;
		m->column[m->nlabel++] = eq != NULL ? eq + 1 : s;
	}
}

static enum om_how
read_how(const struct om_at *at, const char *s)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(hows); i++)
		if (strcmp(s, hows[i]) == 0)
			return (enum om_how)i;
	bad(at, "neither sum, mean, min, max, stddev, share nor flag:", s);
	return HOW_SUM;
}

static void
check_name(const struct om_at *at, const struct om_table *t, const char *name)
{
	size_t i;

	if (!is_name(name))
		bad(at, "no name of a metric:", name);
	for (i = 0; i < t->n; i++)
		if (strcmp(t->v[i].name, name) == 0)
			bad(at, "a second metric", name);
}

static void
add_metric(const struct om_at *at, struct om_table *t, char **w)
{
	struct om_metric m = { .name = w[0], .record = w[1], .value = w[2] };

	check_name(at, t, w[0]);
	m.how = read_how(at, w[3]);
	if (strcmp(w[4], "step") == 0)
		m.where = WHERE_STEP;
	else if (strcmp(w[4], "work") == 0)
		m.where = WHERE_WORK;
	else if (strcmp(w[4], "all") != 0)
		bad(at, "neither all, work nor step:", w[4]);
	read_labels(at, &m, w[5]);
	m.help = w[6];
	m.unit = unit_of(m.name);
	m.of = strchr(m.value, '/');
	if ((m.of != NULL) != (m.how == HOW_SHARE))
		bad(at, "only a share has two columns:", m.value);
	if (m.of != NULL)
		*m.of++ = '\0';
	ARRAY_GROW(t->v, t->n, t->cap);
	t->v[t->n++] = m;
}

/* One line. The table keeps a copy of its text, which lives as long as the
 * program. */
static void
one_line(const struct om_at *at, struct om_table *t, const char *s, size_t n)
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
			bad(at, "a metric takes 7 words:", w[0]);
		if (*p != '\0')
			*p++ = '\0';
		p += strspn(p, " \t");
	}
	add_metric(at, t, w);
}

static void
read_shipped(struct om_table *t)
{
	struct om_at at = { .file = "metrics.tab", .line = 1 };
	const char *s = shipped_text("metrics.tab"), *e;

	for (; *s != '\0'; at.line++, s = e + (*e != '\0')) {
		e = strchr(s, '\n');
		if (e == NULL)
			e = s + strlen(s);
		one_line(&at, t, s, (size_t)(e - s));
	}
}

void
om_table_read(struct om_table *t, const char *path)
{
	struct om_at at = { .file = path };
	struct lines in = { 0 };
	const char *s;
	size_t n;

	if (path == NULL) {
		read_shipped(t);
		return;
	}
	lines_open(&in, path);
	while (lines_next(&in, &s, &n)) {
		at.line = (unsigned long)in.no;
		one_line(&at, t, s, n);
	}
	lines_close(&in);
}
