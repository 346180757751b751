/* --where 'COL OP VALUE': which records count. */
#include <regex.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "kind.h"
#include "where.h"

enum op { OP_EQ, OP_NE, OP_LE, OP_GE, OP_LT, OP_GT, OP_MATCH, OP_NO_MATCH };

static const struct {
	const char *text;
	enum op op;
} ops[] = {
	/* the longer ones first */
	{ "==", OP_EQ },
	{ "!=", OP_NE },
	{ "<=", OP_LE },
	{ ">=", OP_GE },
	{ "!~", OP_NO_MATCH },
	{ "<", OP_LT },
	{ ">", OP_GT },
	{ "~", OP_MATCH },
	{ "=", OP_EQ },
};
#define NOPS (sizeof(ops) / sizeof(ops[0]))

struct cond {
	int col;
	char *name;
	enum op op;
	char *val;
	size_t len;
	bool is_num, is_int, unset; /* VALUE is a number; is - */
	double num;
	int64_t whole; /* is_int: the same, exactly */
	regex_t re;
};

static void
compile(struct cond *c)
{
	char text[256];
	int e = regcomp(&c->re, c->val, REG_EXTENDED | REG_NOSUB);

	if (e == 0)
		return;
	regerror(e, &c->re, text, sizeof(text));
	die("--where: bad regular expression '%s': %s", c->val, text);
}

static bool
is_order(enum op op)
{
	return op != OP_MATCH && op != OP_NO_MATCH;
}

/* A column of numbers is compared with a number, which may have its unit:
 * texts have no order that anybody means there. */
static void
read_number(const struct input *in, struct cond *c, const char *name)
{
	enum num_unit unit = kind_unit(col_alias(name));
	const char *units = num_units(unit);
	bool numbers = false;
	int t;

	for (t = 0; t < in->ntypes; t++)
		numbers |= kind_is_number(kind_of(in->tag[t], name));
	c->is_int = num_i64(c->val, c->len, &c->whole);
	if (numbers ? num_with_unit(c->val, c->len, unit, &c->num)
		    : num_f64(c->val, c->len, &c->num)) {
		c->is_num = true;
		return;
	}
	if (!numbers || !is_order(c->op) ||
	    (c->unset && (c->op == OP_EQ || c->op == OP_NE)))
		return;
	die("--where: %s is a number, '%.*s' is none%s%s%s", name, (int)c->len,
	    c->val, units != NULL ? " (units: " : "",
	    units != NULL ? units : "", units != NULL ? ")" : "");
}

static void
parse(struct input *in, struct cond *c, char *arg)
{
	size_t n = strcspn(arg, " =!<>~"), i, k;
	char *p = arg + n, *name;

	p += strspn(p, " ");
	for (i = 0; i < NOPS; i++)
		if (strncmp(p, ops[i].text, strlen(ops[i].text)) == 0)
			break;
	if (n == 0 || i == NOPS)
		die("--where: not 'COL OP VALUE' with ==, !=, <, <=, >, >=,"
		    " ~ or !~: '%s'",
		    arg);
	p += strlen(ops[i].text);
	p += strspn(p, " ");
	c->op = ops[i].op;
	c->val = p;
	for (k = strlen(p); k > 0 && p[k - 1] == ' '; k--)
		;
	c->len = k;
	c->unset = k == 1 && p[0] == '-';
	if (!is_order(c->op))
		compile(c);
	c->name = name = xmemdup(arg, n);
	read_number(in, c, name);
	c->col = input_column(in, name);
}

void
where_add(struct where *w, char *arg)
{
	w->arg = xrealloc(w->arg, (size_t)w->n + 1, sizeof(*w->arg));
	w->arg[w->n++] = arg;
}

void
where_make(struct where *w, struct input *in)
{
	int i;

	w->cond = xcalloc((size_t)w->n + 1, sizeof(*w->cond));
	for (i = 0; i < w->n; i++)
		parse(in, &w->cond[i], w->arg[i]);
}

/* As numbers if both are, else as bytes. */
static int
compare(const struct cond *c, const char *s, size_t n)
{
	size_t k = n < c->len ? n : c->len;
	int64_t i;
	double d;
	int x;

	if (c->is_int && num_i64(s, n, &i))
		return (i > c->whole) - (i < c->whole);
	if (c->is_num && num_f64(s, n, &d))
		return (d > c->num) - (d < c->num);
	x = k > 0 ? memcmp(s, c->val, k) : 0;
	return x != 0 ? x : (n > c->len) - (n < c->len);
}

static bool
holds_set(const struct cond *c, const char *s, size_t n)
{
	switch (c->op) {
	case OP_EQ:
		return compare(c, s, n) == 0;
	case OP_NE:
		return compare(c, s, n) != 0;
	case OP_LE:
		return compare(c, s, n) <= 0;
	case OP_GE:
		return compare(c, s, n) >= 0;
	case OP_LT:
		return compare(c, s, n) < 0;
	case OP_GT:
		return compare(c, s, n) > 0;
	case OP_MATCH:
		return regexec(&c->re, s, 0, NULL, 0) == 0;
	case OP_NO_MATCH:
		break;
	}
	return regexec(&c->re, s, 0, NULL, 0) != 0;
}

static bool
holds(struct buf *tmp, const struct cond *c, const char *s, size_t n)
{
	if (c->unset && (c->op == OP_EQ || c->op == OP_NE))
		return (s == NULL) == (c->op == OP_EQ);
	if (s == NULL)
		return c->op == OP_NE || c->op == OP_NO_MATCH;
	buf_clear(tmp);
	esc_undo(tmp, s, n);
	return holds_set(c, buf_str(tmp), tmp->len);
}

bool
where_holds(struct where *w, struct input *in, const struct rec *r, int t)
{
	const char *s;
	size_t n;
	int i;

	for (i = 0; i < w->n; i++) {
		s = input_value(in, r, t, w->cond[i].col, &n);
		if (!holds(&w->tmp, &w->cond[i], s, n))
			return false;
	}
	return true;
}
