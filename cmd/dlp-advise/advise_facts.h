/*
 * The facts that rules judge: sums over a section of the stream, or over a file
 * of it. Times are in ns. Sums per iteration include only records with a number
 * in the column iter or, if a record type has no such column, all its records.
 */
#pragma once

#include <stdbool.h>

#include "buf.h"
#include "ivl.h"
#include "maker.h"
#include "map.h"
#include "over.h"
#include "stage.h"

struct tops { /* all zero is empty */
	struct smap names;
	struct top {
		uint64_t n;
		int64_t ns, bytes;
	} * v;
	size_t cap;
	struct top all;
};

/* Counts another occurrence of the (escaped) name. Beyond TOPS_MAX names, new
 * ones count only in all. */
void tops_add(
    struct tops *t, const char *name, size_t len, int64_t ns, int64_t bytes);

/* Appends the k names with the most time (if times are equal: the most
 * occurrences), "NAME: 12, 3.4 ms" joined by "; "; escaped. */
void tops_put(const struct tops *t, struct buf *b, int k);

/* The name with the most time, escaped, up to the first ": " that tops_put()
 * would write; NULL if there is none. */
const char *tops_first(const struct tops *t, size_t *n);

/* Appends a time with a unit: 3.4 ms; a size: 12.1 MB. */
void say_time(struct buf *b, int64_t ns);
void say_size(struct buf *b, int64_t bytes);

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
	G_AFTER_SYNC,
	G_GRAPH_UPDATE,
	G_HOST,
	G_END,
	N_GAP
};

/* The GPU does nothing. */
#define FACTS_IDLE (1U << B_LOAD | 1U << B_IO | 1U << B_CPU | 1U << B_OTHER)

extern const char *const busy_words[N_BUSY], *const gap_words[N_GAP];

enum { /* frameworks, a bit each */
	FW_PYTORCH = 1,
	FW_TENSORFLOW = 2,
	FW_MXNET = 4,
	FW_XLA = 8,
	FW_TENSORRT = 16,
};

enum { /* what a program can have in use; advise_use.c */
	USE_COMPILED,
	USE_GRAPHS,
	USE_FOREACH,
	USE_FUSED,
	USE_CHANNELS_LAST,
	USE_SDPA,
	USE_TF32,
	N_USE
};

enum {              /* kinds of kernels that tell what is in use, or could be */
	K_COMPILED, /* of a compiled region or by its compiler */
	K_GRAPH,    /* nodes of CUDA graphs */
	K_FOREACH,  /* optimizer: a foreach implementation */
	K_FUSED,    /* optimizer: a fused implementation */
	K_OPTIMIZER, /* optimizer: other work on parameters */
	K_TO_NHWC,   /* changes the layout of a tensor */
	K_TO_NCHW,
	K_NORM_NHWC, /* batch norm of channels-last tensors */
	K_CONV_NHWC, /* convolutions of channels-last tensors */
	K_CONV,
	K_ATTENTION, /* fused attention */
	K_SCORES,    /* a softmax over scores of attention */
	K_VALUES,    /* products of those and the values */
	K_TF32,
	K_LOSS,
	K_AGAIN,     /* forward work in the backward pass: checkpoints */
	K_CAT,       /* joins tensors in a forward pass */
	K_POINTWISE, /* memory-bound work that a compiler fuses */
	N_KIND
};

#define N_SLOW 4 /* reasons (tc_why) of sizes that make products slow */
extern const char *const slow_sizes[N_SLOW];

enum { /* settings of the model, from DLProf's markers */
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
	C_FIRST, /* calls that start CUDA and load modules, recognised by
		  * their time */
	C_MODULE,
	C_ALLOC,
	C_SYNC,
	C_COPY,
	N_CPU
};
#define N_OVER (OVER_LOAD + 1) /* number of kinds that are added up */

struct facts_sum {
	uint64_t n;
	int64_t ns;
};

#define ADVISE_PIECES 131072 /* most pieces of time that are kept */

