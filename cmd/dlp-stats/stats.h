/*
 * The parts of dlp-stats. stats_read.c turns records of the stream into events.
 * Each report (rep_*.c) takes the events that it needs, adds them up or sorts
 * them, and at the end of a section prints its table.
 */
#pragma once

#include <stdio.h>

#include "map.h"
#include "mview.h"
#include "openrange.h"
#include "stage.h"
#include "writer.h"

/* Events. Texts are views into the record, escaped, valid during the callback.
 */

/* file: the number of a record's file, 0 if it names none. Threads, devices and
 * correlation ids are those of a file. */

struct stats_call { /* a call of the API, or of the operating system */
	struct mview name;
	int64_t no; /* number of the name, which orders equal rows; 0 if
		     * unknown */
	int64_t dur;
	/* of the API */
	int64_t start, pid, tid;
	uint32_t file;
	int64_t idx; /* place in its table; 0 if unknown */
	struct mview corr, ret;
};

enum gpu_kind { GPU_KERN, GPU_COPY, GPU_SET, GPU_WAIT /* no work */ };

struct stats_gpu { /* kernel, copy, set */
	enum gpu_kind kind;
	int64_t start, dur, pid, tid, dev, corr;
	uint32_t file;
	int64_t idx;  /* place in its table; 0 if unknown */
	bool has_api; /* with its start and duration */
	int64_t api_start, api_dur;
	struct mview api, ctx, stream;
	uint32_t kernel; /* its number in struct kernel_names */
	struct mview grid, block, regs;
	int64_t smem, dynsmem, bytes; /* -1 if unset */
	struct mview copy, src_mem, dst_mem;
	struct mview range; /* the innermost range around the call, if
			     * needed */
};

struct stats_range {
	int64_t start, end, pid, tid;
	uint32_t file;
	int64_t idx;        /* place in its table; 0 if unknown */
	bool push, crosses; /* crosses: ends on another thread */
	const char *name;   /* domain:text */
	size_t name_len, domain_len;
};

struct stats_proj { /* a range as the GPU saw it */
	const struct stats_range *r;
	int64_t lo, hi;
	int64_t n_gpu, n_child;
	int64_t level;      /* -1 if none */
	int64_t id, parent; /* 0 if none */
	struct mview stack;
};

/* stats_row.c: the names of kernels: full, short and mangled. Texts live as
 * long as the program. */

enum kname { KN_FULL, KN_BASE, KN_MANGLED, KN_N };

struct kernel_names {
	struct smap texts;
	struct map strs; /* str id -> number of a kernel */
	uint32_t (*kernels)[KN_N];
	size_t n, cap;
	struct map plain; /* text -> kernel that has only that name, + 1 */
};

/* The mode ":base" etc.; -1 if the text is not one. */
int kname_mode(const char *s);

/* Takes a str record with its texts, one per mode. */
void kname_str(struct kernel_names *k, int64_t id, const struct mview t[KN_N]);

/* A kernel's number by name_id, or by the name in its own record. */
uint32_t kname_kernel(struct kernel_names *k, int64_t id, struct mview t);

/* The kernel's name: as a number that is equal for equal texts, and as text. */
uint32_t kname_id(
    const struct kernel_names *k, uint32_t kernel, enum kname mode);
const char *kname_text(const struct kernel_names *k, uint32_t name, size_t *n);

/*
 * The table for nvtx_gpu_proj_sum and nvtx_kern_sum (rep_ranges.c). Both use
 * one table, so that the names of ranges, which can be most of a profile, are
 * sorted only once. Keys are names. A projection is a row of part RANGES_PROJ
 * or RANGES_START:
 *	projected duration, range's duration, GPU work,
 *	level or RANGES_NO_LEVEL, children with work
 * A kernel in a range is a row of a part that stands for the thread, the style
 * and the kernel's name:
 *	duration, 1 if it is the first of the range instance,
 *	1 if it is in no other range of that name
 * Kernels in no range have the empty name.
 */
enum {                    /* parts, in the order of rows of the same name */
	RANGES_PROJ = 0,  /* of push/pop ranges */
	RANGES_START = 1, /* of start/end ranges */
	RANGES_KERN = 2,  /* and greater ones */
};

/* Greater than any sum of levels, so that one sum holds both. */
#define RANGES_NO_LEVEL ((int64_t)1 << 40)

