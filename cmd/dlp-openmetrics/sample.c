/* See sample.h. */
#include <math.h>
#include <stdlib.h>

#include "err.h"
#include "esc.h"
#include "num.h"
#include "sample.h"
#include "utf8_fix.h"

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
label_put(struct buf *b, const char *name, const char *raw, size_t n)
{
	static struct buf text, fixed;

	buf_clear(&text);
	buf_clear(&fixed);
	if (raw == NULL)
		buf_puts(&text, "unknown");
	else
		esc_undo(&text, raw, n);
	utf8_fix(&fixed, text.s, text.len);
	if (b->len > 0)
		buf_putc(b, ',');
	buf_puts(b, name);
	buf_puts(b, "=\"");
	put_escaped(b, fixed.s, fixed.len);
	buf_putc(b, '"');
}

static struct sample *
find(struct family *f, const struct buf *labels)
{
	bool is_new;
	uint32_t id = smap_put(&f->labels, labels->s, labels->len, &is_new);

	if (id >= f->cap) {
		f->cap = f->cap > 0 ? f->cap * 2 : 16;
		f->v = xrealloc(f->v, f->cap, sizeof(*f->v));
	}
	if (is_new)
		f->v[id] = (struct sample){ .exact = true };
	return &f->v[id];
}

/* The integer of a value that is one. */
static void
add_exact(enum how how, struct sample *s, int64_t v)
{
	if (how == HOW_MIN)
		s->i = s->n == 0 || v < s->i ? v : s->i;
	else if (how == HOW_MAX)
		s->i = s->n == 0 || v > s->i ? v : s->i;
	else if (__builtin_add_overflow(s->i, v, &s->i))
		s->exact = false;
}

static void
add(enum how how, struct sample *s, double v)
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

bool
sample_add(struct family *f, const struct buf *labels, const char *raw,
    size_t n, const char *of, size_t nof)
{
	enum how how = f->m->how;
	struct sample *s;
	double v, second = 0;
	int64_t i;

	if (raw == NULL || (how == HOW_SHARE && of == NULL))
		return false;
	if (how == HOW_FLAG) {
		raw = n == 3 && memcmp(raw, "yes", 3) == 0  ? "1"
		      : n == 2 && memcmp(raw, "no", 2) == 0 ? "0"
							    : "";
		n = strlen(raw);
		how = HOW_MAX;
	}
	if (!num_f64(raw, n, &v) || (of != NULL && !num_f64(of, nof, &second)))
		return false;
	s = find(f, labels);
	if (num_i64(raw, n, &i))
		add_exact(how, s, i);
	else
		s->exact = false;
	add(how, s, v);
	s->of += second;
	s->n++;
	return true;
}

static bool
ends(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

/* What one of the metric's units is in the column's. */
static int64_t
scale(const struct metric *m)
{
	if (m->unit == NULL || m->how == HOW_SHARE)
		return 1;
	if (strcmp(m->unit, "seconds") == 0 && ends(m->value, "_ns"))
		return 1000000000;
	return strcmp(m->unit, "ratio") == 0 && ends(m->value, "_pct") ? 100
								       : 1;
}

/* v / 10^9 with all its digits. */
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
value(const struct metric *m, const struct sample *s)
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
print_value(const struct metric *m, const struct sample *s, struct buf *b)
{
	int64_t per = scale(m);
	bool whole = s->exact && (m->how == HOW_SUM || m->how == HOW_MIN ||
				     m->how == HOW_MAX || m->how == HOW_FLAG);

	if (whole && per == 1)
		buf_i64(b, s->i);
	else if (whole && per == 1000000000)
		put_nano(b, s->i);
	else
		buf_printf(b, "%.12g", value(m, s) / (double)per);
}

static void
print_help(const struct metric *m, struct buf *out)
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
family_print(const struct family *f, struct buf *out)
{
	const char *labels;
	bool headed = false;
	uint32_t i;
	size_t n;

	for (i = 0; i < f->labels.n; i++) {
		if (f->m->how == HOW_SHARE && f->v[i].of == 0)
			continue; /* no share of nothing */
		if (f->m->how == HOW_STDDEV && f->v[i].n < 2)
			continue; /* nor a spread of one value */
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
