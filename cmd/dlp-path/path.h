/*
 * What the files of dlp-path share. The records of a section become three
 * arrays: GPU work by stream, points of threads, and pieces of what threads do.
 * Large arrays lie in files (spill.h). The path is walked back through them;
 * a replay goes forward.
 */
#pragma once

#include <regex.h>

#include "buf.h"
#include "comm.h"
#include "ivl.h"
#include "maker.h"
#include "map.h"
#include "out.h"
#include "spill.h"
#include "stage.h"
#include "xsort.h"

#define PATH_NONE SMAP_NONE
#define PATH_UNSET INT64_MIN

struct path_work { /* a kernel, copy, set or graph run */
	int64_t start, end;
	int64_t api;             /* start of its call, or PATH_UNSET */
	int64_t after;           /* index of the work of its stream before it,
				  * which may overlap with it, or -1 */
	int64_t cross;           /* the same of other streams that it waits
				  * for, or -1 */
	int64_t bytes;           /* that it moves, or -1 */
	int64_t launch;          /* index of the point of its call, or -1 */
	uint32_t stream, thread; /* thread: of the call */
	uint32_t name, op, phase, api_name;
	uint32_t same; /* works that differ in the number type, or PATH_NONE */
	float by_roof; /* how many times as long in another type; 0: unknown,
			* -1: not of the type to change */
	float tensor;  /* the same with Tensor Cores */
	float pinned;  /* bytes a ns of a copy, if its memory were pinned */
	uint32_t product; /* number in ops of its op, or PATH_NONE */
	uint32_t helps;   /* the same, if it prepares the op's product */
	uint8_t tag;      /* enum path_tag */
	uint8_t fix;      /* FIX_BIT() of those that change its length */
	bool guessed;     /* cross is not recorded */
};

/* What findings of dlp-advise would change; a bit each. */
enum path_fix {
	FIX_LAUNCHES,     /* launches cost as little as those of a graph */
	FIX_LOADER,       /* nobody waits for data to be loaded */
	FIX_SYNC,         /* nobody waits for the GPU */
	FIX_COPIES,       /* copies from pageable memory are from pinned one */
	FIX_OPTIMIZER,    /* the optimizer is one kernel */
	FIX_TENSOR_CORES, /* products in fp32 are in TF32 or bf16 */
	FIX_ALLOC,        /* memory is not allocated */
	FIX_COMM,         /* computation does not wait for communication */
	FIX_STRAGGLER,    /* no rank comes later than the median one */
	N_FIX,
	FIX_RECORDED = N_FIX, /* the recording's own time is not there */
	FIX_OPTIONS           /* those of the command line */
};
#define FIX_BIT(fix) (1U << (fix))
#define FIX_ALL (FIX_BIT(N_FIX) - 1)
/* What the command line asks for, not a finding. */
#define FIX_ASKED (FIX_BIT(FIX_OPTIONS) | FIX_BIT(FIX_STRAGGLER))

extern const char *const path_fix_names[N_FIX];

enum path_tag { TAG_KERNEL, TAG_COPY, TAG_SET, TAG_GRAPH, TAG_COMM };

enum path_point_kind {
	POINT_LAUNCH, /* a call that launches work begins */
	POINT_BEGIN,  /* a call that waits for the GPU begins */
	POINT_END     /* and ends */
};

enum path_covers { COVERS_ALL, COVERS_STREAM, COVERS_EVENT };

struct path_point { /* a moment of a thread */
	int64_t at;
	int64_t recorded; /* COVERS_EVENT: when */
	int64_t work;     /* POINT_END: index of the work that the call waited
			   * for, or -1 */
	int64_t before;   /* index of the point from which the CPU came, or -1:
			   * of this thread, or of one that handed over */
	int64_t dur;      /* POINT_END: of the call */
	uint32_t thread, stream;
	uint8_t kind, covers;
	bool blocked;    /* the work ended inside the call */
	bool own_before; /* before is of the same thread */
	bool fetches;    /* POINT_END: of a copy from pageable memory */
};

struct path_what { /* texts, or PATH_NONE */
	uint32_t name, op, phase;
	uint32_t is;    /* what a replay can change */
	uint32_t helps; /* of the launch of such work */
};

enum {                 /* bits of path_what.is */
	IS_OP = 1,     /* an op's own time, outside of calls */
	IS_LAUNCH = 2, /* a call that launches */
	IS_LOADER = 4,
	IS_OPTIMIZER = 8,
	IS_ALLOC = 16,
	IS_PROGRAM = 32, /* in an op, a call or a phase */
	IS_BEFORE = 64,  /* no op, and one begins at its end */
	IS_ITEM = 128,   /* an op that reads from the GPU */
	IS_WAIT = 256,   /* of a loader for its workers */
	IS_BLOCK = 512   /* a call that waits for the GPU */
};

struct path_piece { /* what a thread does until the next piece begins */
	int64_t start;
	uint32_t what;  /* in whats */
	uint32_t outer; /* in outers; PATH_NONE: idle */
};

