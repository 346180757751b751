/*
 * A report: what it takes from the stream, and its table. The reports are
 * listed in reports.c.
 */
#ifndef STATS_REPORT_H
#define STATS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "kname.h"
#include "sink.h"
#include "table.h"

struct text { /* escaped, of the current record; s NULL: unset */
	const char *s;
	size_t n;
};

struct call { /* of the API, of the operating system */
	struct text name;
	int64_t no; /* of the name, the order of equal rows; 0: unknown */
	int64_t dur;
	/* of the API */
	int64_t start, pid, tid;
	int64_t idx; /* place in its table; 0: unknown */
	struct text corr, ret;
};

enum gpu_kind { GPU_KERN, GPU_COPY, GPU_SET };

struct gpu { /* kernel, copy, set */
	enum gpu_kind kind;
	int64_t start, dur, pid, tid, dev, corr;
	int64_t idx;  /* place in its table; 0: unknown */
	bool has_api; /* with its start and duration */
	int64_t api_start, api_dur;
	struct text api, ctx, stream;
	uint32_t kernel; /* kname.h */
	struct text grid, block, regs;
	int64_t smem, dynsmem, bytes; /* -1: unset */
	struct text copy, src_mem, dst_mem;
	struct text range; /* the innermost around the call, if it is wanted */
};

struct range {
	int64_t start, end, pid, tid;
	int64_t idx;        /* place in its table; 0: unknown */
	bool push, crosses; /* crosses: ends on another thread */
	const char *name;   /* domain:text */
	size_t name_len, domain_len;
};

struct proj { /* a range as it looks on the GPU */
	const struct range *r;
	int64_t lo, hi;
	int64_t n_gpu, n_child;
	int64_t level;      /* -1: none */
	int64_t id, parent; /* 0: none */
	struct text stack;
};

struct report;

enum report_needs {
	NEEDS_STACK = 1, /* for on_proj */
	NEEDS_PROJ,      /* and the next: the table of ranges.h */
	NEEDS_KERN,
};

struct report_def {
	struct sink_table table;
	const char *old;   /* the name before 2023 */
	const char *types; /* of the records that it is made of */
	void (*on_api)(struct report *, const struct call *);
	void (*on_os)(struct report *, const struct call *);
	void (*on_gpu)(struct report *, const struct gpu *);
	void (*on_range)(struct report *, const struct range *);
	/* of push/pop ranges, where those that never end have another end */
	void (*on_push)(struct report *, const struct range *);
	void (*on_proj)(struct report *, const struct proj *);
	enum report_needs needs; /* of the open ranges */
	/* What makes the rows of groups, its context a struct print; NULL:
	 * the table is the rows, in order. */
	table_fn *group;
	/* Where the groups are not those of the report's own table. */
	void (*print)(struct report *);
	bool kernels; /* takes :base and the like */
};

struct report {
	const struct report_def *def;
	enum kname mode;
	bool range_names;   /* before those of kernels */
	struct table *t;    /* of groups, or */
	struct xsort *rows; /* the rows in order */
};

struct print {
	struct report *r;
	struct xsort *order; /* of the rows; row.h */
};

extern struct report reports[]; /* those asked for */
extern int nreports;

void trace_section(void);
void trace_dev(int64_t dev, const struct text *name);
void calls_section(void);
void calls_thread(
    int64_t pid, int64_t tid, const struct text *prio, const struct text *name);

#endif
