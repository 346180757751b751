/* Rows of tables: values, each with a TAB behind it. */
#ifndef STATS_ROW_H
#define STATS_ROW_H

#include "buf.h"
#include "table.h"

struct text;

void row_i64(struct buf *b, int64_t v);
void row_text(struct buf *b, const char *s, size_t n);
void row_opt(struct buf *b, const struct text *t); /* nothing if unset */
void row_round(struct buf *b, double v, int decimals);
void row_none(struct buf *b);
void row_put(struct buf *b); /* to the sink; b is empty then */

/* Average, median, least, greatest, deviation; of bytes in MB. */
void row_stats(struct buf *b, const struct group *g);
void row_stats_mb(struct buf *b, const struct group *g);

/* Rows in another order than they come in: descending, ascending. */
struct table *order_new(void);
void order_add(struct table *o, int64_t by, bool down, struct buf *row);
void order_add_f64(struct table *o, double by, struct buf *row);  /* down */
void order_add_row(struct table *o, int64_t by, struct buf *row); /* down,
    then by the row's text; no two rows are the same */
void order_put(struct table *o); /* to the sink; and frees it */

#endif
