/* The columns of -c: of the record, under a new name, a quotient of
 * two, or a bar. */
#include "agg_spec.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

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
		die("-c: '%s' in '%s' is no number of digits from 0 to 9",
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

/* Ten signs, of which those below the percentage, rounded, are full. */
static void
put_bar(struct buf *b, double pct)
{
	int i;

	for (i = 0; i < 10; i++)
		buf_putc(b, i < pct / 10 - 0.5 ? '#' : '.');
}

void
cut_put(struct buf *b, const struct agg_cut *c, struct agg_input *in,
    const struct rec *r, int t)
{
	const char *s = NULL;
	double v, by;
	size_t n;

	if (c->by >= 0 && cut_f64(in, r, t, c->col, &v) &&
	    cut_f64(in, r, t, c->by, &by) && by > 0) {
		buf_f64(b, c->scale * v / by, c->digits);
		return;
	}
	if (c->bar) {
		if (cut_f64(in, r, t, c->col, &v))
			put_bar(b, v);
		return;
	}
	if (c->by < 0 && c->col >= 0)
		s = input_value(in, r, t, c->col, &n);
	if (s != NULL)
		buf_put(b, s, n);
	else
		buf_putc(b, '-');
}
