/* How the vendor writes names of calls, kinds of work, and dimensions, and
 * the times between a call and its work. */
#ifndef STATS_LABELS_H
#define STATS_LABELS_H

#include "buf.h"
#include "report.h"

const char *range_style(bool push);
size_t api_len(const struct text *t); /* of the name without its version */
void put_gpu_name(struct buf *b, const struct gpu *g, const struct report *r);
int64_t gpu_total(const struct gpu *g); /* from the call to both's end */
/* From the call's end to the start on the GPU, if that is not before it. */
bool gpu_queue(const struct gpu *g, int64_t *v);
/* The three whole numbers that s begins with; false if it does not. */
bool three_nums(const char *s, char between, int64_t v[3]);
void put_dim3(struct buf *b, const struct text *t);
/* The same so wide that the order of the bytes is that of the numbers; and as
 * a value of a row from there. */
#define WIDE_DIM3 63
void wide_dim3(struct buf *b, const struct text *t);
void put_wide_dim3(struct buf *b, const char *s);

#endif
