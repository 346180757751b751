/*
 * dlp-stats' parts: records of the stream become events (stats_read.c), each
 * report takes those it is made of (rep_*.c), adds them up or puts them in
 * order, and at the end of a section prints its table (stats_sink.h).
 */
#ifndef STATS_H
#define STATS_H

#include "group_table.h"
#include "map.h"
#include "openrange.h"
#include "stage.h"
#include "stats_sink.h"

/* Events. Texts are views, valid during the callback. */

struct stats_text { /* escaped, of the current record; s NULL: unset */
	const char *s;
	size_t n;
};

struct stats_call { /* of the API, of the operating system */
	struct stats_text name;
	int64_t no; /* of the name, the order of equal rows; 0: unknown */
	int64_t dur;
	/* of the API */
	int64_t start, pid, tid;
	int64_t idx; /* place in its table; 0: unknown */
	struct stats_text corr, ret;
};

enum gpu_kind { GPU_KERN, GPU_COPY, GPU_SET };

struct stats_gpu { /* kernel, copy, set */
	enum gpu_kind kind;
	int64_t start, dur, pid, tid, dev, corr;
	int64_t idx;  /* place in its table; 0: unknown */
	bool has_api; /* with its start and duration */
	int64_t api_start, api_dur;
	struct stats_text api, ctx, stream;
	uint32_t kernel; /* its number in struct kernel_names */
	struct stats_text grid, block, regs;
	int64_t smem, dynsmem, bytes; /* -1: unset */
	struct stats_text copy, src_mem, dst_mem;
	struct stats_text range; /* the innermost around the call, if wanted */
};

struct stats_range {
	int64_t start, end, pid, tid;
	int64_t idx;        /* place in its table; 0: unknown */
	bool push, crosses; /* crosses: ends on another thread */
	const char *name;   /* domain:text */
	size_t name_len, domain_len;
};

struct stats_proj { /* a range as it looks on the GPU */
	const struct stats_range *r;
	int64_t lo, hi;
	int64_t n_gpu, n_child;
	int64_t level;      /* -1: none */
	int64_t id, parent; /* 0: none */
	struct stats_text stack;
};

/* stats_names.c: the names of kernels, in full, their short ones, mangled.
 * Texts are kept as long as the program. */

enum kname { KN_FULL, KN_BASE, KN_MANGLED, KN_N };

struct kernel_names {
	struct smap texts;
	struct map strs; /* str id -> number of a kernel */
	uint32_t (*kernels)[KN_N];
	size_t n, cap;
	struct map plain; /* text -> kernel of that name only, + 1 */
};

/* ":base" and the like; -1 if it is none. */
int kname_mode(const char *s);

void kname_section(struct kernel_names *k);

/* A str record: its texts, one of a mode each. */
void kname_str(
    struct kernel_names *k, int64_t id, const struct stats_text t[KN_N]);

/* A kernel's number by name_id, or by the name that its record has itself. */
uint32_t kname_kernel(struct kernel_names *k, int64_t id, struct stats_text t);

/* Its name, as a number that is the same for the same text, and as text. */
uint32_t kname_id(
    const struct kernel_names *k, uint32_t kernel, enum kname mode);
const char *kname_text(const struct kernel_names *k, uint32_t name, size_t *n);

/*
 * rep_ranges.c: what nvtx_gpu_proj_sum and nvtx_kern_sum are made of, in one
 * table, so that the names of ranges, which can be most of a profile, are
 * sorted once for both. Keys are names. A projection is a row of part
 * RANGES_PROJ + style:
 *
 *	projected duration, range's duration, GPU work, level or
 *	RANGES_NO_LEVEL, children with work
 *
 * and a kernel in a range one, whose part stands for the thread, the style
 * and the kernel's name:
 *
 *	duration, 1 if it is the first of the range instance, 1 if it is in
 *	no other range of that name
 *
 * Kernels in no range have the empty name.
 */
enum {                    /* parts, in the order of rows of the same name */
	RANGES_PROJ = 0,  /* of push/pop ranges */
	RANGES_START = 1, /* of start/end ranges */
	RANGES_KERN = 2,  /* and greater ones */
};

/* Greater than sums of levels, so that one sum tells both. */
#define RANGES_NO_LEVEL ((int64_t)1 << 40)

struct ranges_kern { /* what a part of kernels stands for */
	int64_t pid, tid;
	bool push;
	enum kname mode;
	uint32_t name; /* kname_id() */
};

struct range_groups {
	struct groups *table;
	struct ranges_kern *kerns;
	size_t nkerns, cap;
	struct map parts; /* thread, style, mode, name -> number + 1 */
};

void ranges_section(struct range_groups *g); /* a new table */
void ranges_done(struct range_groups *g);    /* its memory is given back */
void ranges_proj(
    struct range_groups *g, struct group_key *k, const struct stats_proj *p);
/* thread: a number for pid and tid. */
uint32_t ranges_part(
    struct range_groups *g, uint32_t thread, const struct ranges_kern *x);