struct path_list { /* an array in memory that may lie in a file */
	void *v;
	size_t n, cap, size;
};

void *path_add(struct path_list *l); /* room for one more, not zeroed */
void path_list_free(struct path_list *l);

struct path_part { /* a step, or the time between two */
	int64_t lo, hi;
	uint32_t iter, step;    /* in texts, or PATH_NONE; iter is unset, */
	bool dropped;           /* if the step was not asked for */
	int64_t cpu_lo, cpu_hi; /* of its iteration on the CPU */
};

struct path_stream {
	uint32_t proc; /* in procs */
	uint32_t rank;
	int64_t dev, stream;
	size_t lo, hi; /* its work in works */
};

struct path_proc {
	size_t lo, hi; /* its points in by_time */
};

struct path_thread {
	uint32_t proc, rank;
	int64_t tid;
	size_t lo, hi;             /* its points */
	size_t piece_lo, piece_hi; /* its pieces */
	size_t point, piece;       /* found last: the next is often near */
};

#define PATH_CHANGES 64

struct path_rank {    /* a file */
	uint32_t src; /* in texts */
	int64_t no;   /* that of its rank record, or -1 */
	struct path_list parts, iters;
	struct extent seen;  /* of all that is recorded */
	uint64_t unresolved; /* waits of streams for unknown events */
	bool no_steps;       /* seen is that of the whole profile */
	int64_t op_most;     /* ns that recording takes at most of an op's
			      * piece */
	int64_t launch_most; /* the same of a launch */
	double pinned;       /* bytes a ns of the fastest copy from pinned
			      * memory */
};

struct path_arrival {       /* of a rank at a collective */
	int64_t coll;       /* its id */
	int64_t start, dur; /* of its kernel */
	int64_t comm;       /* of that without waiting */
	int64_t work;       /* index, or -1 */
	int64_t now;        /* its new start */
	int64_t comm_now;   /* as comm, with the changes */
	size_t part;        /* of its rank, in which it was placed */
	uint32_t rank;
	bool here; /* it was placed */
};

struct path_change {   /* a transform of some work */
	regex_t re;    /* of its name or op */
	double factor; /* of the duration */
	bool gone;     /* it is removed, with its launch */
};

struct path_retype {                    /* --dtype */
	const struct path_dtype *of[2]; /* before and after; NULL: not given */
	struct smap devs;               /* of the section */
	struct path_peaks *peaks;       /* by number in devs */
	size_t n_peaks, peaks_cap;
	struct smap sames;
	struct path_same { /* works that differ in the type only */
		double ns[2];
		uint64_t n[2];
	} * same;
	size_t n_same, same_cap;
	uint64_t no_type; /* kernels whose type is unknown */
	bool tensor; /* products in fp32 get Tensor Cores, as findings say */
	struct smap ops; /* by op_id: which products it has, OP_* */
};
enum { OP_FP32 = 1, OP_TENSOR_CORES = 2 };

struct path {
	bool replay; /* no path: steps with changes */
	bool merge;  /* of segments that differ in name only */
	bool zero_launch, overlap, no_straggler;
	bool each;       /* what findings would change, each and all */
	bool all;        /* all of it */
	bool bare;       /* without the recording's own time */
	unsigned fixes;  /* seen: FIX_BIT()s */
	int64_t workers; /* that a loader which has none gets */
	const char *warn_as;
	struct maker maker;
	struct path_change change[PATH_CHANGES];
	int n_change;
	double bandwidth; /* GB/s of links, or 0: as recorded */
	struct path_retype retype;
	uint64_t beyond;   /* times that were cut, see path_read.c */
	uint64_t no_bytes; /* works of links with unknown bytes */
	/* of the section */
	struct smap texts, procs, streams, threads;
	struct path_list works, points, pieces, segs;
	struct path_list whats;  /* of pieces, each once */
	struct path_list outers; /* starts of outermost ops and calls */
	struct smap what_of;
	struct path_rank *rank;
	size_t n_rank, rank_cap;
	struct path_list arrivals; /* --no-straggler */
	struct map arrival_of;     /* index of work to that + 1 */
	uint64_t alone;            /* communication that no other rank has */
	struct path_list new_work, new_point; /* times of the replay */
	struct path_stream *stream;
	size_t n_stream, stream_cap;
	struct path_thread *thread;
	size_t n_thread, thread_cap;
	struct path_proc *proc;
	size_t n_proc;
	struct path_list by_time; /* indices of points, by process and time */
	struct xsort order;
	struct xsort work, wait, act, point; /* as they are read */
	struct smap events; /* proc, event; its number is the record's */
	struct path_list recorded;
	int64_t outside; /* segments so far outside of steps */
	bool ranks;      /* a rank record was seen */
	struct comm_rules comm;
	struct buf key;
	struct out_type *out;
	struct out_type *out_src; /* of a section of several files */
};

