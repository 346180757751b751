/* Rows of tables: values in the vendor's form, each with a TAB after it; the
 * vendor's names of calls, kinds of work and dimensions; and the order of the
 * rows. */
#ifndef STATS_ROW_H
#define STATS_ROW_H

#include "stats.h"

/* A table's columns and their number. */
#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

void row_i64(struct buf *b, int64_t v);
void row_text(struct buf *b, const char *s, size_t n);
void row_opt(struct buf *b, const struct stats_text *t); /* nothing if unset */
void row_round(struct buf *b, double v, int decimals);
void row_none(struct buf *b);

/* Average, median, least, greatest, deviation; of bytes in MB. */
void row_stats(struct buf *b, const struct group_stats *g);
void row_stats_mb(struct buf *b, const struct group_stats *g);

/*
 * Sorts rows: by the two numbers, ascending (~ reverses that), then by arrival.
 * Memory is bounded (xsort.h).
 */
struct row_order *order_new(void);
void order_free(struct row_order *o); /* accepts NULL */
void order_add(struct row_order *o, int64_t by, int64_t then, struct buf *row);
/* Uses a third number, unique to the row, instead of the arrival. */
void order_add_at(
    struct row_order *o, int64_t by, int64_t then, int64_t at, struct buf *row);
int64_t order_f64(double v); /* a number that sorts like v, which must not be
			      * negative */
void order_put(struct row_order *o, struct stats_sink *k); /* frees o as well */
/* The same for any bytes that are not a row yet; fn gets them. */
void order_each(struct row_order *o, behind_fn *fn, void *ctx);

/* The same number, in units of the last decimal. */
double round_units(double v, int decimals);

const char *range_style(bool push);
size_t api_len(
    const struct stats_text *t); /* of the name without its version */
void put_gpu_name(
    struct buf *b, const struct stats_gpu *g, const struct report *r);
int64_t gpu_total(const struct stats_gpu *g); /* from the call to both's end */
/* From the call's end to the start on the GPU; false if the start is earlier.
 */
bool gpu_queue(const struct stats_gpu *g, int64_t *v);
/* Reads three whole numbers at the start of s; false if they are not there. */
bool three_nums(const char *s, char between, int64_t v[3]);
void put_dim3(struct buf *b, const struct stats_text *t);
/* wide_dim3: the same in a width such that the bytes sort like the numbers. The
 * other reads it back as a value of a row. */
#define WIDE_DIM3 63
void wide_dim3(struct buf *b, const struct stats_text *t);
void put_wide_dim3(struct buf *b, const char *s);

#endif
