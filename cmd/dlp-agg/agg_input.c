/* The records of -T, their columns, --where, and the columns of -c. */
#include "agg_spec.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"
#include "esc.h"
#include "num.h"

void
input_open(struct agg_input *in, struct rec_reader *rd)
{
	int i;

	join_init(&in->join, rd);
	for (i = 0; i < in->ntypes; i++)
		in->type[i] = rec_type(rd, in->tag[i]);
}

/* If -T has several types, one may not have a column that another has (copies
 * have no grid). The column is then unset. */
static bool
may_lack(const struct agg_input *in, int t, const char *name)
{
	int i;

	if (in->ntypes == 1 || col_find(in->tag[t], name) != NULL)
		return false;
	for (i = 0; i < in->ntypes; i++)
		if (col_find(in->tag[i], name) != NULL)
			return true;
	return false;
}

int
input_column(struct agg_input *in, const char *name)
{
	struct agg_column *c;
	int i;

	for (i = 0; i < in->ncol; i++)
		if (strcmp(in->col[i].name, name) == 0)
			return i;
	in->col = xrealloc(in->col, (size_t)in->ncol + 1, sizeof(*in->col));
	c = &in->col[in->ncol];
	c->name = name;
	for (i = 0; i < in->ntypes; i++) {
		c->in[i] = join_col(&in->join, in->type[i], name);
		c->in[i]->optional = may_lack(in, i, c->in[i]->canon);
	}
	return in->ncol++;
}

int
input_optional(struct agg_input *in, const char *name)
{
	int i, col = input_column(in, name);

	for (i = 0; i < in->ntypes; i++)
		in->col[col].in[i]->optional = true;
	return col;
}

const char *
input_canon(const struct agg_input *in, int col)
{
	return in->col[col].in[0]->canon;
}

void
input_legend(struct agg_input *in, int t)
{
	int i;

	in->legend[t] = true;
	for (i = 0; i < in->ncol; i++)
		join_legend(in->col[i].in[t]);
}

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

struct agg_cond {
	int col;
	char *name;
	enum op op;
	char *val;
	size_t len;
	bool is_num, is_int, unset; /* VALUE is a number; VALUE is - */
	double num;
	int64_t whole; /* if is_int: the same, exactly */
	regex_t re;
};

static bool
is_order(enum op op)
{
	return op != OP_MATCH && op != OP_NO_MATCH;
}

/* A column of numbers is compared with a number, perhaps with a unit. A text
 * there is a mistake and fatal, because nobody means the order of texts. */
static void
read_number(const struct agg_input *in, struct agg_cond *c, const char *name)
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
	die("--where: %s is a number, '%.*s' is not%s%s%s", name, (int)c->len,
	    c->val, units != NULL ? " (units: " : "",
	    units != NULL ? units : "", units != NULL ? ")" : "");
}

static void
parse_cond(struct agg_input *in, struct agg_cond *c, char *arg)
{
	size_t n = strcspn(arg, " =!<>~"), i, k;
	char *p = arg + n, *name, text[256];
	int e;

	p += strspn(p, " ");
	for (i = 0; i < ARRAY_LEN(ops); i++)
		if (strncmp(p, ops[i].text, strlen(ops[i].text)) == 0)
			break;
	if (n == 0 || i == ARRAY_LEN(ops))
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
	if (!is_order(c->op)) {
		e = regcomp(&c->re, c->val, REG_EXTENDED | REG_NOSUB);
		regerror(e, &c->re, text, sizeof(text));
		if (e != 0)
			die("--where: bad regular expression '%s': %s", c->val,
			    text);
	}
	c->name = name = xmemdup(arg, n);
	read_number(in, c, name);
	c->col = input_column(in, name);
}

void
where_add(struct agg_where *w, char *arg)
{
	w->arg = xrealloc(w->arg, (size_t)w->n + 1, sizeof(*w->arg));
	w->arg[w->n++] = arg;
}

void
where_make(struct agg_where *w, struct agg_input *in)
{
	int i;

	w->cond = xcalloc((size_t)w->n + 1, sizeof(*w->cond));
	for (i = 0; i < w->n; i++)
		parse_cond(in, &w->cond[i], w->arg[i]);
}

