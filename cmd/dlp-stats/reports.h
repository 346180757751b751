/* The reports, and what their files share. */
#ifndef STATS_REPORTS_H
#define STATS_REPORTS_H

#include <stdio.h>

#include "buf.h"
#include "report.h"

extern const struct report_def rep_kern_sum, rep_kern_gb_sum, rep_api_sum,
    rep_mem_time_sum, rep_mem_size_sum, rep_gpu_sum, rep_nvtx_sum,
    rep_pushpop_sum, rep_startend_sum, rep_osrt_sum; /* sums.c */
extern const struct report_def rep_exec_sum, rep_exec_trace,
    rep_gpu_trace; /* exec.c */
extern const struct report_def rep_proj_sum, rep_proj_trace,
    rep_nvtx_kern_sum; /* nvtx.c */

struct print { /* for the functions that make rows of groups */
	struct report *r;
	struct table *order; /* where they go */
};

/* Rows of the report's groups, in the order that fn gives them. */
void print_ordered(struct report *r, table_fn *fn);

size_t api_len(const struct text *t); /* of the name without its version */
void put_gpu_name(struct buf *b, const struct gpu *g, enum kname mode);
void put_dim3(struct buf *b, const struct text *t);

void trace_section(void);
void trace_dev(int64_t dev, const struct text *name);

#endif
