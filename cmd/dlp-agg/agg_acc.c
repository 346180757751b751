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
#include "num.h"

/* True if the values are doubles. */
static bool
acc_is_frac(const struct agg_acc *c)
{
	return c->more != NULL && c->more->frac;
}

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

bool
wide_get(const char *s, size_t n, struct wide *w)
{
	const int64_t most = INT64_MAX / 10; /* of hi, for one more digit */
	bool minus = n > 0 && s[0] == '-';
	struct wide two;
	size_t i = minus;

	*w = (struct wide){ 0, 0 };
	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
		if (w->hi >= most || w->hi < -most)
			return false;
		wide_join(w, w); /* times ten: as two and eight */
		two = *w;
		wide_join(w, w);
		wide_join(w, w);
		wide_join(w, &two);
		wide_add(w, minus ? '0' - s[i] : s[i] - '0');
	}
	return i == n && n > (size_t)minus;
}

struct acc_more *
acc_more(struct store *mem, struct agg_acc *c)
{
	if (c->more == NULL) {
		c->more = store_alloc(mem, sizeof(*c->more));
		memset(c->more, 0, sizeof(*c->more));
	}
	return c->more;
}

/* Turns the integers so far into doubles. isum stays, but dsum counts. */
static void
to_double(struct store *mem, struct agg_acc *c)
{
	struct acc_more *m = acc_more(mem, c);
	struct list_pos p = { 0 };
	union agg_num *v;

	m->frac = true;
	m->dsum = wide_f64(&c->isum);
	if (c->n == 0)
		return;
	c->min.d = (double)c->min.i;
	c->max.d = (double)c->max.i;
	while ((v = list_next(&m->val, &p, sizeof(*v))) != NULL)
		v->d = (double)v->i;
}

/* Keeps one more value. */
static void
keep(struct store *mem, struct acc_more *m, union agg_num v)
{
	*(union agg_num *)list_add(mem, &m->val, sizeof(v)) = v;
	m->sorted = false;
}

void
acc_add(
    struct store *mem, struct agg_acc *c, bool frac, union agg_num v, int want)
{
	double d = frac ? v.d : (double)v.i, delta;
	struct acc_more *m;

	if (frac && !acc_is_frac(c))
		to_double(mem, c);
	if (acc_is_frac(c)) {
		v.d = d;
		c->more->dsum += d;
		if (c->n == 0 || d < c->min.d)
			c->min = v;
		if (c->n == 0 || d > c->max.d)
			c->max = v;
	} else {
		wide_add(&c->isum, v.i);
		if (c->n == 0 || v.i < c->min.i)
			c->min = v;
		if (c->n == 0 || v.i > c->max.i)
			c->max = v;
	}
	c->n++;
	if (want == 0)
		return;
	m = acc_more(mem, c);
	if (want & ACC_STD) { /* Welford's method: m2 is the sum of the squared
			       * deviations from the mean so far */
		delta = d - m->mean;
		m->mean += delta / (double)c->n;
		m->m2 += delta * (d - m->mean);
	}
	if (want & ACC_DRIFT)
		drift_add(m, c->n, d);
	if (want & ACC_VALUES)
		keep(mem, m, v);
}

/* Joins what few groups need; c->n does not include from's values yet. */
static void
join_more(struct store *mem, struct agg_acc *c, const struct agg_acc *from,
    bool values)
{
	struct acc_more *m = acc_more(mem, c), *f = from->more;
	double n = (double)c->n + (double)from->n;
	double delta = f->mean - m->mean;
	struct list_pos p = { 0 };
	const union agg_num *v;

	m->m2 += f->m2 + delta * delta * (double)c->n * (double)from->n / n;
	m->mean += delta * (double)from->n / n;
	m->drift.joined = true;
	if (!values)
		return;
	m->rounded |= f->rounded;
	while ((v = list_next(&f->val, &p, sizeof(*v))) != NULL) {
		union agg_num x = *v;

		if (m->frac && !f->frac)
			x.d = (double)v->i;
		keep(mem, m, x);
	}
}

void
acc_join(struct store *mem, struct agg_acc *c, const struct agg_acc *from,
    bool values)
{
	struct agg_acc f = *from;

	if (f.n == 0)
		return;
	if (acc_is_frac(&f) && !acc_is_frac(c))
		to_double(mem, c);
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
	if (f.more != NULL)
		join_more(mem, c, &f, values);
	c->n += f.n;
}

