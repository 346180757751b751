/*
 * A line of bars below a table on a terminal (--spark): a column from its first
 * row to its last. The bars begin at 0, so that small differences look small.
 * Where there are more rows than bars, a bar is the largest of its rows.
 */
#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "fmt.h"
#include "num.h"
#include "out.h"

#define SPARK_LEVELS 8

struct spark {
	double bar[4096]; /* NAN: unknown */
	size_t n;         /* bars in use */
	uint64_t per;     /* rows in each */
	uint64_t in_last; /* rows in the last one */
	double largest;
};

static double
larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

void
spark_row(struct fmt *f, const struct writer_cell *v)
{
	struct spark *s = f->bars;
	double x = NAN;
	size_t k;
	int i;

	for (i = 0; i < f->ncol && strcmp(f->col[i].head, f->spark) != 0; i++)
		;
	if (i == f->ncol)
		return;
	if (s == NULL) {
		s = f->bars = xcalloc(1, sizeof(*s));
		s->per = s->in_last = 1;
	}
	if (v[i].s == NULL || !num_f64(v[i].s, v[i].n, &x))
		x = NAN;
	if (s->in_last == s->per && s->n == ARRAY_LEN(s->bar)) {
		/* all are full, and their number is even: joins pairs */
		s->n /= 2;
		for (k = 0; k < s->n; k++)
			s->bar[k] = larger(s->bar[2 * k], s->bar[2 * k + 1]);
		s->per *= 2;
		s->in_last = s->per;
	}
	if (s->in_last == s->per) {
		s->bar[s->n++] = NAN;
		s->in_last = 0;
	}
	s->bar[s->n - 1] = larger(s->bar[s->n - 1], x);
	s->in_last++;
	if (x > s->largest)
		s->largest = x;
}

/* The reports set LC_ALL to C, and DLP_LOCALE to its former value. */
static bool
has_utf8(void)
{
	static const char *const names[] = { "DLP_LOCALE", "LC_ALL", "LC_CTYPE",
		"LANG" };
	const char *s = NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(names) && (s == NULL || *s == '\0'); i++)
		s = getenv(names[i]);
	return s != NULL &&
	       (strstr(s, "UTF-8") != NULL || strstr(s, "utf8") != NULL ||
		   strstr(s, "UTF8") != NULL || strstr(s, "utf-8") != NULL);
}

static void
put_bars(const struct fmt *f, const struct spark *s, size_t room)
{
	static const char marks[] = "._-~=+*#";
	bool ascii = f->ascii || !has_utf8();
	size_t n = s->n < room ? s->n : room, i, k;
	double x;
	int level;

	for (i = 0; i < n; i++) {
		x = NAN;
		for (k = i * s->n / n; k < (i + 1) * s->n / n; k++)
			x = larger(x, s->bar[k]);
		x /= s->largest;
		if (isnan(x)) {
			buf_putc(&out_buf, ' ');
			continue;
		}
		level = x > 0 ? (int)ceil(x * SPARK_LEVELS) - 1 : 0;
		if (level >= SPARK_LEVELS)
			level = SPARK_LEVELS - 1;
		if (ascii)
			buf_putc(&out_buf, marks[level]);
		else /* U+2581 to U+2588 */
			buf_printf(&out_buf, "\xe2\x96%c", 0x81 + level);
	}
}

/* Nothing is drawn for fewer than two rows. */
void
spark_end(struct fmt *f)
{
	struct spark *s = f->bars;
	struct buf tail = { 0 };
	struct human h;
	size_t room, used;

	if (s != NULL && s->n > 1 && s->largest > 0) {
		if (f->human && human_unit(&h, f->spark, s->largest))
			buf_printf(&tail, "  up to %.*f %s", h.decimals,
			    s->largest / h.one, h.to);
		else
			buf_printf(&tail, "  up to %.12g", s->largest);
		used = strlen(f->spark) + 2 + tail.len;
		room = (size_t)(f->width > 0 ? f->width : 80);
		room = room > used + 10 ? room - used : 10;
		buf_puts(&out_buf, f->spark);
		buf_puts(&out_buf, "  ");
		put_bars(f, s, room);
		buf_put(&out_buf, tail.s, tail.len);
		buf_putc(&out_buf, '\n');
	}
	buf_free(&tail);
	free(s);
	f->bars = NULL;
}
