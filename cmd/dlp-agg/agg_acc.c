/*
 * Statistics of the values of a field in a group (struct agg_acc). While all
 * values are integers, they are kept as integers and their sum is exact, in 128
 * bits (struct wide). From the first fraction on, all are doubles. Memory that
 * only some statistics need (doubles, deviations, values for percentiles) is
 * allocated with the first of them (acc_more).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agg_group.h"
#include "err.h"
#include "num.h"

/* Adds v to w; they can be the same. */
static void
wide_join(struct wide *w, const struct wide *v)
{
	uint64_t lo = w->lo + v->lo;

	w->hi += v->hi + (lo < w->lo);
	w->lo = lo;
}

static void
wide_add(struct wide *w, int64_t v)
{
	struct wide x = { v < 0 ? -1 : 0, (uint64_t)v };

	wide_join(w, &x);
}

static double
wide_f64(const struct wide *w)
{
	return (double)w->hi * 18446744073709551616.0 + (double)w->lo;
}

/* Divides hi:lo by 10 in place and returns the remainder. Long division by
 * 32-bit digits. */
static unsigned
divide(uint64_t *hi, uint64_t *lo)
{
	uint64_t part[4] = { *hi >> 32, *hi & 0xffffffff, *lo >> 32,
		*lo & 0xffffffff };
	uint64_t rem = 0;
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t x = rem << 32 | part[i];

		part[i] = x / 10;
		rem = x % 10;
	}
	*hi = part[0] << 32 | part[1];
	*lo = part[2] << 32 | part[3];
	return (unsigned)rem;
}

/* appends decimals */
static void
wide_put(struct buf *b, const struct wide *w)
{
	uint64_t hi = (uint64_t)w->hi, lo = w->lo;
	char t[40], *p = t + sizeof(t);

	if (w->hi == (w->lo >> 63 ? -1 : 0)) { /* it fits into 64 bits */
		buf_i64(b, (int64_t)w->lo);
		return;
	}
	if (w->hi < 0) {
		buf_putc(b, '-');
		lo = ~lo + 1;
		hi = ~hi + (lo == 0);
	}
	while (hi != 0 || lo != 0)
		*--p = (char)('0' + divide(&hi, &lo));
	buf_put(b, p, (size_t)(t + sizeof(t) - p));
}

static void
times_ten(struct wide *w, int64_t digit)
{
	struct wide two, ten;

	wide_join(w, w);
	two = *w;
	wide_join(w, w);
	wide_join(w, w);
	ten = *w;
	wide_join(&ten, &two);
	wide_add(&ten, digit);
	*w = ten;
}

bool
wide_get(const char *s, size_t n, struct wide *w)
{
	const int64_t most = INT64_MAX / 10; /* of hi, for one more digit */
	bool minus = n > 0 && s[0] == '-';
	size_t i = minus;

	*w = (struct wide){ 0, 0 };
	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
		if (w->hi >= most || w->hi < -most)
			return false;
		times_ten(w, minus ? '0' - s[i] : s[i] - '0');
	}
	return i == n && n > (size_t)minus;
}

struct acc_more *
acc_more(struct agg_acc *c)
{
	if (c->more == NULL)
		c->more = xcalloc(1, sizeof(*c->more));
	return c->more;
}

/* Turns the integers so far into doubles. isum stays, but dsum counts. */
static void
to_double(struct agg_acc *c)
{
	struct acc_more *m = acc_more(c);
	size_t i;

	m->frac = true;
	m->dsum = wide_f64(&c->isum);
	if (c->n == 0)
		return;
	c->min.d = (double)c->min.i;
	c->max.d = (double)c->max.i;
	for (i = 0; i < m->nval; i++)
		m->val[i].d = (double)m->val[i].i;
}

void
acc_keep(struct acc_more *m, union agg_num v)
{
	if (m->nval == m->cap) {
		m->cap = m->cap > 0 ? m->cap * 2 : 4;
		m->val = xrealloc(m->val, m->cap, sizeof(*m->val));
	}
	m->val[m->nval++] = v;
	m->sorted = false;
}

static void
add_int(struct agg_acc *c, int64_t v)
{
	wide_add(&c->isum, v);
	if (c->n == 0 || v < c->min.i)
		c->min.i = v;
	if (c->n == 0 || v > c->max.i)
		c->max.i = v;
}

static void
add_double(struct agg_acc *c, double v)
{
	c->more->dsum += v;
	if (c->n == 0 || v < c->min.d)
		c->min.d = v;
	if (c->n == 0 || v > c->max.d)
		c->max.d = v;
}