void
acc_extreme(
    struct store *mem, struct agg_acc *c, const struct agg_acc *x, bool least)
{
	union agg_num v = least ? x->min : x->max;

	if (acc_is_frac(x) && !acc_is_frac(c))
		to_double(mem, c);
	if (acc_is_frac(c) && !acc_is_frac(x)) {
		int64_t whole = v.i;

		v.d = (double)whole;
	}
	if (least)
		c->min = v;
	else
		c->max = v;
}

static struct acc_ends *
ends_of(struct store *mem, struct agg_acc *c)
{
	if (c->ends == NULL) {
		c->ends = store_alloc(mem, sizeof(*c->ends));
		memset(c->ends, 0, sizeof(*c->ends));
	}
	return c->ends;
}

static void
set_text(struct store *mem, struct acc_text *t, const char *s, size_t n)
{
	if (t->s == NULL || n > t->cap) {
		t->cap = n > 2 * t->cap ? n : 2 * t->cap;
		t->s = store_text(mem, t->cap);
	}
	memcpy(t->s, s, n);
	t->n = n;
}

void
acc_first(struct store *mem, struct agg_acc *c, const char *s, size_t n)
{
	struct acc_ends *e = ends_of(mem, c);

	if (e->first.s == NULL)
		set_text(mem, &e->first, s, n);
}

void
acc_last(struct store *mem, struct agg_acc *c, const char *s, size_t n)
{
	set_text(mem, &ends_of(mem, c)->last, s, n);
}

static void
sort_values(struct acc_more *m)
{
	if (!m->sorted)
		list_sort(&m->val, sizeof(union agg_num), m->frac);
	m->sorted = true;
}

/* The least value that p percent of the values do not exceed. 1e-9 absorbs the
 * rounding of the product. */
static union agg_num
percentile(struct acc_more *m, double p)
{
	double rank = ceil(p / 100 * (double)m->val.n - 1e-9);

	sort_values(m);
	return *(union agg_num *)list_at(
	    &m->val, rank >= 1 ? (uint64_t)rank - 1 : 0, sizeof(union agg_num));
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

static void
put_value(struct buf *b, const struct agg_acc *c, union agg_num v)
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

bool
acc_put(const struct agg_acc *c, struct buf *b, enum agg_stat stat, double p,
    const struct agg_acc *total)
{
	const struct acc_text *t;

	if (stat == ST_FIRST || stat == ST_LAST) {
		if (c->ends == NULL)
			return false;
		t = stat == ST_LAST ? &c->ends->last : &c->ends->first;
		if (t->s != NULL)
			buf_put(b, t->s, t->n);
		return t->s != NULL;
	}
	if (stat == ST_NSET) {
		buf_u64(b, c->n);
		return true;
	}
	if (c->n < (stat == ST_STD ? 2 : 1))
		return false;
	if (stat == ST_DRIFT || stat == ST_DRIFTERR)
		return drift_put(b, c->more, c->n, stat);
	if (stat == ST_PCT) {
		if (sum_f64(total) == 0)
			return false;
		buf_f64(b, 100 * sum_f64(c) / sum_f64(total), 2);
	} else if (stat == ST_SUM && !acc_is_frac(c))
		wide_put(b, &c->isum);
	else if (stat == ST_SUM)
		put_rounded(b, c->more->dsum);
	else if (stat == ST_MEAN)
		put_mean(b, c, sum_f64(c) / (double)c->n);
	else if (stat == ST_STD)
		put_mean(b, c, sqrt(c->more->m2 / (double)(c->n - 1)));
	else if (stat == ST_PERCENTILE)
		put_value(b, c, percentile(c->more, p));
	else
		put_value(b, c, stat == ST_MIN ? c->min : c->max);
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

/* The next value and how often it occurs; 0 at the end. */
static uint64_t
next_value(const struct acc_more *m, struct list_pos *p, union agg_num *v)
{
	const union agg_num *x = list_next(&m->val, p, sizeof(*x));
	struct list_pos last;
	uint64_t n = 1;

	if (x == NULL)
		return 0;
	*v = *x;
	for (last = *p; (x = list_next(&m->val, p, sizeof(*x))) != NULL; n++) {
		if (m->frac ? x->d < v->d || x->d > v->d : x->i != v->i)
			break;
		last = *p;
	}
	*p = last;
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
	struct list_pos p = { 0 };
	union agg_num v, *x;
	uint64_t n, distinct = 0;

	sort_values(m);
	while (next_value(m, &p, &v) > 0)
		distinct++;
	if (distinct > VALUES_MAX) {
		m->rounded = true;
		p = (struct list_pos){ 0 };
		while ((x = list_next(&m->val, &p, sizeof(*x))) != NULL)
			*x = rounded(m->frac, *x);
	}
	buf_puts(b, m->rounded ? " r" : " v");
	p = (struct list_pos){ 0 };
	while ((n = next_value(m, &p, &v)) > 0) {
		put_number(b, m->frac, v);
		if (n > 1) {
			buf_putc(b, '*');
			buf_u64(b, n);
		}
	}
	return m->rounded;
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
get_values(struct store *mem, struct part_text *t, struct agg_acc *c)
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
		if (k > c->n - c->more->val.n)
			t->bad = true;
		while (!t->bad && k-- > 0)
			keep(mem, c->more, v);
	}
	t->bad |= c->more->val.n != c->n;
}

static void
get_rest(struct store *mem, struct part_text *t, struct agg_acc *c,
    bool *rounded_values)
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
			acc_more(mem, c)->mean = get_f(s, n, &t->bad);
			s = next_word(t, &n);
			acc_more(mem, c)->m2 = get_f(s, n, &t->bad);
		} else if (*s == 'v' || *s == 'r') {
			t->got |= ACC_VALUES;
			acc_more(mem, c)->rounded = *s == 'r';
			*rounded_values |= *s == 'r';
			get_values(mem, t, c);
		} else {
			t->bad = true;
		}
	}
}

