/*
 * The state of dlp-correlate: processes with their threads, each thread with
 * the ranges open on it now; the table of ops; the runs of ops (insts) that
 * are open; the maps that tie a backward to its forward. Times are
 * nanoseconds of the stream. Texts kept here are in the escaped form of the
 * stream, ready to be written.
 */
#ifndef DLP_CORR_H
#define DLP_CORR_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "ivl.h"
#include "map.h"
#include "marker.h"
#include "stage.h"

#define OP_NONE 0u /* ops are numbered from 1 */

/* Why work belongs to no op; words in why_word(). */
enum why {
	WHY_NONE,
	WHY_BEFORE,   /* launched before the first API call of its process */
	WHY_NO_API,   /* no API call in the profile */
	WHY_NO_RANGE, /* no range open on the thread of the call */
	WHY_USER,     /* only the program's own ranges */
	WHY_UNCLOSED, /* inside a marker that was never popped */
	WHY_GRAPH,    /* graph node of unknown origin, launched outside ops */
	WHY_N
};

struct text { /* bytes owned by somebody else, or NULL */
	const char *s;
	size_t n;
};

enum op_field { /* texts of an op, by the columns of its record */
	OF_NAME,
	OF_MOD,
	OF_OP,
	OF_LAYER,
	OF_BY,
	OF_TEXT,
	OF_DTYPE,
	OF_SHAPES,
	OF_ARGS,
	OF_BWD_SHAPES,
	OF_STACK,
	OF_TRACE,
	OF_N
};

/* An op: what runs of the same thing have in common. One block of memory
 * holds the struct and its texts. */
struct op {
	uint32_t id, fwd; /* fwd: the forward op of a backward, or OP_NONE */
	bool bwd, none;   /* none: of unassociated work */
	bool marker;      /* told by an argument marker */
	struct text f[OF_N];
};

struct ops {
	struct op **v; /* by id - 1 */
	size_t n, cap;
	struct smap ident; /* what makes an op -> id */
	struct smap raw;   /* marker text in its place -> id; bounded */
	struct buf key, raw_key, tmp, func;
};

/* A run of an op, or (launch_id) a replay of a captured one. */
struct inst {
	uint64_t id, order;
	uint32_t op;
	bool pending;   /* a backward frame whose node has not come yet */
	bool need_node; /* a frame that had work before its node came */
	bool args;      /* opened by an argument marker */
	bool replay, has_launch;
	uint32_t fwd_op;
	int phase;
	struct proc *p;
	struct thread *th; /* NULL for replays */
	int64_t start, end, seq;
	uint64_t fwd_inst; /* 0: none */
	int64_t launch_id;
	int64_t gpu_lo, gpu_hi;
	struct ivl gpu;
	int64_t api_end, api_ns;
	uint64_t n_kern, n_gpu, n_call;
	struct inst *next_free;
};

/* A range that is open on a thread. Below "linked" are figures that follow
 * from the ranges under it; open_link() makes them. */
struct open {
	int64_t id, start, end, seq;
	enum marker_kind kind;
	bool layered; /* text is a part of the layer path */
	bool dead;    /* a marker that was never popped: makes no op */
	bool hidden;  /* groups ops (gradient checkpointing): looked through */
	int own_phase;
	uint32_t name, mod; /* numbers in corr.names, for PyProf's rules */
	struct buf text;    /* layered: escaped; MK_TRACE: as it was */
	struct inst *own;   /* the run that it opened */
	uint64_t order;     /* of a frame's own, when it was opened */
	struct proj *proj;
	/* linked */
	int64_t min_end;
	struct inst *cur; /* what work launched now belongs to */
	int phase;        /* of the outermost range that names one */
	int n_bwd;        /* backward ranges among these */
	int n_dead, n_user;
	bool again;       /* inside a gradient checkpoint */
	size_t layer_len; /* of thread.layer */
};

struct thread {
	struct proc *p;
	int64_t tid;
	struct open *v;
	size_t n, cap;
	struct buf layer;
	uint32_t last_fwd; /* forward op of the last backward node */
	uint64_t last_fwd_inst;
	bool any_op, autograd; /* autograd: its first op was a backward */
	bool phased;           /* is in its process's list */
};

/* The newest 2^20 numbers of a counter; see pair.c. */
struct recent {
	struct recent_slot *slot;
	size_t cap;
	uint64_t evicted;
};