struct advise_ops {            /* by op records, which apply to all files */
	struct map bits;       /* op id -> facts from its record */
	struct map odd;        /* op id -> the size that is no multiple of 8 */
	struct map prim;       /* the same for prims */
	struct map scores;     /* op id -> its first shape, if it has rank 4 */
	struct smap shape4;    /* these shapes -> 1 if a softmax has it */
	struct map fused_name; /* id of a kernel's name -> 0, for optimizers
				* that are fused */
	unsigned frameworks;   /* by the names of kernels */
	bool has_eligible;     /* column dl_tc */
};

struct device {
	int64_t dev;
	bool used;          /* something ran on it, in steps or not */
	int64_t n_sm, cc10; /* -1 if unknown */
	int64_t mem_total;  /* bytes; 0 if unknown */
	int64_t mem_live, mem_peak;
	bool mem_all;     /* mem_peak: of all that was allocated, as
			   * torch.profiler says, */
	int64_t mem_pool; /* and what its allocator reserved at most; or 0 */
	int64_t n_kern;
	int64_t busy[N_BUSY];    /* with dlp-busy's priorities; in iterations
				  * and between them, if there are any */
	int64_t no_iter[N_BUSY]; /* outside of all iterations */
	struct ivl comm, work;   /* NCCL's kernels; the others */
	struct facts_comm {
		int64_t bare, all; /* what no kernel hides; all of it */
	} in_steps, elsewhere;     /* of the time of steps, by dlp-busy */
	bool has_comm;             /* it has said so */
};

/* What replays say of the judged steps: sums. */
struct facts_whatif {
	struct fix {
		char name[16];
		uint64_t n;
		int64_t ns; /* predicted */
	} fix[16];
	int n_fix;
	uint64_t n; /* records of a change with step and bare */
	int64_t step, bare;
};

struct facts {
	struct facts_whatif whatif;
	bool all_devices; /* devices on which nothing ran count too */
	char mode[16];    /* "" if unknown */
	char options[64]; /* of torch.profiler; "" if unknown */
	struct buf src;   /* its file, if there is a name */
	const struct advise_ops *known;
	const struct smap *notes; /* of the section; val: their counts */
	bool any;                 /* it has records */
	struct buf key;           /* the requested key op */
	int key_found;            /* 1, 0, or -1 if unknown */
	int64_t model[N_MODEL];   /* -1 if unknown */
	int64_t kernel_arch;      /* if no device is known, from kernel names; 0
				   * if none */
	struct maker maker;       /* who recorded it */
	int64_t mem_total, mem_used; /* DLProf's sample; 0 if none */

	struct device *dev;
	size_t n_dev;
	struct map dev_at;   /* number -> place */
	struct buf step_key; /* of the iter records */
	struct facts_iter {  /* of each iter record; ns: of the step, with
			      * --dlprof on the CPU */
		int64_t no, ns;
	} * iter;
	size_t n_iter, cap_iter;
	bool has_key;  /* an iter record has a key: the iterations are steps */
	bool no_times; /* of a .dict: its times are made up */
	bool has_busy; /* there were busy records, of times */
	bool in_steps; /* some of them belong to iterations */
	bool has_gaps;
	struct map gap_step[N_GAP]; /* the same by step */
	int64_t gap_ns[N_GAP];      /* idle time of all devices, by reason; of
				     * gaps that began before the steps only the
				     * part inside */
	struct tops gap_in[N_GAP];  /* the same, by where the program was */
	bool even, even_known;      /* --even; a stable record has said which */
	int64_t even_from, even_to;
	struct map marked; /* steps between that do not count: they have ranges
			    * of ops, where others have none; +1 */
	struct facts_slow {
		int64_t n, ns, of_ns, most; /* as in stable records */
		int64_t n_step;
	} slow;
	bool has_cuts, counts; /* dlp-iter has run; a selected iteration has
				* begun, and no other one since */

	/* ops that ran; by their eligibility for Tensor Cores */
	struct {
		uint64_t eligible, half, typed, conv, dali, xla, pytorch, all;
		uint64_t half_no_tc; /* eligible and half precision, but none
				      * used them */
		uint64_t no_tc;      /* eligible and not half precision, and
				      * none used them */
	} ops;