/* Compares as numbers if both are, otherwise as bytes. */
static int
compare_value(const struct agg_cond *c, const char *s, size_t n)
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
cond_holds(struct buf *tmp, const struct agg_cond *c, const char *s, size_t n)
{
	int cmp;

	if (c->unset && (c->op == OP_EQ || c->op == OP_NE))
		return (s == NULL) == (c->op == OP_EQ);
	if (s == NULL)
		return c->op == OP_NE || c->op == OP_NO_MATCH;
	buf_clear(tmp);
	esc_undo(tmp, s, n);
	cmp = is_order(c->op) ? compare_value(c, buf_str(tmp), tmp->len)
			      : regexec(&c->re, buf_str(tmp), 0, NULL, 0);
	switch (c->op) {
	case OP_LE:
		return cmp <= 0;
	case OP_GE:
		return cmp >= 0;
	case OP_LT:
		return cmp < 0;
	case OP_GT:
		return cmp > 0;
	case OP_EQ:
	case OP_MATCH:
		return cmp == 0;
	case OP_NE:
	case OP_NO_MATCH:
		break;
	}
	return cmp != 0;
}

bool
where_holds(
    struct agg_where *w, struct agg_input *in, const struct rec *r, int t)
{
	const char *s;
	size_t n;
	int i;

	for (i = 0; i < w->n; i++) {
		s = input_value(in, r, t, w->cond[i].col, &n);
		if (!cond_holds(&w->tmp, &w->cond[i], s, n))
			return false;
	}
	return true;
}

/* The columns of -c: of the record, under a new name, a quotient of two, or a
 * bar. */

/* Splits s at the first c, which must have text on both sides. The second part;
 * NULL: there is no c. */
static char *
split_at(char *s, char c)
{
	char *at = strchr(s, c);

	if (at == NULL || at == s || at[1] == '\0')
		return NULL;
	*at = '\0';
	return at + 1;
}

/* [N*]COL/COL[:DIGITS] */
static void
parse_quotient(
    struct agg_cut *c, struct agg_input *in, char *s, char *by, const char *arg)
{
	char *col = split_at(s, '*'), *digits = split_at(by, ':');
	int64_t v = 3;

	c->scale = 1;
	if (col != NULL && (!num_f64(s, strlen(s), &c->scale) || c->scale <= 0))
		die("-c: bad number '%s' in '%s'", s, arg);
	if (digits != NULL &&
	    (!num_i64(digits, strlen(digits), &v) || v < 0 || v > 9))
		die("-c: '%s' in '%s' is not a number of digits from 0 to 9",
		    digits, arg);
	c->digits = (int)v;
	c->col = input_column(in, col != NULL ? col : s);
	c->by = input_column(in, by);
}

void
cut_parse(struct agg_cut *c, struct agg_input *in, const char *arg)
{
	char *s = xstrdup(arg), *from = split_at(s, '='), *by;

	*c = (struct agg_cut){ .col = -1, .by = -1 };
	if (from == NULL) {
		c->col = input_column(in, arg);
		free(s);
		return;
	}
	c->name = s;
	by = split_at(from, '/');
	c->bar = from[0] == '#';
	if (c->bar)
		c->col = input_column(in, from + 1);
	else if (by != NULL)
		parse_quotient(c, in, from, by, arg);
	else if (strcmp(from, "-") != 0)
		c->col = input_column(in, from);
}

const char *
cut_name(const struct agg_cut *c, const struct agg_input *in)
{
	return c->name != NULL ? c->name : input_canon(in, c->col);
}

/* The value of a column as a number; false if it is unset or a text. */
static bool
cut_f64(struct agg_input *in, const struct rec *r, int t, int col, double *v)
{
	size_t n;
	const char *s = input_value(in, r, t, col, &n);

	return s != NULL && num_f64(s, n, v);
}

void
cut_put(struct buf *b, const struct agg_cut *c, struct agg_input *in,
    const struct rec *r, int t)
{
	const char *s = NULL;
	double v, by;
	size_t n;
	int i;

	if (c->by >= 0 && cut_f64(in, r, t, c->col, &v) &&
	    cut_f64(in, r, t, c->by, &by) && by > 0) {
		buf_f64(b, c->scale * v / by, c->digits);
		return;
	}
	if (c->bar) {
		/* ten signs; those below the percentage, rounded, are full */
		if (cut_f64(in, r, t, c->col, &v))
			for (i = 0; i < 10; i++)
				buf_putc(b, i < v / 10 - 0.5 ? '#' : '.');
		return;
	}
	if (c->by < 0 && c->col >= 0)
		s = input_value(in, r, t, c->col, &n);
	if (s != NULL)
		buf_put(b, s, n);
	else
		buf_putc(b, '-');
}