/* PyProf's running figures over the kernels of a process. */
struct pyprof {
	int64_t prev_seq;
	int64_t prev_sub;
	uint64_t prev_op;
	struct recent seq, alt; /* last forward kernel of a sequence id */
};

struct proc {
	int64_t pid;
	struct map threads; /* tid -> struct thread * */
	struct thread **phased;
	size_t n_phased;
	bool has_call;
	int64_t first_corr; /* of the first API call */
	bool has_args;      /* argument markers were seen */
	bool has_op_id;     /* texts of PyTorch 1.12 or later */
	struct recent fwd;  /* sequence id -> forward op */
	struct recent bwd;  /* op id -> backward op, for AccumulateGrad */
	struct pyprof py;
	struct map nodes; /* graph node -> number in node + 1 */
	struct node *node;
	size_t n_node, cap_node;
	struct captured *cap;
	size_t n_cap, cap_cap;
	bool has_launch; /* the launch call's record was seen */
	int64_t launch_corr, launch_id;
};

struct proj { /* a range's projection: --ranges */
	uint64_t order;
	int64_t id, start, end, parent;
	bool has_parent, has_dur;
	int64_t level, n_child, gpu_lo, gpu_hi;
	uint64_t n_gpu;
	struct ivl gpu;
	struct buf rest; /* pid .. text, as fields */
	struct proj *next_free;
};

struct closing { /* a run or a projection that closes at end */
	int64_t end;
	uint64_t order; /* of opening; later ones close first */
	bool is_proj;
	void *p;
};

struct corr {
	struct stage *st;
	bool all_ranges; /* --ranges */
	bool brief;      /* -q: no summary */
	bool spaced;     /* texts with a namespace were seen: aten:: */
	bool old;        /* ops without one were */
	int64_t now;
	bool has_end;
	int64_t end; /* of the recording: a marker that ends there leaked */
	struct smap procs;
	struct thread *last;
	struct buf last_key;
	struct proc *last_proc;
	struct ops ops;
	struct smap names; /* op names, for PyProf's rules; bounded */
	struct closing *heap;
	size_t n_heap, cap_heap;
	struct proc *launching; /* the graph launch that runs now: */
	int64_t launch_at, launch_corr;
	struct inst **replay;
	size_t n_replay, cap_replay;
	struct inst *free_inst;
	struct proj *free_proj;
	uint64_t n_inst, order;
	uint64_t n_why[WHY_N];
	int64_t gpu_ns, why_ns[WHY_N];
	uint64_t n_damaged, n_broken, n_leaked, n_unended, n_crossing,
	    n_backwards, n_unpaired, n_late, n_no_args;
	struct buf tmp, tmp2;
};

enum work_type { W_KERN, W_COPY, W_SET, W_SYNC, W_GRAPH, W_CALL, W_N };

/* One GPU activity or API call, as its record says. */
struct work {
	enum work_type type;
	bool has_api;  /* launched by a call in the profile */
	bool own_call; /* and that call has no record of its own */
	bool has_gpu;  /* start and duration on the GPU are known */
	bool has_node;
	int64_t id, start, end, api_start, api_end, corr, node;
	struct text what; /* short kernel name, or API name; escaped */
	struct thread *th;
	struct proc *p;
};

/* What is found out about it. */
struct place {
	struct inst *in; /* NULL: unassociated */
	uint32_t op;
	enum why why;
	int phase;
	enum {
		PHASE_BY_RANGE,  /* of the thread */
		PHASE_BY_THREAD, /* a guess: of another thread */
		PHASE_BY_GRAPH,  /* when the graph was captured */
	} phase_by;
	struct text layer;
};

/* engine.c: time goes on; what has ended by then closes. */
void corr_now(struct corr *c, int64_t t);
void corr_reset(struct corr *c); /* a section begins */
void corr_end(struct corr *c);   /* it ends: notes */
const char *why_word(enum why w);

/* thread.c */
struct proc *proc_of(struct corr *c, const char *src, size_t nsrc, int64_t pid);
struct thread *thread_of(struct corr *c, struct proc *p, int64_t tid);
void thread_sweep(struct corr *c, struct thread *th); /* pops what ended */
struct open *thread_push(struct thread *th); /* zeroed but for its text */
void open_link(struct thread *th, size_t i);
struct open *thread_top(struct thread *th); /* NULL: nothing open */
void procs_free(struct corr *c);