/* Welford's method: m2 is the sum of the squared deviations from the mean so
 * far. c->n must include the value. */
static void
add_std(struct agg_acc *c, double d)
{
	struct acc_more *m = acc_more(c);
	double delta = d - m->mean;

	m->mean += delta / (double)c->n;
	m->m2 += delta * (d - m->mean);
}

size_t
acc_add(struct agg_acc *c, bool frac, union agg_num v, int want)
{
	double d = frac ? v.d : (double)v.i;
	size_t cap;

	if (frac && !acc_is_frac(c))
		to_double(c);
	if (acc_is_frac(c)) {
		v.d = d;
		add_double(c, d);
	} else {
		add_int(c, v.i);
	}
	c->n++;
	if (want & ACC_STD)
		add_std(c, d);
	if (want & ACC_DRIFT)
		drift_add(c->more, c->n, d);
	if (!(want & ACC_VALUES))
		return 0;
	cap = acc_more(c)->cap;
	acc_keep(c->more, v);
	return c->more->cap - cap;
}

static void
join_values(struct agg_acc *c, const struct acc_more *from)
{
	size_t i;

	if (from->rounded)
		acc_more(c)->rounded = true;
	for (i = 0; i < from->nval; i++) {
		union agg_num v = from->val[i];

		if (acc_is_frac(c) && !from->frac)
			v.d = (double)from->val[i].i;
		acc_keep(acc_more(c), v);
	}
}

/* Joins the mean and the deviations of `from` to those of c. from->more must be
 * set, and c->n must not include from's values yet. */
static void
join_std(struct agg_acc *c, const struct agg_acc *from)
{
	struct acc_more *m = acc_more(c);
	double n = (double)c->n + (double)from->n;
	double delta = from->more->mean - m->mean;

	m->m2 +=
	    from->more->m2 + delta * delta * (double)c->n * (double)from->n / n;
	m->mean += delta * (double)from->n / n;
}

void
acc_join(struct agg_acc *c, const struct agg_acc *from, bool values)
{
	struct agg_acc f = *from;

	if (f.n == 0)
		return;
	if (acc_is_frac(&f) && !acc_is_frac(c))
		to_double(c);
	if (values && f.more != NULL)
		join_values(c, f.more);
	if (acc_is_frac(c) && !acc_is_frac(&f)) {
		f.min.d = (double)f.min.i;
		f.max.d = (double)f.max.i;
	}
	if (acc_is_frac(c))
		c->more->dsum +=
		    acc_is_frac(&f) ? f.more->dsum : wide_f64(&f.isum);
	wide_join(&c->isum, &f.isum);
	if (c->n == 0 ||
	    (acc_is_frac(c) ? f.min.d < c->min.d : f.min.i < c->min.i))
		c->min = f.min;
	if (c->n == 0 ||
	    (acc_is_frac(c) ? f.max.d > c->max.d : f.max.i > c->max.i))
		c->max = f.max;
	if (f.more != NULL) {
		join_std(c, &f);
		c->more->drift.joined = true;
	}
	c->n += f.n;
}

void
acc_extreme(struct agg_acc *c, const struct agg_acc *x, bool least)
{
	union agg_num v = least ? x->min : x->max;

	if (acc_is_frac(x) && !acc_is_frac(c))
		to_double(c);
	if (acc_is_frac(c) && !acc_is_frac(x)) {
		int64_t whole = v.i;

		v.d = (double)whole;
	}
	if (least)
		c->min = v;
	else
		c->max = v;
}

void
acc_free(struct agg_acc *c)
{
	if (c->more != NULL)
		free(c->more->val);
	free(c->more);
	if (c->ends != NULL) {
		buf_free(&c->ends->first);
		buf_free(&c->ends->last);
	}
	free(c->ends);
}

static struct acc_ends *
ends_of(struct agg_acc *c)
{
	if (c->ends == NULL)
		c->ends = xcalloc(1, sizeof(*c->ends));
	return c->ends;
}

void
acc_first(struct agg_acc *c, const char *s, size_t n)
{
	struct acc_ends *e = ends_of(c);

	if (e->has_first)
		return;
	buf_put(&e->first, s, n);
	e->has_first = true;
}

void
acc_last(struct agg_acc *c, const char *s, size_t n)
{
	struct acc_ends *e = ends_of(c);

	buf_clear(&e->last);
	buf_put(&e->last, s, n);
	e->has_last = true;
}

static int
cmp_int(const void *a, const void *b)
{
	const union agg_num *x = a, *y = b;

	return (x->i > y->i) - (x->i < y->i);
}