	uint64_t n_kern, n_graph, n_mem;
	int64_t kern_ns, no_op_ns, graph_ns, span_ns;
	int64_t no_call_ns;       /* a part of no_op_ns: no call launched it */
	int64_t over_ns, load_ns; /* of span_ns: the profiler's own work;
				   * loading code by CUDA */
	uint64_t n_few, n_sized;  /* kernels with fewer blocks than
				   * processors; kernels that could be judged */
	int64_t few_ns;           /* of the latter the time in which processors
				   * had no block */
	struct map step_shape;    /* a step -> a hash of its kernels and their
				   * sizes; -> their number */
	struct map step_kernels;
	uint64_t n_pass;          /* backward passes behind a forward one */
	bool in_forward;          /* the last kernel of a pass was forward */
	int64_t forward_by;       /* the thread that launched it */
	struct facts_sum updates; /* calls that update CUDA graphs */
	struct smap regions;      /* torch.compile's, "1/0" -> their runs */
	struct facts_sum lookups; /* of compiled code, by TorchDynamo */
	bool serving;             /* steps of vLLM or SGLang */
	unsigned frameworks;
	bool named_framework; /* the stream has said which one it is */
	bool told;            /* and what dlp-advise says of steps and memory */
	struct facts_sum kind[N_KIND];
	uint64_t n_launch;       /* calls that launch kernels; a graph is one */
	int64_t last_graph_call; /* start of the last graph launch */
	int64_t eligible_ns;     /* eligible, but Tensor Cores unused */
	int64_t unaligned_ns;    /* the part of it with unaligned sizes */
	int64_t copy_ns;       /* copies and sets, as kern_ns is for kernels */
	int64_t cpu_ns[N_CPU]; /* of API calls since the first GPU work */
	bool any_work;
	int64_t first_work;           /* its start */
	bool any_kern;                /* and of kernels: */
	int64_t first_kern, end_kern; /* from the first to the end */
	struct ivl over_time[N_OVER]; /* the profiler's own; loading */
	struct smap said_by;          /* of a kernel -> SAYS_* (advise_use.c) */
	struct buf gap_in_text;
	struct smap live_at; /* process, device -> its map in live */
	struct map *live;    /* address -> bytes */
	struct map op_bits;  /* op id -> what is known: advise_ops.c */
	bool has_tc, has_tc_why;
	struct tops sync, alloc, pageable, why, few, comm, unaligned, fp32;
	struct tops slow_size[N_SLOW]; /* by op */
	struct tops odd_size; /* sizes that keep products off fast kernels */
	struct tops chain;    /* K_POINTWISE and K_LOSS by op */
	struct tops scores, optimizer; /* K_SCORES; work on parameters */
	struct tops again;             /* K_AGAIN by op */
	struct tops other_opt;         /* optimizers that have no fused=True */
	struct tops coll;              /* communication, by collective */
	struct smap alike; /* a collective with its kernel and size */
	struct facts_alike {
		uint64_t n;
		int64_t ns, least; /* their time; that of the fastest */
	} * alike_v;
	size_t cap_alike;
	uint64_t n_alike;  /* collectives of a known size that ran twice */
	bool ranked;       /* dlp-ranks saw it among several ranks */
	int64_t rank_wait; /* how long its collectives waited for others */
	struct tops late;  /* the ranks that waited least in its steps, by
			    * how long the others waited */
	struct buf rank;   /* its rank */
	int64_t pid, gpu;  /* of its kernels */
	struct buf first;  /* what its first finding says */
	struct buf mends;  /* and the change that mends it */
	struct facts *late_rank;    /* for which it waits most; can be it */
	struct tops pageable_later; /* behind the first kernel: without steps
				     * those before it load the program */
	bool any_copy, any_set;
	bool pageable_src;   /* pageable memory is copied from */
	bool scaler;         /* PyTorch's GradScaler runs */
	bool has_family;     /* kernels have a column family */
	int64_t opt_idle_ns; /* launch-bound idle time before work of the
			      * optimizer, before a softmax */
	int64_t softmax_idle_ns;
	struct tops plans; /* long idle time before work of cuDNN, by where */
	uint64_t n_marked; /* runs of ops that emit_nvtx marked */
	uint64_t n_marked_all;  /* the same, in the whole profile */
	int64_t marker_ns;      /* what all ranges cost, as dlp-record says; 0:
				 * not known */
	struct tops queue_full; /* calls that wait because the launch queue
				 * is full: the GPU is slower than the CPU */
	struct tops lost;       /* messages of the profiler about lost events */
};