/* phase.c: the phase that a range's text names, or 0; its word; the phase of
 * work launched now on a thread (NULL: none), *guess: from another's range. */
int phase_of_text(const char *s, size_t n);
const char *phase_word(int phase);
int phase_now(struct corr *c, struct proc *p, struct thread *th, bool *guess);

/* range.c: a range begins; called before its record is written. */
struct range {
	int64_t id, start, end;
	bool has_end;
	bool crossing;    /* ends on another thread */
	bool backwards;   /* ends before it starts */
	bool nests;       /* push/pop, not start/end */
	const char *text; /* unescaped */
	size_t n;
	const char *domain;
	struct thread *th;
	struct proc *p;
};
/* The thread must be swept. Returns the range as open (valid until the next
 * call); its kind tells whether it is a user's. */
struct open *range_begin(struct corr *c, const struct range *r);

/* ops.c: finds or makes the op (its record is written when it is new). */
uint32_t op_of_range(struct corr *c, struct thread *th, const struct marker *m);
uint32_t op_of_args(
    struct corr *c, struct thread *th, struct marker *m, bool bwd);
uint32_t op_of_backward(
    struct corr *c, struct thread *th, const struct marker *m, uint32_t fwd);
uint32_t op_unassociated(struct corr *c, struct text layer, struct text what);
const struct op *op_get(const struct corr *c, uint32_t id);
void ops_free(struct corr *c);

/* inst.c */
struct inst *inst_open(
    struct corr *c, struct thread *th, uint32_t op, int64_t start, int64_t end);
void inst_drop(struct corr *c, struct inst *in); /* a pending one */
void inst_schedule(struct corr *c, struct inst *in);
void inst_write(struct corr *c, struct inst *in); /* and frees it */
void inst_add(struct inst *in, const struct work *w);
struct inst *inst_alloc(struct corr *c);
/* heap.c: what will close; heap_pop() takes the first. */
void heap_push(
    struct corr *c, int64_t end, uint64_t order, bool is_proj, void *p);
struct closing heap_pop(struct corr *c);

/* pair.c: maps of sequence and op ids that keep the newest. */
struct recent_val {
	uint32_t op;
	uint32_t name; /* PyProf's name, in corr.names; else SMAP_NONE */
	uint64_t inst;
};
void recent_put(struct recent *m, int64_t key, struct recent_val v);
bool recent_get(struct recent *m, int64_t key, struct recent_val *v);
void recent_free(struct recent *m);
/* The forward of a backward node. */
bool pair_forward(struct corr *c, struct thread *th, const struct marker *m,
    struct recent_val *v);

/* pyprof.c: PyProf's columns of a kernel. */
struct pycols {
	bool has_seq, over; /* over: mod, op and dir replace the op's */
	int64_t seq, sub;
	struct text mod, op;
	bool bwd;
	struct buf alt; /* comma separated */
};
void pyprof_kernel(struct corr *c, const struct work *w, const struct place *pl,
    struct pycols *o);
uint32_t corr_name(struct corr *c, const char *s, size_t n);
bool pyprof_mode(const struct proc *p);

/* graph.c */
void graph_node(struct corr *c, struct thread *th, struct proc *p, int64_t node,
    bool has_orig, int64_t orig);
/* Finds what a graph node's work was captured from; false: not known. */
bool graph_place(struct corr *c, const struct work *w, struct place *pl);
void graph_launch_end(struct corr *c);

/* proj.c: --ranges. proj_begin() is for the top of the thread; rest: the fields
 * pid to text of the range's record, each with its TAB. */
void proj_begin(struct corr *c, struct thread *th, const struct range *r,
    const struct buf *rest);
void proj_work(struct corr *c, struct thread *th, const struct work *w);
void proj_write(struct corr *c, struct proj *pr);
void proj_free(struct corr *c);

/* work.c: places work, counts it. */
void work_place(struct corr *c, const struct work *w, struct place *pl);
/* The run that work launched on the thread now belongs to, or NULL; the
 * thread must be swept. */
struct inst *thread_inst(struct corr *c, struct thread *th);

/* write.c: the records that are added. */
void write_op(const struct op *op);
void write_inst(const struct corr *c, const struct inst *in);
void write_types(void);

#endif