bool
part_get(struct store *mem, struct agg_acc *c, const char *s, size_t n,
    int want, bool *rounded_values)
{
	struct part_text t = { s, s + n, false, 0 };
	const char *w;
	size_t k;

	if (n > 2 && s[0] == 'f' && s[1] == ' ') {
		acc_more(mem, c)->frac = true;
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
	get_rest(mem, &t, c, rounded_values);
	return !t.bad && (want & ~t.got) == 0;
}

struct agg_piece *
part_piece(struct store *mem, struct agg_group *g, uint64_t key)
{
	struct agg_piece **p = &g->piece;

	while (*p != NULL && (*p)->key != key)
		p = &(*p)->next;
	if (*p == NULL) {
		*p = store_alloc(mem, sizeof(**p));
		**p = (struct agg_piece){ .key = key };
	}
	return *p;
}

/* KEY LO DUR GAP DUR GAP DUR ... for each source, separated by semicolons. */
void
part_put_union(struct buf *b, const struct agg_group *g)
{
	const struct agg_piece *k;
	struct agg_span s;
	int64_t end;

	for (k = g->piece; k != NULL; k = k->next) {
		struct list_pos p = { 0 };

		if (k != g->piece)
			buf_puts(b, " ; ");
		buf_u64(b, k->key);
		for (end = 0; spans_next(&k->spans, &p, &s); end = s.hi) {
			buf_putc(b, ' ');
			buf_i64(b, num_sub(s.lo, end));
			buf_putc(b, ' ');
			buf_i64(b, num_sub(s.hi, s.lo));
		}
	}
}

bool
part_get_union(struct store *mem, struct agg_group *g, const char *s, size_t n)
{
	struct part_text t = { s, s + n, false, 0 };
	struct agg_list *spans = NULL;
	int64_t at = 0, lo, dur;
	const char *w;
	uint64_t key;
	size_t k;

	while (t.s < t.end) {
		w = next_word(&t, &k);
		if (spans == NULL) {
			if (!num_u64(w, k, &key))
				return false;
			spans = &part_piece(mem, g, key)->spans;
			at = 0;
			continue;
		}
		if (k == 1 && *w == ';') {
			spans = NULL;
			continue;
		}
		if (!num_i64(w, k, &lo))
			return false;
		w = next_word(&t, &k);
		if (!num_i64(w, k, &dur))
			return false;
		lo = num_add(at, lo);
		at = num_add(lo, dur);
		spans_add(mem, spans, lo, at);
	}
	return true;
}
