/* Rows of tables: values, each with a TAB behind it. */
#ifndef STATS_ROW_H
#define STATS_ROW_H

#include "buf.h"
#include "table.h"
#include "xsort.h"

struct text;

void row_i64(struct buf *b, int64_t v);
void row_text(struct buf *b, const char *s, size_t n);
void row_opt(struct buf *b, const struct text *t); /* nothing if unset */
void row_round(struct buf *b, double v, int decimals);
void row_none(struct buf *b);
void row_put_now(struct buf *b); /* sink_row_now(); b is empty then */

/* Average, median, least, greatest, deviation; of bytes in MB. */
void row_stats(struct buf *b, const struct group *g);
void row_stats_mb(struct buf *b, const struct group *g);

/*
 * Rows in another order than they come in: by the two numbers, ascending,
 * which ~ turns around, then as they came.
 */
struct xsort *order_new(void);
void order_add(struct xsort *o, int64_t by, int64_t then, struct buf *row);
/* By a third number, of its own for each row, not as they came. */
void order_add_at(
    struct xsort *o, int64_t by, int64_t then, int64_t at, struct buf *row);
int64_t order_f64(double v); /* such a number for one that is not negative */
void order_free(struct xsort *o); /* NULL, too */
void order_put(struct xsort *o);  /* to the sink; and frees it */

/* The same for what is no row yet but any bytes, which fn is given. */
typedef void order_fn(const char *s, size_t n);
void order_each(struct xsort *o, order_fn *fn);

#endif