/* path_read.c */
void path_listen(struct stage *st, struct path *p);

/* Sorts by group, then time, then tie; equal ones stay in their order. */
void path_put_sorted(struct xsort *x, uint32_t group, int64_t t, int64_t tie,
    const void *val, size_t n);

static inline struct path_part *
path_part(const struct path_rank *r, size_t i)
{
	spill_tick();
	return (struct path_part *)r->parts.v + i;
}

struct path_act { /* an op, a call or a range on a thread */
	int64_t start, end;
	uint32_t thread, name, op, phase;
	uint32_t helps;
	uint16_t is;  /* IS_* */
	uint8_t type; /* enum path_act_type */
};
enum path_act_type { ACT_RANGE, ACT_OP, ACT_CALL };

struct path_cross {       /* a stream waits for an event */
	int64_t at;       /* the call */
	int64_t recorded; /* when the event was */
	uint32_t stream, source;
};

/* path_graph.c: sorts, and finds what each thing waited for. */
void path_graph(struct path *p);

/* The last work of the stream that ended at t or before and was launched before
 * `launched`; -1: none. */
int64_t path_ended(
    const struct path *p, uint32_t stream, int64_t t, int64_t launched);

/* The piece of a thread at t; NULL: the thread has none there. *until: where it
 * ends. */
const struct path_piece *path_piece_at(
    const struct path *p, uint32_t thread, int64_t t, int64_t *until);

static const struct path_what path_no_what = { PATH_NONE, PATH_NONE, PATH_NONE,
	0, PATH_NONE };

static inline struct path_what
path_what(const struct path *p, const struct path_piece *c)
{
	return c != NULL ? ((struct path_what *)p->whats.v)[c->what]
			 : path_no_what;
}

/* The last point of a thread at t or before, or -1. */
int64_t path_point_at(const struct path *p, uint32_t thread, int64_t t);

static inline struct path_work *
path_work_at(const struct path *p, int64_t i)
{
	spill_tick();
	return (struct path_work *)p->works.v + i;
}

static inline struct path_point *
path_point_no(const struct path *p, int64_t i)
{
	spill_tick();
	return (struct path_point *)p->points.v + i;
}

/* path_walk.c: writes the path of a part of a rank. */
struct out_type *path_out_type(bool merge);
void path_walk(struct path *p, uint32_t rank, const struct path_part *part);

/* path_replay.c: writes a row for each step; src: and its file. */
struct out_type *path_whatif_type(bool src);
void path_replay(struct path *p);

/* path_change.c */
void path_scale(void *path, const char *arg);       /* --scale REGEX=F */
void path_remove(void *path, const char *arg);      /* --remove REGEX */
void path_bandwidth(void *path, const char *arg);   /* --bandwidth GB/S */
void path_set_workers(void *path, const char *arg); /* --workers N */

struct path_effect {      /* of the changes on the work of a section */
	uint64_t *match;  /* by text: the changes, a bit each */
	int64_t *latency; /* by name, ns */
};

void path_effect_open(struct path *p, struct path_effect *e);

/* The same work in both types of --dtype, or NULL. */
const struct path_same *path_measured(
    const struct path *p, const struct path_work *w);

/* How many times as long work takes; *gone is set if it is removed. */
double path_factor(const struct path *p, const struct path_effect *e,
    const struct path_work *w, bool *gone);

/* path_fix.c: the part of a piece's ns that is left with these FIX_BIT()s; how
 * many times as long work takes. */
int64_t path_fix_cpu(const struct path *p, const struct path_rank *k,
    unsigned on, const struct path_what *what, int64_t ns);
/* Kernels that help an op's product, or launch them, are not needed, because
 * all its products are in fp32 and get Tensor Cores. */
bool path_needless(const struct path *p, unsigned on, uint32_t helps);
int64_t path_workers(const struct path *p); /* that a loader gets */
double path_fix_work(
    const struct path *p, unsigned on, const struct path_work *w);

/* Reads what tells: what a range, op or call is; what changes work. */
uint16_t path_fix_is(const struct rec *r, const struct path_act *a);
void path_fix_read(struct path *p, const struct rec *r, struct path_work *w);

/* From the pieces: what recording takes at most. */
void path_fix_open(struct path *p);

/* What has this name or op is removed. */
bool path_removed(
    const struct path *p, const struct path_effect *e, uint32_t text);

void path_dtype(void *path, const char *arg);         /* --dtype FROM=TO */
void path_dtype_dev(struct stage *st, struct rec *r); /* a dev record */
void path_dtype_read(struct path *p, const struct rec *r, struct path_work *w);

struct path_peaks {        /* of a device */
	double product[2]; /* TFLOP/s before and after; 0: unknown */
	double plain[2];
	double tensor; /* TFLOP/s of fp32 with Tensor Cores */
	double gb_s;
	double pinned; /* bytes a ns over its link */
};

/* Those of the record's device, or NULL. */
const struct path_peaks *path_peaks_of(struct path *p, const struct rec *r);
