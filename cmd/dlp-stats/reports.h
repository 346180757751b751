/* The reports. */
#ifndef STATS_REPORTS_H
#define STATS_REPORTS_H

#include "report.h"

extern const struct report_def rep_kern_sum, rep_kern_gb_sum, rep_api_sum,
    rep_mem_time_sum, rep_mem_size_sum, rep_gpu_sum, rep_nvtx_sum,
    rep_pushpop_sum, rep_startend_sum, rep_osrt_sum;          /* sums.c */
extern const struct report_def rep_api_gpu_sum;               /* sums.c */
extern const struct report_def rep_pushpop_trace;             /* pushpop.c */
extern const struct report_def rep_api_trace;                 /* calls.c */
extern const struct report_def rep_exec_sum;                  /* exec.c */
extern const struct report_def rep_exec_trace, rep_gpu_trace; /* traces.c */
extern const struct report_def rep_proj_sum, rep_proj_trace;  /* proj.c */
extern const struct report_def rep_nvtx_kern_sum;             /* rangekern.c */

extern const struct report_def *const report_defs[]; /* ends with NULL */

/* What nsys stats prints if it is not asked for other reports. */
#define REPORTS_STANDARD                                                       \
	"nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,"                    \
	"cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum"

/* From "-r": NAME[:nvtx-name][:base|:mangled],... added to those before.
 * False: the list of them is asked for. */
bool reports_ask(const char *list);
void reports_list(void);

/* A line: the record types of which those asked for are made. */
void reports_types(void);

/* Whether a report that was asked for is made from records of that type. */
bool reports_need(const char *type);

/* Those asked for: a section begins; its tables are printed. */
void reports_section(void);
void reports_print(const char *file, bool nvtx); /* whether it has NVTX */

#endif