struct ranges_kern { /* the meaning of a part of kernels */
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

/* stats_read.c: the ranges open on each thread, in launch order. It finds the
 * ranges around work, for the reports that need projections or kernels by
 * range. */

struct thread_id { /* the key of a map */
	int64_t file, pid, tid;
};

struct range_stack {
	struct { /* needed by the requested reports */
		bool names, proj, kern[KN_N];
	} wants;
	struct stack_thread *threads;
	struct smap nos; /* struct thread_id -> number */
	struct open_range_spare {
		struct gpu_range **v;
		size_t n, cap;
	} spare; /* closed ones, for reuse */
	int64_t ids;
	uint64_t too_deep;
};

/* The moment before t: a range that ends at a time still encloses events that
 * begin then, but openranges_sweep() drops ranges that end at its moment. */
static inline int64_t
stats_before(int64_t t)
{
	return t > INT64_MIN ? t - 1 : t;
}

/*
 * group_table.c: values by group, as many as there are: rows of a key (text), a
 * part of it (a small number) and values; at the end, per key and part, what
 * the statistics are made of. Groups come in the order of their keys' bytes.
 *
 *	t = groups_new(1);
 *	groups_add(t, &k, key, n, 0, &value);
 *	groups_each(t, GROUPS_ALL, print, ctx);	any number of times
 *	groups_free(t);
 *
 * Memory is bounded: rows beyond groups_memory are sorted into files under
 * TMPDIR, and merged. Per group, its distinct first values are kept.
 */

extern size_t groups_memory; /* memory of each table in bytes; 48 MiB; -S
			      * sets it once */
#define GROUP_VALS 5
#define GROUPS_ALL 0, UINT32_MAX

struct group_stats {
	const char *key;
	size_t len;
	uint32_t part;
	uint64_t n;
	int64_t sum[GROUP_VALS];
	int64_t min, max;    /* min, max and the next three: of the first
			      * value */
	double avg, med, sd; /* of a sample; 0 for one */
};

/* nval: values per row. */
struct groups *groups_new(int nval);
void groups_free(struct groups *t);

struct group_key { /* a key's number, valid while gen has not changed */
	uint64_t gen;
	uint32_t id;
};

/* k, zeroed before the first use, is kept for a key that is used again. */
void groups_add(struct groups *t, struct group_key *k, const char *key,
    size_t n, uint32_t part, const int64_t *v);

/* The sum of all first values. */
int64_t groups_sum(const struct groups *t);

/* The groups of these parts. */
typedef void group_fn(void *ctx, const struct group_stats *g);
void groups_each(
    struct groups *t, uint32_t from, uint32_t to, group_fn *fn, void *ctx);

/*
 * Tables on standard output: CSV, TSV, JSON, or columns for people.
 *
 * A row is given as its values with TABs between them, texts escaped as in
 * records; an empty value is unset.
 */

struct report_table {
	const char *name; /* of the report */
	const char *title;
	const char *const *cols; /* heads; a # before it marks numbers */
	int ncols;
};

#define SINK_COLS 40 /* the most columns of a table */

struct stats_sink {
	const struct writer_format *format; /* NULL: columns for people */
	bool json;
	bool named; /* JSON: each table has the names of its report and file */
	bool first; /* no table has begun */
	bool begun, any_row; /* of this table */
	const struct report_table *table;
	const char *file;
	struct writer writer;
	struct writer_col col[SINK_COLS];
	/* columns */
	size_t width[SINK_COLS];
	FILE *rows;
	struct buf cell;
};

/* False if the format is unknown. named: each table has the names of its report
 * and file, in formats that can. */
bool sink_open(struct stats_sink *k, const char *format, bool named);
void sink_close(struct stats_sink *k);

void sink_begin(
    struct stats_sink *k, const struct report_table *t, const char *file);
void sink_row(struct stats_sink *k, const char *s, size_t n);
bool sink_end(struct stats_sink *k); /* true if there was a row */

struct stats;

/* The reports. */

struct report;

enum report_needs {
	NEEDS_STACK = 1, /* for on_proj */
	NEEDS_PROJ,      /* this and the next: groups are those of stats.ranges
			  */
	NEEDS_KERN,
};

struct report_def {
	struct report_table table;
	const char *old;   /* the name before 2023 */
	const char *types; /* types of the records that it needs */
	void (*on_api)(struct report *, const struct stats_call *);
	void (*on_os)(struct report *, const struct stats_call *);
	void (*on_gpu)(struct report *, const struct stats_gpu *);
	void (*on_range)(struct report *, const struct stats_range *);
	/* for push/pop ranges, if those that were never closed have another end
	 */
	void (*on_push)(struct report *, const struct stats_range *);
	void (*on_proj)(struct report *, const struct stats_proj *);
	enum report_needs needs; /* for the open ranges */
	/* Makes the rows from groups, with the report as its context; NULL: the
	 * table is the rows, in order. */
	group_fn *group;
	enum report_key { /* of a summary: what its keys are made of */
		KEY_NAME,
		KEY_KERNEL,     /* the same */
		KEY_GRID,       /* name, TAB, grid and block as wide_dim3() */
		KEY_NAME_FIRST, /* name, by which equal rows are ordered, TAB,
				 * and the value before it */
		KEY_CALL,       /* number of the name in letters, name */
	} key;
	/* Set if the rows are not sorted together. */
	void (*print)(struct report *);
	bool kernels; /* accepts :base and :mangled */
	size_t state; /* size of its own state: r->state, zeroed */
};

struct report {
	const struct report_def *def;
	struct stats *stats;
	enum kname mode;
	bool range_names;       /* names of ranges precede those of kernels */
	struct groups *t;       /* of a report with groups, otherwise NULL */
	struct row_order *rows; /* in the order of printing */
	struct buf key, row;    /* scratch */
	void *state;
};

/* rep_traces.c: facts of devices and threads. */

struct trace_names {
	struct smap devs;   /* file, device -> number of its label */
	struct smap labels; /* "NVIDIA H200 (0)" */
	struct thread_name *thread;
	size_t n, cap;
	struct smap nos; /* struct thread_id -> first row in thread, + 1 */
};

void trace_section(struct trace_names *t);
void trace_dev(struct trace_names *t, uint32_t file, int64_t dev,
    const struct mview *name);
void trace_thread(struct trace_names *t, struct thread_id id,
    const struct mview *prio, const struct mview *name);

#define STATS_REPORTS 64 /* the most reports of a run */

struct stats {
	struct report report[STATS_REPORTS]; /* the requested reports */
	int nreports;
	bool list; /* only the list of reports is requested */
	struct stats_sink sink;
	struct stats_reader *reader;
	struct kernel_names names;
	struct range_groups ranges;
	struct range_stack stack;
	struct trace_names traces;
};

/* stats_reports.c */

/* The reports of nsys stats without options. */

/* Adds the reports of "-r": NAME[:nvtx-name][:base|:mangled],... False if the
 * list of reports is requested. */
bool reports_ask(struct stats *s, const char *list);
void reports_list(void);

/* Prints a line with the record types that the requested reports need. */
void reports_types(const struct stats *s);

/* True if a requested report needs records of that type. */
bool reports_need(const struct stats *s, const char *type);

/* For all requested reports: a section begins; prints the tables. */
void reports_section(struct stats *s);
void reports_print(struct stats *s, const char *file, bool nvtx);

/* stats_read.c: passes the stream's records to the reports. */
void read_open(struct stats *s, struct stage *st);

/* Rows of tables: values in the vendor's form, each with a TAB after it; the
 * vendor's names of calls, kinds of work and dimensions; and the order of the
 * rows. */

/* A table's columns and their number. */
#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

void row_i64(struct buf *b, int64_t v);
void row_text(struct buf *b, const char *s, size_t n);
void row_opt(struct buf *b, const struct mview *t); /* nothing if unset */
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

/* The same number, in units of the last decimal. */
double round_units(double v, int decimals);

const char *range_style(bool push);
size_t api_len(const struct mview *t); /* of the name without its version */
void put_gpu_name(
    struct buf *b, const struct stats_gpu *g, const struct report *r);
int64_t gpu_total(const struct stats_gpu *g); /* from the call to both's end */
/* From the call's end to the start on the GPU; false if the start is earlier.
 */
bool gpu_queue(const struct stats_gpu *g, int64_t *v);
/* Reads three whole numbers at the start of s; false if they are not there. */
bool three_nums(const char *s, char between, int64_t v[3]);
void put_dim3(struct buf *b, const struct mview *t);
/* wide_dim3: the same in a width such that the bytes sort like the numbers. The
 * other reads it back as a value of a row. */
#define WIDE_DIM3 63
void wide_dim3(struct buf *b, const struct mview *t);
void put_wide_dim3(struct buf *b, const char *s);
