/*
 * A field's state as text: N SUM MIN MAX, then "s MEAN M2" for deviations, then
 * "v" or "r" (rounded) and the sorted values, VALUE*COUNT if a value occurs
 * more than once. An "f" precedes everything if the numbers have fractions.
 */
#include "agg_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

#define VALUES_MAX 65536 /* different values kept to the last digit */

struct part_text {
	const char *s, *end;
	bool bad;
	int got; /* ACC_STD, ACC_VALUES */
};

static void
put_f(struct buf *b, double d)
{
	buf_printf(b, " %a", d);
}

static void
put_number(struct buf *b, bool frac, union agg_num v)
{
	if (frac) {
		put_f(b, v.d);
		return;
	}
	buf_putc(b, ' ');
	buf_i64(b, v.i);
}

static size_t
distinct(const struct acc_more *m)
{
	size_t i, n = m->nval > 0;

	for (i = 1; i < m->nval; i++)
		n += !acc_same(m->frac, m->val[i - 1], m->val[i]);
	return n;
}

/* Rounds to four digits: off by 0.05 % at most. */
static union agg_num
rounded(bool frac, union agg_num v)
{
	double d = frac ? v.d : (double)v.i, step;

	if (d == 0)
		return v;
	step = pow(10, floor(log10(fabs(d))) - 3);
	if (!frac && step <= 1)
		return v;
	d = round(d / step) * step;
	if (frac)
		v.d = d;
	else if (fabs(d) < 9e18)
		v.i = (int64_t)llround(d);
	return v;
}

static bool
put_all_values(struct buf *b, const struct agg_acc *c)
{
	struct acc_more *m = c->more;
	bool cut;
	size_t i, n;

	acc_sort(m);
	cut = distinct(m) > VALUES_MAX;
	buf_puts(b, cut || m->rounded ? " r" : " v");
	for (i = 0; cut && i < m->nval; i++)
		m->val[i] = rounded(m->frac, m->val[i]);
	for (i = 0; i < m->nval; i += n) {
		for (n = 1; i + n < m->nval &&
			    acc_same(m->frac, m->val[i], m->val[i + n]);
		     n++)
			;
		put_number(b, m->frac, m->val[i]);
		if (n > 1) {
			buf_putc(b, '*');
			buf_u64(b, n);
		}
	}
	return cut || m->rounded;
}

bool
part_put(struct buf *b, const struct agg_acc *c, int want)
{
	bool frac = acc_is_frac(c);

	if (frac)
		buf_puts(b, "f ");
	buf_u64(b, c->n);
	if (c->n == 0)
		return false;
	buf_putc(b, ' ');
	if (frac)
		buf_printf(b, "%a", c->more->dsum);
	else
		wide_put(b, &c->isum);
	put_number(b, frac, c->min);
	put_number(b, frac, c->max);
	if (want & ACC_STD) {
		buf_puts(b, " s");
		put_f(b, c->more->mean);
		put_f(b, c->more->m2);
	}
	return (want & ACC_VALUES) && put_all_values(b, c);
}

/* The next word; empty at the end. */
static const char *
next_word(struct part_text *t, size_t *n)
{
	const char *s = t->s;

	while (t->s < t->end && *t->s != ' ')
		t->s++;
	*n = (size_t)(t->s - s);
	if (t->s < t->end)
		t->s++;
	return s;
}

static double
get_f(const char *s, size_t n, bool *bad)
{
	char tmp[64], *end;
	double d;

	if (n == 0 || n >= sizeof(tmp)) {
		*bad = true;
		return 0;
	}
	memcpy(tmp, s, n);
	tmp[n] = '\0';
	d = strtod(tmp, &end);
	*bad |= *end != '\0';
	return d;
}

static union agg_num
get_num(bool frac, const char *s, size_t n, bool *bad)
{
	union agg_num v = { 0 };

	if (frac)
		v.d = get_f(s, n, bad);
	else
		*bad |= !num_i64(s, n, &v.i);
	return v;
}