/* Empties f, except all_devices. */
void facts_clear(struct facts *f);

/* The device of that number; created if it is new. */
struct device *facts_dev(struct facts *f, int64_t no);

/* The device's sum of GPU work in kernels; its whole time. */
int64_t facts_dev_kernels(const struct device *d);
int64_t facts_dev_wall(const struct device *d);

/* The time in which nothing but communication runs on the device; *all: in
 * which communication runs. */
int64_t facts_dev_bare(const struct device *d, int64_t *all);

/* The sum of classes, a bit each, over the used devices, in percent of their
 * time. The other counts as DLProf does, over all visible devices. */
double facts_busy_pct(const struct facts *f, unsigned classes);

/* The same in ns; the wall clock time of these devices. */
int64_t facts_busy_ns(const struct facts *f, unsigned classes);
int64_t facts_wall_ns(const struct facts *f);

/* The class of gaps with the most time; -1 if there are no gaps. */
int facts_gap_most(const struct facts *f);

/* ns of GPU time in percent of the devices' time or, without busy records, of
 * the time from the first kernel to the last; below 0 if unknown. */
double facts_share_pct(const struct facts *f, int64_t ns);

/* ns in percent of the kernels' time. */
double facts_kern_pct(const struct facts *f, int64_t ns);

/* The mean step with a change, by its name; 0: not known. recorded: before, and
 * without the recording's time. */
int64_t facts_fixed_ns(const struct facts *f, const char *name);
int64_t facts_step_ns(const struct facts *f, bool recorded);

/* The time of all GPU work. */
int64_t facts_work_ns(const struct facts *f);

/* Whether the iterations are steps, not the whole profile as one. */
bool facts_has_steps(const struct facts *f);

/* Forward passes, each with its backward pass, in a step. */
double facts_passes(const struct facts *f);

/* Steps of two lengths: which of them are long, by how much, and the class of
 * gaps that makes most of the difference, or -1. */
struct facts_pattern {
	size_t every; /* 2: every second; 0: no period */
	size_t n, of; /* so many of all */
	int64_t ns;
	int class;
};
bool facts_pattern(const struct facts *f, struct facts_pattern *p);

/* Calls, or copies, per iteration. */
double facts_per_iter(const struct facts *f, uint64_t n);

/* The number of an iteration that is judged, if the column has one. */
static inline bool
advise_iter(const struct facts *f, const struct rec *r, int col, int64_t *no)
{
	return rec_num(r, col, no) &&
	       (!f->even_known || (*no >= f->even_from && *no <= f->even_to)) &&
	       (f->marked.n == 0 ||
		   map_get(&f->marked, (uint64_t)*no + 1) == NULL);
}

/* True if a record is in one, or if there are no iterations. */
static inline bool
advise_in_iter(const struct facts *f, const struct rec *r)
{
	int64_t v;

	return !rec_has(r->type, COL_iter) || advise_iter(f, r, COL_iter, &v);
}

/* advise_work.c, advise_ops.c: add a record. */
void add_kernel(struct facts *f, const struct rec *r);
void add_copy(struct facts *f, const struct rec *r);
void add_set(struct facts *f, const struct rec *r);
void add_sync(struct facts *f, const struct rec *r);
void add_call(struct facts *f, const struct rec *r);
void add_graph(struct facts *f, const struct rec *r);
void add_inst(struct facts *f, const struct rec *r);

void advise_ops_read(struct stage *st, struct advise_ops *o);
void advise_ops_clear(struct advise_ops *o);

/* The first two inputs of the op have the same sizes. */
bool advise_ops_halves(const struct advise_ops *o, int64_t id);

/* Records that a kernel of its op has used Tensor Cores, could have. */
void advise_ops_kernel(
    struct facts *f, const struct rec *r, bool tc, bool eligible);

/* Adds the ops of a file to its facts when it ends. */
void advise_ops_end(struct facts *f);
