/*
 * What the rules judge: sums over a section of the stream, or over a file of
 * it. Times are in ns. Sums per iteration hold only records with a number in
 * the column iter; if a record type has no such column, all of its records.
 */
#ifndef ADVISE_FACTS_H
#define ADVISE_FACTS_H

#include <stdbool.h>

#include "buf.h"
#include "ivl.h"
#include "map.h"
#include "over.h"

struct tops { /* all zero is empty */
	struct smap names;
	struct top {
		uint64_t n;
		int64_t ns, bytes;
	} * v;
	size_t cap;
	struct top all;
};

/* One more of that (escaped) name. Beyond TOPS_MAX names what is new counts
 * in all alone. */
void tops_add(
    struct tops *t, const char *name, size_t len, int64_t ns, int64_t bytes);

/* Appends the k of the most time (of equals: the most often), "NAME: 12, 3.4
 * ms" joined by "; "; escaped. */
void tops_put(const struct tops *t, struct buf *b, int k);

/* Appends a time with a unit: 3.4 ms; a size: 12.1 MB; a number of things:
 * "1 op", "2 ops". Escaped. */
void say_time(struct buf *b, int64_t ns);
void say_size(struct buf *b, int64_t bytes);
void say_count(struct buf *b, uint64_t n, const char *what);

enum { /* the classes of dlp-busy */
	B_TC,
	B_KERN,
	B_GRAPH,
	B_MEM,
	B_LOAD,
	B_IO,
	B_CPU,
	B_OTHER,
	N_BUSY
};

enum { /* the classes of dlp-gaps */
	G_LAUNCH,
	G_STARTUP,
	G_SYNC,
	G_DATA,
	G_COMM,
	G_ALLOC,
	G_MODULE,
	G_OS,
	G_PROFILER,
	G_QUEUED,
	G_UNKNOWN,
	N_GAP
};

enum { /* settings of the model that DLProf's markers tell */
	M_WORKERS,
	M_BENCHMARK_OFF,
	M_ANOMALY,
	M_GRADCHECK,
	M_GRADGRADCHECK,
	M_PROFILE,
	M_ANOMALY_SET,
	M_RECORD,
	M_EMIT_NVTX,
	N_MODEL
};

enum { /* what the CPU does in API calls */
	C_LAUNCH,
	C_FIRST, /* calls that start CUDA and load modules, told by their time
		  */
	C_MODULE,
	C_ALLOC,
	C_SYNC,
	C_COPY,
	N_CPU
};
#define N_OVER (OVER_LOAD + 1) /* that are added up */

struct device {
	int64_t dev;
	bool visible;       /* has a dev record */
	bool used;          /* something ran on it, in steps or not */
	int64_t n_sm, cc10; /* -1: unknown */
	int64_t mem_total;  /* bytes, 0: unknown */
	int64_t mem_live, mem_peak;
	int64_t n_kern;
	int64_t busy[N_BUSY];    /* in strict priority, as dlp-busy has it; in
				     iterations and between, if there are */
	int64_t no_iter[N_BUSY]; /* outside of all */
	struct ivl comm, work;   /* NCCL's kernels; the others */
};

struct facts {
	bool all_devices;       /* those that nothing ran on count too */
	char mode[16];          /* "" if nobody told */
	struct buf src;         /* its file, if that is said */
	bool any;               /* a record was its */
	struct buf key;         /* the key op that was asked for */
	int key_found;          /* 1, 0, or -1: nobody told */
	int64_t model[N_MODEL]; /* -1: not told */
	int64_t kernel_arch; /* where no device is known, by names; 0: none */
	int64_t mem_total, mem_used; /* DLProf's sample; 0: none */

	struct device *dev;
	size_t n_dev;
	struct facts_iter { /* of each iter record */
		int64_t no, ns;
	} * iter;
	size_t n_iter, cap_iter;
	bool has_key;  /* an iter record has one: they are steps */
	bool has_busy; /* there were busy records */
	bool in_steps; /* some of them of iterations */
	bool has_gaps;
	int64_t gap_ns[N_GAP]; /* idle time of all devices, by why; of gaps
				  that began before the steps what is in them */
	bool has_cuts, counts; /* of dlp-iter; an iteration that counts has
				  begun, and none since that does not */

	/* ops that ran; by their eligibility for Tensor Cores */
	struct {
		uint64_t eligible, half, typed, conv, dali, xla, pytorch, all;
		uint64_t half_no_tc; /* eligible and half, none used */
		uint64_t no_tc;      /* eligible and not half, none used */
	} ops;

	uint64_t n_kern, n_graph, n_mem;
	int64_t kern_ns, no_op_ns, few_ns, graph_ns, span_ns;
	int64_t over_ns, load_ns; /* of span_ns: the profiler for itself; CUDA
				     loading code */
	uint64_t n_few, n_sized;  /* kernels in fewer blocks than processors;
				     that could be judged */
	int64_t eligible_ns;      /* eligible, and Tensor Cores unused */
	int64_t unaligned_ns;     /* of that by unaligned sizes */
	int64_t copy_ns;       /* of copies and sets, as kern_ns of kernels */
	int64_t cpu_ns[N_CPU]; /* of API calls since the first GPU work */
	bool any_work;
	int64_t first_work;           /* its start */
	bool any_kern;                /* and of kernels: */
	int64_t first_kern, end_kern; /* from the first to the end */
	struct ivl over_time[N_OVER]; /* the profiler's own; loading */
	struct map live;              /* address ^ device -> bytes */
	struct map op_bits; /* op id -> what is known: advise_read.c */
	bool has_tc, has_tc_why;
	struct tops sync, alloc, pageable, why, few, comm, unaligned, fp32;
	struct tops queue_full; /* calls that wait as the launch queue is full:
				   the GPU is behind */
	struct tops lost;       /* messages of the profiler on lost events */
};

/* Emptied, but for all_devices. */
void facts_clear(struct facts *f);

/* The device of that number, made if it is new. */
struct device *facts_dev(struct facts *f, int64_t no);

/* The device's sum of GPU work in kernels; its whole time. */
int64_t facts_dev_kernels(const struct device *d);
int64_t facts_dev_wall(const struct device *d);

/* The sum of classes, a bit each, over the devices that are used, in percent of
 * their time; as DLProf has it, over all that are visible. */
double facts_busy_pct(const struct facts *f, unsigned classes);

/* The class of gaps with the most time; -1: there was none. */
int facts_gap_most(const struct facts *f);

/* ns of GPU time in percent of the devices' time, or without busy records of
 * that from the first kernel to the last; below 0: unknown. */
double facts_share_pct(const struct facts *f, int64_t ns);

/* ns in percent of the kernels' time. */
double facts_kern_pct(const struct facts *f, int64_t ns);

/* What all of the GPU's work takes. */
int64_t facts_work_ns(const struct facts *f);

/* Calls, or copies, per iteration. */
double facts_per_iter(const struct facts *f, uint64_t n);

#endif
