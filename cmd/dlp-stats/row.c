/* Rows of tables; see row.h. */
#include "report.h"
#include "round.h"
#include "row.h"
#include "err.h"
#include <stdlib.h>

void
row_i64(struct buf *b, int64_t v)
{
	buf_i64(b, v);
	buf_putc(b, '\t');
}

void
row_text(struct buf *b, const char *s, size_t n)
{
	buf_put(b, s, n);
	buf_putc(b, '\t');
}

void
row_opt(struct buf *b, const struct text *t)
{
	row_text(b, t->s, t->s != NULL ? t->n : 0);
}

void
row_round(struct buf *b, double v, int decimals)
{
	put_round(b, v, decimals);
	buf_putc(b, '\t');
}

void
row_none(struct buf *b)
{
	buf_putc(b, '\t');
}

void
row_put_now(struct buf *b)
{
	sink_row_now(b->s, b->len - 1);
	buf_clear(b);
}

/* Of one value, as most ranges have: it is made once. */
static void
stats_of_one(struct buf *b, int64_t v)
{
	static const char *const behind[] = { ".0\t", "\t", "\t" };
	size_t at = b->len, n, i;

	buf_i64(b, v);
	n = b->len - at;
	buf_reserve(b, 4 * (n + 4));
	buf_puts(b, ".0\t");
	for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		buf_put(b, b->s + at, n);
		buf_puts(b, behind[i]);
	}
	buf_puts(b, "0.0\t");
}

void
row_stats(struct buf *b, const struct group *g)
{
	if (g->n == 1) {
		stats_of_one(b, g->min);
		return;
	}
	row_round(b, g->avg, 1);
	row_round(b, g->med, 1);
	row_i64(b, g->min);
	row_i64(b, g->max);
	row_round(b, g->sd, 1);
}

void
row_stats_mb(struct buf *b, const struct group *g)
{
	row_round(b, g->avg / 1e6, 3);
	row_round(b, g->med / 1e6, 3);
	row_round(b, (double)g->min / 1e6, 3);
	row_round(b, (double)g->max / 1e6, 3);
	row_round(b, g->sd / 1e6, 3);
}

/*
 * A key whose bytes are in the order of three numbers, of arrival the last. A
 * number is a byte with its sign and length, ZERO for 0, and as many bytes.
 */
#define ORDER 27 /* bytes at most */
#define ZERO 128
static int64_t arrival; /* of all orders */

struct xsort *
order_new(void)
{
	struct xsort *o = xcalloc(1, sizeof(*o));

	xsort_open(o, runs_bytes, NULL, table_memory);
	return o;
}

static char *
put_ordered(char *p, int64_t v)
{
	uint64_t u = (uint64_t)(v < 0 ? ~v : v);
	int n = u != 0 ? 8 - __builtin_clzll(u) / 8 : 0;

	*p++ = (char)(v < 0 ? ZERO - 1 - n : ZERO + n);
	while (n-- > 0)
		*p++ = (char)((uint64_t)v >> 8 * n);
	return p;
}

void
order_add(struct xsort *o, int64_t by, int64_t then, struct buf *row)
{
	order_add_at(o, by, then, arrival++, row);
}

void
order_add_at(
    struct xsort *o, int64_t by, int64_t then, int64_t at, struct buf *row)
{
	char key[ORDER], *p;

	p = put_ordered(put_ordered(put_ordered(key, by), then), at);
	xsort_put(o, key, (size_t)(p - key), row->s, row->len);
	buf_clear(row);
}

/* The bits of positive doubles are in their order. */
int64_t
order_f64(double v)
{
	int64_t i;

	memcpy(&i, &v, sizeof(i));
	return v <= 0 ? 0 : i;
}

void
order_free(struct xsort *o)
{
	if (o != NULL)
		xsort_close(o);
	free(o);
}

void
order_each(struct xsort *o, order_fn *fn)
{
	struct runs_rec rec;

	while (xsort_next(o, &rec))
		fn(rec.val, rec.nval);
	order_free(o);
}

/* But for the TAB behind it. */
static void
put(const char *s, size_t n)
{
	sink_row(s, n - 1);
}

void
order_put(struct xsort *o)
{
	order_each(o, put);
}