static void
get_values(struct part_text *t, struct agg_acc *c)
{
	const char *s, *star;
	uint64_t k;
	size_t n;

	while (t->s < t->end && !t->bad) {
		union agg_num v;

		s = next_word(t, &n);
		star = memchr(s, '*', n);
		k = 1;
		if (star != NULL)
			t->bad |=
			    !num_u64(star + 1, n - (size_t)(star - s) - 1, &k);
		v = get_num(acc_is_frac(c), s,
		    star != NULL ? (size_t)(star - s) : n, &t->bad);
		if (k > c->n - c->more->nval)
			t->bad = true;
		while (!t->bad && k-- > 0)
			acc_keep(c->more, v);
	}
	t->bad |= c->more->nval != c->n;
}

static void
get_rest(struct part_text *t, struct agg_acc *c, bool *rounded_values)
{
	const char *s;
	size_t n;

	while (t->s < t->end && !t->bad) {
		s = next_word(t, &n);
		if (n != 1) {
			t->bad = true;
		} else if (*s == 's') {
			t->got |= ACC_STD;
			s = next_word(t, &n);
			acc_more(c)->mean = get_f(s, n, &t->bad);
			s = next_word(t, &n);
			acc_more(c)->m2 = get_f(s, n, &t->bad);
		} else if (*s == 'v' || *s == 'r') {
			t->got |= ACC_VALUES;
			acc_more(c)->rounded = *s == 'r';
			*rounded_values |= *s == 'r';
			get_values(t, c);
		} else {
			t->bad = true;
		}
	}
}

bool
part_get(
    struct agg_acc *c, const char *s, size_t n, int want, bool *rounded_values)
{
	struct part_text t = { s, s + n, false, 0 };
	const char *w;
	size_t k;

	if (n > 2 && s[0] == 'f' && s[1] == ' ') {
		acc_more(c)->frac = true;
		t.s += 2;
	}
	w = next_word(&t, &k);
	if (!num_u64(w, k, &c->n))
		return false;
	if (c->n == 0)
		return t.s == t.end;
	w = next_word(&t, &k);
	if (acc_is_frac(c))
		c->more->dsum = get_f(w, k, &t.bad);
	else
		t.bad |= !wide_get(w, k, &c->isum);
	w = next_word(&t, &k);
	c->min = get_num(acc_is_frac(c), w, k, &t.bad);
	w = next_word(&t, &k);
	c->max = get_num(acc_is_frac(c), w, k, &t.bad);
	get_rest(&t, c, rounded_values);
	return !t.bad && (want & ~t.got) == 0;
}

struct agg_piece *
part_piece(struct agg_group *g, uint64_t key)
{
	size_t i;

	for (i = 0; i < g->npiece; i++)
		if (g->piece[i].key == key)
			return &g->piece[i];
	g->piece = xrealloc(g->piece, g->npiece + 1, sizeof(*g->piece));
	memset(&g->piece[g->npiece], 0, sizeof(*g->piece));
	g->piece[g->npiece].key = key;
	return &g->piece[g->npiece++];
}

/* KEY LO DUR GAP DUR GAP DUR ... for each source, separated by semicolons. */
void
part_put_union(struct buf *b, const struct agg_group *g)
{
	size_t i, k;

	for (i = 0; i < g->npiece; i++) {
		const struct ivl *u = &g->piece[i].u;

		if (i > 0)
			buf_puts(b, " ; ");
		buf_u64(b, g->piece[i].key);
		for (k = 0; k < u->n; k++) {
			buf_putc(b, ' ');
			buf_i64(b, k == 0
				       ? u->v[k].lo
				       : num_sub(u->v[k].lo, u->v[k - 1].hi));
			buf_putc(b, ' ');
			buf_i64(b, num_sub(u->v[k].hi, u->v[k].lo));
		}
	}
}

bool
part_get_union(struct agg_group *g, const char *s, size_t n)
{
	struct part_text t = { s, s + n, false, 0 };
	struct ivl *u = NULL;
	int64_t at = 0, lo, dur;
	const char *w;
	uint64_t key;
	size_t k;

	while (t.s < t.end) {
		w = next_word(&t, &k);
		if (u == NULL) {
			if (!num_u64(w, k, &key))
				return false;
			u = &part_piece(g, key)->u;
			at = 0;
			continue;
		}
		if (k == 1 && *w == ';') {
			u = NULL;
			continue;
		}
		if (!num_i64(w, k, &lo))
			return false;
		w = next_word(&t, &k);
		if (!num_i64(w, k, &dur))
			return false;
		lo = num_add(at, lo);
		at = num_add(lo, dur);
		ivl_add(u, lo, at);
	}
	return true;
}