void ranges_add(struct range_groups *g, struct group_key *k,
    const struct stats_range *r, uint32_t part, int64_t dur, bool first,
    bool once);

/* range_stack.c: the ranges open on each thread, in launch order: what work
 * lies in which, for the reports that want projections or kernels by range. */

struct thread_numbers {   /* as numbers, from 0, as they come; zeroed */
	struct map by_id; /* mixed pid and tid -> number + 1 */
	struct thread_id {
		int64_t pid, tid;
	} * v;
	size_t n;
};

/* The thread's number; *fresh: it is new. */
size_t threads_find(
    struct thread_numbers *t, int64_t pid, int64_t tid, bool *fresh);
void threads_clear(struct thread_numbers *t); /* zeroed again */

struct range_stack {
	struct { /* by the reports asked for */
		bool any, names, proj, kern[KN_N];
	} wants;
	struct stack_thread *threads;
	struct thread_numbers nos;
	struct open_range_spare {
		struct gpu_range **v;
		size_t n, cap;
	} spare; /* closed ones, to be used again */
	int64_t ids;
};

/* The moment before t: ranges that end at a time still enclose what begins
 * then, while openranges_sweep() drops those that end at its moment. */
static inline int64_t
stats_before(int64_t t)
{
	return t > INT64_MIN ? t - 1 : t;
}

struct stats;

/* Whether a report that was asked for needs it. */
bool stack_wanted(struct stats *s);
void stack_range(struct stats *s, const struct stats_range *r);
void stack_gpu(struct stats *s, const struct stats_gpu *g); /* of a call */
/* Sets g->range, if that is wanted. */
void stack_innermost(struct stats *s, struct stats_gpu *g);
/* Work whose call is not there. */
void stack_no_call(struct stats *s, const struct stats_gpu *g);
void stack_end(struct stats *s); /* of the section: closes all */

/* The reports. */

struct report;

enum report_needs {
	NEEDS_STACK = 1, /* for on_proj */
	NEEDS_PROJ,      /* and the next: the table of rep_ranges.c */
	NEEDS_KERN,
};

struct report_def {
	struct report_table table;
	const char *old;   /* the name before 2023 */
	const char *types; /* of the records that it is made of */
	void (*on_api)(struct report *, const struct stats_call *);
	void (*on_os)(struct report *, const struct stats_call *);
	void (*on_gpu)(struct report *, const struct stats_gpu *);
	void (*on_range)(struct report *, const struct stats_range *);
	/* of push/pop ranges, where those that never end have another end */
	void (*on_push)(struct report *, const struct stats_range *);
	void (*on_proj)(struct report *, const struct stats_proj *);
	enum report_needs needs; /* of the open ranges */
	/* What makes the rows of groups, its context the report; NULL: the
	 * table is the rows, in order. */
	group_fn *group;
	/* Where the groups are not those of the report's own table. */
	void (*print)(struct report *);
	bool kernels; /* takes :base and the like */
	size_t state; /* bytes of its own: r->state, zeroed */
};

struct report {
	const struct report_def *def;
	struct stats *stats;
	enum kname mode;
	bool range_names;       /* before those of kernels */
	struct groups *t;       /* of a report with groups, else NULL */
	struct row_order *rows; /* in the order in which they are printed */
	struct buf key, row;    /* in the making */
	void *state;
};

/* rep_traces.c: what is known of devices and threads. */

struct trace_names {
	struct map devs;    /* device -> number of its label */
	struct smap labels; /* "NVIDIA H200 (0)" */
	struct thread_name *thread;
	size_t n, cap;
	struct map first; /* mixed pid and tid -> number of a thread + 1 */
};

void trace_section(struct trace_names *t);
void trace_dev(
    struct trace_names *t, int64_t dev, const struct stats_text *name);
void trace_thread(struct trace_names *t, int64_t pid, int64_t tid,
    const struct stats_text *prio, const struct stats_text *name);

#define STATS_REPORTS 64 /* at most */

struct stats {
	struct report report[STATS_REPORTS]; /* those asked for */
	int nreports;
	bool list; /* only the list of them is asked for */
	struct stats_sink sink;
	struct stats_reader *reader;
	struct kernel_names names;
	struct range_groups ranges;
	struct range_stack stack;
	struct trace_names traces;
};

/* stats_reports.c */

/* What nsys stats prints if it is not asked for other reports. */
#define REPORTS_STANDARD                                                       \
	"nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,"                    \
	"cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum"

/* From "-r": NAME[:nvtx-name][:base|:mangled],... added to those before.
 * False: the list of them is asked for. */
bool reports_ask(struct stats *s, const char *list);
void reports_list(void);

/* A line: the record types of which those asked for are made. */
void reports_types(const struct stats *s);

/* Whether a report that was asked for is made from records of that type. */
bool reports_need(const struct stats *s, const char *type);

/* Those asked for: a section begins; its tables are printed. */
void reports_section(struct stats *s);
void reports_print(struct stats *s, const char *file, bool nvtx);

/* stats_read.c: the stream's records to the reports. */
void read_open(struct stats *s, struct stage *st);

#endif
