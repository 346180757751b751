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
	const char *val;
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
parse_cond(struct agg_input *in, struct agg_cond *c, const char *arg)
{
	size_t n = strcspn(arg, " =!<>~"), i, k;
	const char *p = arg + n;
	char *name, text[256];
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

/* An expression: a condition, or two that are joined. */
struct agg_node {
	struct agg_cond cond;
	struct agg_node *a, *b; /* NULL: cond */
	bool any;               /* ||, otherwise && */
};

struct where_text {
	struct agg_input *in;
	const char *arg, *at;
	int depth; /* of parentheses */
};

/* The bytes of a condition. Parentheses of its value belong to it. */
static size_t
cond_len(const struct where_text *p)
{
	const char *s = p->at;
	int depth = 0;

	for (; *s != '\0'; s++) {
		if (*s == '\\' && s[1] != '\0')
			s++;
		else if (*s == '(')
			depth++;
		else if (*s == ')' && depth-- <= 0 && p->depth > 0)
			break;
		else if (depth <= 0 && (*s == '|' || *s == '&') && s[1] == *s)
			break;
	}
	return (size_t)(s - p->at);
}

/* What one of the signs joins: 0 is ||, which binds less than && (1); 2 is a
 * condition or an expression in parentheses. */
static struct agg_node *
parse_where(struct where_text *p, int level)
{
	const char *sign = level == 0 ? "||" : "&&", *end;
	struct agg_node *e, *left;
	size_t n;

	p->at += strspn(p->at, " ");
	if (level == 2 && *p->at == '(') {
		p->at++;
		p->depth++;
		e = parse_where(p, 0);
		if (*p->at++ != ')')
			die("--where: ')' is missing in '%s'", p->arg);
		p->depth--;
	} else if (level == 2) {
		n = cond_len(p);
		end = p->at + n;
		while (*end != '\0' && n > 0 && p->at[n - 1] == ' ')
			n--;
		e = xcalloc(1, sizeof(*e));
		parse_cond(p->in, &e->cond, xmemdup(p->at, n));
		p->at = end;
	} else {
		e = parse_where(p, level + 1);
		while (strncmp(p->at, sign, 2) == 0) {
			p->at += 2;
			left = e;
			e = xcalloc(1, sizeof(*e));
			e->a = left;
			e->b = parse_where(p, level + 1);
			e->any = level == 0;
		}
	}
	p->at += strspn(p->at, " ");
	return e;
}

void
where_make(struct agg_where *w, struct agg_input *in)
{
	struct where_text p = { .in = in };
	int i;

	w->expr = xcalloc((size_t)w->n + 1, sizeof(struct agg_node *));
	for (i = 0; i < w->n; i++) {
		p.arg = p.at = w->arg[i];
		w->expr[i] = parse_where(&p, 0);
		if (*p.at != '\0')
			die("--where: '%s' does not belong to '%s'", p.at,
			    p.arg);
	}
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

static bool
node_holds(struct agg_where *w, const struct agg_node *e, struct agg_input *in,
    const struct rec *r, int t)
{
	const char *s;
	size_t n;

	if (e->a != NULL)
		return node_holds(w, e->a, in, r, t) == e->any
			   ? e->any
			   : node_holds(w, e->b, in, r, t);
	s = input_value(in, r, t, e->cond.col, &n);
	return cond_holds(&w->tmp, &e->cond, s, n);
}

bool
where_holds(
    struct agg_where *w, struct agg_input *in, const struct rec *r, int t)
{
	int i;

	for (i = 0; i < w->n; i++)
		if (!node_holds(w, w->expr[i], in, r, t))
			return false;
	return true;
}

/* The columns of -c: of the record, under a new name, computed, or a bar. */

/* A computed column, in postfix order: a number, a column, or one of + - * /
 * that takes the two values before it. */
struct agg_term {
	char what; /* n, c or the sign */
	double num;
	int col;
};

struct cut_text {
	struct agg_cut *cut;
	struct agg_input *in;
	const char *arg, *at;
};

static void
add_term(struct agg_cut *c, char what, double num, int col)
{
	c->term = xrealloc(c->term, (size_t)c->n + 1, sizeof(*c->term));
	c->term[c->n++] = (struct agg_term){ what, num, col };
	if (c->n > CUT_TERMS)
		die("-c: '%s' has more than %d parts", c->name, CUT_TERMS);
}

/* Level 0 is + and -, 1 is * and /, 2 a number, a column or parentheses. */
static void
parse_terms(struct cut_text *p, int level)
{
	const char *signs = level == 0 ? "+-" : "*/", *s = p->at;
	char *word, sign;
	double v;
	size_t n;

	if (level < 2) {
		parse_terms(p, level + 1);
		while (*p->at != '\0' && strchr(signs, *p->at) != NULL) {
			sign = *p->at++;
			parse_terms(p, level + 1);
			add_term(p->cut, sign, 0, -1);
			if (sign == '/')
				p->cut->digits = 3;
		}
		return;
	}
	if (*s == '(') {
		p->at++;
		parse_terms(p, 0);
		if (*p->at++ != ')')
			die("-c: ')' is missing in '%s'", p->arg);
		return;
	}
	n = strcspn(s, "+-*/():");
	if (n == 0)
		die("-c: a column or a number is missing in '%s'", p->arg);
	p->at += n;
	if (num_f64(s, n, &v)) {
		add_term(p->cut, 'n', v, -1);
		if (memchr(s, '.', n) != NULL)
			p->cut->digits = 3;
		return;
	}
	word = xmemdup(s, n); /* the input keeps the name of a new column */
	add_term(p->cut, 'c', 0, input_column(p->in, word));
	if (p->in->col[p->in->ncol - 1].name != word)
		free(word);
}

void
cut_parse(struct agg_cut *c, struct agg_input *in, const char *arg)
{
	char *s = xstrdup(arg), *from = strchr(s, '=');
	struct cut_text p = { c, in, arg, NULL };
	int64_t v;

	*c = (struct agg_cut){ .col = -1 };
	if (from == NULL || from == s || from[1] == '\0') {
		c->col = input_column(in, arg);
		free(s);
		return;
	}
	*from++ = '\0';
	c->name = s;
	c->bar = from[0] == '#';
	if (strcmp(from, "-") == 0)
		return;
	if (c->bar || strpbrk(from, "+-*/(:") == NULL) {
		c->col = input_column(in, from + c->bar);
		return;
	}
	p.at = from;
	parse_terms(&p, 0);
	if (*p.at == ':') {
		p.at++;
		if (!num_i64(p.at, strlen(p.at), &v) || v < 0 || v > 9)
			die("-c: '%s' in '%s' is not a number of digits from 0 "
			    "to 9",
			    p.at, arg);
		c->digits = (int)v;
	} else if (*p.at != '\0') {
		die("-c: '%s' does not belong to '%s'", p.at, arg);
	}
}

/* The value of a column as a number; false if it is unset or a text. */
static bool
cut_f64(struct agg_input *in, const struct rec *r, int t, int col, double *v)
{
	size_t n;
	const char *s = input_value(in, r, t, col, &n);

	return s != NULL && num_f64(s, n, v);
}

/* False if a value is unset, or a divisor is 0. */
static bool
cut_compute(const struct agg_cut *c, struct agg_input *in, const struct rec *r,
    int t, double *v)
{
	const struct agg_term *e = c->term;
	double stack[CUT_TERMS];
	int n = 0;

	for (; e < c->term + c->n; e++) {
		if (e->what == 'n')
			stack[n++] = e->num;
		else if (e->what == 'c' &&
			 !cut_f64(in, r, t, e->col, &stack[n++]))
			return false;
		if (e->what == 'n' || e->what == 'c')
			continue;
		n--;
		if (e->what == '/' && stack[n] == 0)
			return false;
		stack[n - 1] = e->what == '+'   ? stack[n - 1] + stack[n]
			       : e->what == '-' ? stack[n - 1] - stack[n]
			       : e->what == '*' ? stack[n - 1] * stack[n]
						: stack[n - 1] / stack[n];
	}
	*v = stack[0];
	return true;
}

void
cut_put(struct buf *b, const struct agg_cut *c, struct agg_input *in,
    const struct rec *r, int t)
{
	const char *s = NULL;
	double v;
	size_t n;
	int i;

	if (c->n > 0 && cut_compute(c, in, r, t, &v)) {
		buf_f64(b, v, c->digits);
		return;
	}
	if (c->bar) {
		/* ten signs; those below the percentage, rounded, are full */
		if (cut_f64(in, r, t, c->col, &v))
			for (i = 0; i < 10; i++)
				buf_putc(b, i < v / 10 - 0.5 ? '#' : '.');
		return;
	}
	if (c->col >= 0)
		s = input_value(in, r, t, c->col, &n);
	if (s != NULL)
		buf_put(b, s, n);
	else
		buf_putc(b, '-');
}
