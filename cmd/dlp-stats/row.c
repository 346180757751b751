/* Rows of tables; see row.h. */
#include "report.h"
#include "round.h"
#include "row.h"

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
row_put(struct buf *b)
{
	sink_row(b->s, b->len - 1);
	buf_clear(b);
}

void
row_stats(struct buf *b, const struct group *g)
{
	if (g->n == 1) { /* most ranges are */
		buf_i64(b, g->min);
		buf_puts(b, ".0\t");
		buf_i64(b, g->min);
		buf_puts(b, ".0\t");
	} else {
		row_round(b, g->avg, 1);
		row_round(b, g->med, 1);
	}
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

/* A key whose bytes are in the order of the numbers, of arrival next. */
#define ORDER 16
static uint64_t arrival; /* of all orders */

struct table *
order_new(void)
{
	return table_new(1, true);
}

static void
put_be(unsigned char *p, uint64_t v)
{
	int i;

	for (i = 7; i >= 0; i--, v >>= 8)
		p[i] = (unsigned char)v;
}

static void
add(struct table *o, uint64_t by, uint64_t next, struct buf *row)
{
	static struct buf key;
	static const int64_t zero;
	unsigned char head[ORDER];

	put_be(head, by);
	put_be(head + 8, next);
	buf_clear(&key);
	buf_put(&key, (const char *)head, ORDER);
	buf_put(&key, row->s, row->len);
	table_add(o, key.s, key.len, 0, &zero);
	buf_clear(row);
}

void
order_add(struct table *o, int64_t by, bool down, struct buf *row)
{
	uint64_t u = (uint64_t)by ^ (uint64_t)1 << 63;

	add(o, down ? ~u : u, arrival++, row);
}

void
order_add_row(struct table *o, int64_t by, struct buf *row)
{
	add(o, ~((uint64_t)by ^ (uint64_t)1 << 63), 0, row);
}

/* The bits of positive doubles are in their order. */
void
order_add_f64(struct table *o, double by, struct buf *row)
{
	uint64_t u;

	memcpy(&u, &by, sizeof(u));
	add(o, by < 0 ? UINT64_MAX : ~(u | (uint64_t)1 << 63), arrival++, row);
}

static void
put(void *ctx, const struct group *g)
{
	(void)ctx;
	sink_row(g->key + ORDER, g->len - ORDER - 1);
}

void
order_put(struct table *o)
{
	table_each(o, put, NULL);
	table_free(o);
}
