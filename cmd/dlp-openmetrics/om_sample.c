/* The samples of the metrics: values are added up, then printed. */
#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "esc.h"
#include "num.h"
#include "om.h"
#include "utf8_fix.h"

struct om_sample {
	uint64_t n;     /* values */
	int64_t i;      /* their sum or extreme, while it is exact */
	double sum, sq; /* of the differences from the first: see add_real() */
	double first;
	double of;  /* HOW_SHARE: the second sum */
	bool exact; /* all were integers */
};

/* The value of a label: backslash, quote and line feed have escapes, other
 * control characters none. */
static void
put_escaped(struct buf *b, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i] == '\n') {
			buf_puts(b, "\\n");
			continue;
		}
		if (s[i] == '\\' || s[i] == '"')
			buf_putc(b, '\\');
		buf_putc(
		    b, (unsigned char)s[i] < 0x20 || s[i] == 0x7f ? '?' : s[i]);
	}
}

void
om_label(struct om_labels *l, const char *name, const char *raw, size_t n)
{
	struct buf *b = &l->list;

	buf_clear(&l->text);
	buf_clear(&l->fixed);
	if (raw == NULL)
		buf_puts(&l->text, "unknown");
	else
		esc_undo(&l->text, raw, n);
	utf8_fix(&l->fixed, l->text.s, l->text.len);
	if (b->len > 0)
		buf_putc(b, ',');
	buf_puts(b, name);
	buf_puts(b, "=\"");
	put_escaped(b, l->fixed.s, l->fixed.len);
	buf_putc(b, '"');
}

static struct om_sample *
sample_of(struct om_family *f, const struct om_labels *labels)
{
	bool is_new;
	size_t id =
	    smap_put(&f->labels, labels->list.s, labels->list.len, &is_new);

	ARRAY_GROW(f->v, id, f->cap);
	if (is_new)
		f->v[id] = (struct om_sample){ .exact = true };
	return &f->v[id];
}

/* The sum or extreme of integers. */
static void
add_exact(enum om_how how, struct om_sample *s, int64_t v)
{
	if (how == HOW_MIN)
		s->i = s->n == 0 || v < s->i ? v : s->i;
	else if (how == HOW_MAX)
		s->i = s->n == 0 || v > s->i ? v : s->i;
	else if (__builtin_add_overflow(s->i, v, &s->i))
		s->exact = false;
}

/* The differences from the first value are added up for HOW_STDDEV: squares
 * of the values themselves would lose the digits in which they differ. */
static void
add_real(enum om_how how, struct om_sample *s, double v)
{
	double d;

	if (s->n == 0)
		s->first = v;
	d = v - s->first;
	if (how == HOW_MIN || how == HOW_MAX) {
		if (s->n == 0 || (how == HOW_MIN ? v < s->sum : v > s->sum))
			s->sum = v;
		return;
	}
	s->sum += how == HOW_STDDEV ? d : v;
	s->sq += d * d;
}

void
om_sample(struct om_family *f, const struct om_labels *labels, const char *raw,
    size_t n, const char *of, size_t nof)
{
	enum om_how how = f->m->how;
	struct om_sample *s;
	double v, second = 0;
	int64_t i;

	if (raw == NULL || (how == HOW_SHARE && of == NULL))
		return;
	if (how == HOW_FLAG) {
		raw = n == 3 && memcmp(raw, "yes", 3) == 0  ? "1"
		      : n == 2 && memcmp(raw, "no", 2) == 0 ? "0"
							    : "";
		n = strlen(raw);
		how = HOW_MAX;
	}
	if (!num_f64(raw, n, &v) || (of != NULL && !num_f64(of, nof, &second)))
		return;
	s = sample_of(f, labels);
	if (num_i64(raw, n, &i))
		add_exact(how, s, i);
	else
		s->exact = false;
	add_real(how, s, v);
	s->of += second;
	s->n++;
}

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

/* How many of the column's units are one of the metric's. */
static int64_t
unit_scale(const struct om_metric *m)
{
	if (m->unit == NULL || m->how == HOW_SHARE)
		return 1;
	if (strcmp(m->unit, "seconds") == 0 && ends_in(m->value, "_ns"))
		return 1000000000;
	return strcmp(m->unit, "ratio") == 0 && ends_in(m->value, "_pct") ? 100
									  : 1;
}

/* v / 10^9 with all its digits: a double would round them. */
static void
put_nano(struct buf *b, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	int i;

	buf_printf(b, "%s%llu.%09llu", v < 0 ? "-" : "",
	    (unsigned long long)(u / 1000000000),
	    (unsigned long long)(u % 1000000000));
	for (i = 0; i < 8 && b->s[b->len - 1] == '0'; i++)
		b->len--;
}

static double
real_value(const struct om_metric *m, const struct om_sample *s)
{
	double n = (double)s->n, var;

	switch (m->how) {
	case HOW_MEAN:
		return s->sum / n;
	case HOW_SHARE:
		return s->sum / s->of;
	case HOW_STDDEV:
		var = (s->sq - s->sum * s->sum / n) / (n - 1);
		return var > 0 ? sqrt(var) : 0;
	default:
		return s->sum;
	}
}

static void
print_value(const struct om_metric *m, const struct om_sample *s, struct buf *b)
{
	int64_t per = unit_scale(m);
	bool whole = s->exact && (m->how == HOW_SUM || m->how == HOW_MIN ||
				     m->how == HOW_MAX || m->how == HOW_FLAG);

	if (whole && per == 1)
		buf_i64(b, s->i);
	else if (whole && per == 1000000000)
		put_nano(b, s->i);
	else
		buf_printf(b, "%.12g", real_value(m, s) / (double)per);
}

static void
print_help(const struct om_metric *m, struct buf *out)
{
	const char *p;

	buf_printf(out, "# TYPE %s gauge\n", m->name);
	if (m->unit != NULL)
		buf_printf(out, "# UNIT %s %s\n", m->name, m->unit);
	buf_printf(out, "# HELP %s ", m->name);
	for (p = m->help; *p != '\0'; p++) {
		if (*p == '\\' || *p == '"')
			buf_putc(out, '\\');
		buf_putc(out, *p);
	}
	buf_putc(out, '\n');
}

void
om_print(const struct om_family *f, struct buf *out)
{
	const char *labels;
	bool headed = false;
	uint32_t i;
	size_t n;

	for (i = 0; i < f->labels.n; i++) {
		if (f->m->how == HOW_SHARE && f->v[i].of == 0)
			continue; /* nothing has no share */
		if (f->m->how == HOW_STDDEV && f->v[i].n < 2)
			continue; /* one value has no spread */
		if (!headed)
			print_help(f->m, out);
		headed = true;
		labels = smap_str(&f->labels, i, &n);
		buf_puts(out, f->m->name);
		if (n > 0) {
			buf_putc(out, '{');
			buf_put(out, labels, n);
			buf_putc(out, '}');
		}
		buf_putc(out, ' ');
		print_value(f->m, &f->v[i], out);
		buf_putc(out, '\n');
	}
}