static int
cmp_double(const void *a, const void *b)
{
	const union agg_num *x = a, *y = b;

	return (x->d > y->d) - (x->d < y->d);
}

void
acc_sort(struct acc_more *m)
{
	if (!m->sorted && m->nval > 0)
		qsort(m->val, m->nval, sizeof(*m->val),
		    m->frac ? cmp_double : cmp_int);
	m->sorted = true;
}

/* The place, from 1, of percentile p among n sorted values: that of the least
 * value that p percent of the values do not exceed. 1e-9 absorbs the rounding
 * of the product. */
uint64_t
acc_rank(uint64_t n, double p)
{
	uint64_t k = (uint64_t)ceil(p / 100 * (double)n - 1e-9);

	return k > 0 ? k : 1;
}

union agg_num
acc_percentile(struct agg_acc *c, double p)
{
	acc_sort(c->more);
	return c->more->val[acc_rank(c->more->nval, p) - 1];
}

/* Six significant digits, or all digits before the point if these are more;
 * without zeros at the end of the fraction. */
static void
put_rounded(struct buf *b, double v)
{
	int k = v == 0 ? 0 : (int)floor(log10(fabs(v)));
	int decimals = k >= 5 ? 0 : k < -12 ? 18 : 5 - k;
	size_t from = b->len;

	buf_f64(b, v, decimals);
	if (memchr(b->s + from, '.', b->len - from) == NULL)
		return;
	while (b->s[b->len - 1] == '0')
		b->len--;
	if (b->s[b->len - 1] == '.')
		b->len--;
}

/* A mean of integers, such as ns, has one decimal if it is at least 100,
 * because more would say nothing. */
static void
put_mean(struct buf *b, const struct agg_acc *c, double v)
{
	if (acc_is_frac(c) || fabs(v) < 100)
		put_rounded(b, v);
	else
		buf_f64(b, v, 1);
}

void
acc_put_value(struct buf *b, const struct agg_acc *c, union agg_num v)
{
	if (acc_is_frac(c))
		put_rounded(b, v.d);
	else
		buf_i64(b, v.i);
}

static double
sum_f64(const struct agg_acc *c)
{
	return acc_is_frac(c) ? c->more->dsum : wide_f64(&c->isum);
}

static bool
put_pct(struct buf *b, const struct agg_acc *c, const struct agg_acc *total)
{
	double all = sum_f64(total);

	if (all == 0)
		return false;
	buf_f64(b, 100 * sum_f64(c) / all, 2);
	return true;
}

static bool
put_end(struct buf *b, const struct agg_acc *c, bool last)
{
	const struct acc_ends *e = c->ends;

	if (e == NULL || !(last ? e->has_last : e->has_first))
		return false;
	buf_put(b, last ? e->last.s : e->first.s,
	    last ? e->last.len : e->first.len);
	return true;
}

static bool
put_sum(struct buf *b, const struct agg_acc *c)
{
	if (acc_is_frac(c))
		put_rounded(b, c->more->dsum);
	else
		wide_put(b, &c->isum);
	return true;
}

bool
acc_put(struct agg_acc *c, struct buf *b, enum agg_stat stat, double p,
    const struct agg_acc *total)
{
	if (stat == ST_FIRST || stat == ST_LAST)
		return put_end(b, c, stat == ST_LAST);
	if (stat == ST_NSET) {
		buf_u64(b, c->n);
		return true;
	}
	if (c->n < (stat == ST_STD ? 2 : 1))
		return false;
	if (stat == ST_DRIFT || stat == ST_DRIFTERR)
		return drift_put(b, c->more, c->n, stat);
	if (stat == ST_PCT)
		return put_pct(b, c, total);
	if (stat == ST_SUM)
		return put_sum(b, c);
	if (stat == ST_MEAN)
		put_mean(b, c, sum_f64(c) / (double)c->n);
	else if (stat == ST_STD)
		put_mean(b, c, sqrt(c->more->m2 / (double)(c->n - 1)));
	else if (stat == ST_PERCENTILE)
		acc_put_value(b, c, acc_percentile(c, p));
	else
		acc_put_value(b, c, stat == ST_MIN ? c->min : c->max);
	return true;
}

/*
 * A field's state as text: N SUM MIN MAX, then "s MEAN M2" for deviations, then
 * "v" or "r" (rounded) and the sorted values, VALUE*COUNT if a value occurs
 * more than once. An "f" precedes everything if the numbers have fractions.
 */

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
