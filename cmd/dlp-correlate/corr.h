/*
 * The state of dlp-correlate, and the files that use it. A record of work goes
 *
 *	corr_feed.c	from the stream into a struct corr_work; time goes on
 *	corr_thread.c	to its process, its thread and the ranges open there
 *	corr_place.c	to the run that launched it, its phase and layer
 *	corr_comm.c	if it is communication, to an op and a run of its own
 *	corr_dtype.c	with the type of what it moves
 *	corr_ops.c	into the sums of that run
 *	corr_xla.c	or of XLA's, if that is known by the kernel's name only
 *	corr_write.c	back into the stream, with columns added
 *
 * and a range from corr_feed.c to corr_range.c, which opens runs of ops. Runs
 * are written when time has passed their ends. All times are nanoseconds of
 * the stream.
 */
#ifndef DLP_CORR_H
#define DLP_CORR_H

#include "buf.h"
#include "comm.h"
#include "ivl.h"
#include "map.h"
#include "marker.h"
#include "openrange.h"
#include "out.h"
#include "stage.h"
#include "timeheap.h"

/*
 * The table of ops: the data that all runs of an op share. Two runs are of the
 * same op if layer path, name, direction, input shapes, scalar arguments and
 * call trace agree.
 *
 * A new op is drafted, stored as one block of memory, and its record written:
 *
 *	key_begin(&t->key, 'R', layer.s, layer.n);
 *	key_put(&t->key, name.s, name.n);	the op's identity
 *	if ((id = ident_find(t, &at)) != OP_NONE)
 *		return id;
 *	draft_begin(t, &d);
 *	draft_view(&d, OF_OP, type);
 *	return draft_done(t, &d, at);
 */

struct escaped { /* a text as in the stream, owned by another struct; or NULL */
	const char *s;
	size_t n;
};

#define OP_NONE 0u /* ops are numbered from 1 */

#define OF_GROUPS 6 /* columns about process groups */

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
	OF_REPR,
	OF_GROUP, /* the first of OF_GROUPS; unset but of communication */
	OF_N = OF_GROUP + OF_GROUPS
};

struct corr_op {         /* one block of memory holds it and its texts */
	uint32_t id;     /* its place in the table, used again after
			  * op_drop() */
	uint32_t no;     /* its number in the stream */
	uint32_t fwd_no; /* no of the forward op of a backward, or OP_NONE */
	uint32_t for_no; /* no of the op that launched it: of communication */
	bool bwd;
	bool comm;   /* communication */
	bool no_dir; /* neither forward nor backward, as far as is known */
	bool none;   /* stands for work that no op launched; has no_dir, too */
	bool marker; /* found by an argument marker */
	bool once;   /* has a single run and is dropped with it */
	struct escaped f[OF_N];
};

struct draft { /* of an op; its texts lie one after the other in mem */
	struct corr_op op;
	size_t at[OF_N];
	struct buf *mem;
};

/* Hooks of compat.h; none when zeroed. */
struct op_hooks {
	void *ctx;       /* passed to all hooks */
	bool bare_names; /* work outside of ops is named without layer path */
	/* Appends the name of an op that its argument marker does not name. If
	 * it appends nothing, module and function make the name as usual. */
	void (*args_name)(void *ctx, const struct marker *m, struct buf *name);
	/* Called when the op of a framework's range is drafted. */
	void (*range)(void *ctx, struct draft *d, const struct marker *m);
	/* The place that holds the id of the op that a new one is identical to;
	 * the place holds OP_NONE if there is no such op yet. */
	uint64_t *(*same)(void *ctx, const struct corr_op *op);
	/* Additional columns, after the usual ones, and their fields. */
	const char *const *cols;
	int n_cols;
	void (*write)(void *ctx, const struct corr_op *op);
	void (*clear)(void *ctx); /* called when a section has ended */
};

struct corr_ops {           /* zeroed, then ops_init() */
	struct corr_op **v; /* by id - 1 */
	struct store mem;   /* for all ops except those of one run */
	size_t n, cap;
	uint32_t n_no;    /* numbers given so far */
	uint32_t *unused; /* ids of dropped ops */
	size_t n_unused, cap_unused;
	struct smap ident;       /* identity of an op -> id */
	struct smap raw;         /* marker text and its place -> id; bounded */
	struct buf key, raw_key; /* keys for these two */
	struct buf draft;        /* texts of the draft */
	struct buf stack, func;  /* of the call trace that was read last */
	struct buf tmp;
	struct markers *markers;
	struct out_type *type[2]; /* without and with groups; NULL: not used */
	bool groups; /* ops of this section have columns about process groups,
		      * as ##info said before the first op */
	struct op_hooks hooks;
	uint64_t n_damaged, n_no_args; /* markers; for the notes */
};

/* Called after the hooks are set. The caller still owns markers. */
void ops_init(struct corr_ops *t, struct markers *markers);
void ops_clear(struct corr_ops *t); /* empties the table, figures included */
void ops_free(struct corr_ops *t);

/*
 * Each finds or makes the op and returns its id; a new op's record is written.
 * layer: the layer path around it; what: a short kernel name or API name. A
 * marker's texts are copied.
 */
uint32_t op_of_range(
    struct corr_ops *t, struct escaped layer, const struct marker *m);
/* trace: text of the call trace marker around it; repr: the self-description of
 * the recurrent module around it. s is NULL if there is none. */
uint32_t op_of_args(struct corr_ops *t, struct escaped layer,
    struct mview trace, struct mview repr, struct marker *m, bool bwd);
/* fwd: the forward op, or OP_NONE. */
uint32_t op_of_backward(struct corr_ops *t, struct escaped layer,
    const struct marker *m, uint32_t fwd);
/* An op of XLA, by its HLO name, which becomes its type, too. text: what the
 * framework says about it, or NULL. */
uint32_t op_of_hlo(struct corr_ops *t, struct escaped layer,
    struct escaped name, const struct marker *m, enum marker_dir dir);
uint32_t op_unassociated(
    struct corr_ops *t, struct escaped layer, struct escaped what);
/* An op of its own for one call; it lives until op_drop(). */
uint32_t op_of_call(
    struct corr_ops *t, struct escaped layer, struct escaped what);
void op_drop(struct corr_ops *t, uint32_t id);

/* What is known of a collective; views, not escaped except the layer. */
struct comm_words {
	const char *kind; /* all_reduce */
	bool by_range;    /* a range says so; otherwise all below is unset */
	enum marker_by by;
	struct mview mod, name, sizes;
	struct mview group; /* a list of the columns from OF_GROUP on */
	const char *dtype;  /* float32; NULL if unknown */
};

/* Communication in that layer, launched by the op for_op (or OP_NONE). */
uint32_t op_of_comm(struct corr_ops *t, struct escaped layer, uint32_t for_op,
    const struct comm_words *w);

/* The direction: fprop, bprop or comm; NULL if no op launched the work. */
const char *op_dir(const struct corr_op *op);

static inline const struct corr_op *
op_get(const struct corr_ops *t, uint32_t id)
{
	return t->v[id - 1];
}

/* The identity of an op, built in t->key. */
void key_begin(struct buf *k, char what, const char *layer, size_t n);

/* The op with the identity in t->key; OP_NONE if it is new: then *at is its
 * place for draft_done(). */
uint32_t ident_find(struct corr_ops *t, uint32_t *at);

/* One op is drafted at a time. Texts are copied. Raw texts must be escaped
 * already; the others are escaped here. NULL leaves the field unset. */
void draft_begin(struct corr_ops *t, struct draft *d);
void draft_raw(struct draft *d, enum op_field f, const char *s, size_t n);
void draft_view(struct draft *d, enum op_field f, struct mview v);

/* Stores the draft in the place that ident_find() returned, and writes its
 * record. */
uint32_t draft_done(struct corr_ops *t, struct draft *d, uint32_t ident);

struct corr;

/* Work: GPU activities and API calls. */

enum work_type { W_KERN, W_COPY, W_SET, W_SYNC, W_GRAPH, W_CALL, W_N };

struct corr_work {
	enum work_type type;
	bool has_api;  /* launched by a call in the profile */
	bool own_call; /* and that call has no record of its own */
	bool has_gpu;  /* start and duration on the GPU are known */
	bool has_node;
	const struct comm_type *comm; /* it moves data between GPUs; or NULL */
	int64_t dev;                  /* -1 if unknown */
	int64_t id, start, end, api_start, api_end, corr, node;
	int64_t name_id;     /* of the full name of a kernel; -1: unknown */
	struct escaped what; /* short kernel name, or API name */
	struct corr_thread *th;
	struct corr_proc *p;
};

enum why { /* work belongs to no op */
	WHY_NONE,
	WHY_BEFORE,   /* launched before the first API call of its process */
	WHY_NO_API,   /* no API call in the profile */
	WHY_NO_RANGE, /* no range open on the thread of the call */
	WHY_USER,     /* only the program's own ranges */
	WHY_UNCLOSED, /* inside a marker that was never popped */
	WHY_GRAPH,    /* graph node of unknown origin, launched outside ops */
	WHY_LIBRARY,  /* a library's kernel in a command buffer of XLA */
	WHY_N
};

struct corr_place {           /* the op and layer of a work record */
	struct corr_inst *in; /* NULL if it belongs to no op */
	uint32_t op;
	enum why why;
	bool kern;     /* it is a kernel */
	uint32_t prim; /* the product that it is part of; 0 if none */
	uint64_t prim_run;
	uint32_t told;             /* see comm_told() */
	enum ynu captured;         /* in the profile, a graph's kernel; or
				    * YNU_UNKNOWN */
	uint32_t comm_op;          /* communication: its own op; or OP_NONE */
	struct corr_inst *comm_in; /* and run; NULL if in is */
	int phase;
	enum {
		PHASE_BY_RANGE,  /* of the thread */
		PHASE_BY_THREAD, /* a guess, from another thread */
		PHASE_BY_GRAPH,  /* when the graph was captured */
	} phase_by;
	struct escaped layer;
};

/* Runs of ops; corr_ops.c. */

struct corr_inst { /* a run of an op, or (replay) of a captured one */
	uint64_t id, order;
	uint32_t op;
	bool pending;   /* a backward frame whose node has not come yet */
	bool need_node; /* a frame that had work before its node came */
	bool args;      /* opened by an argument marker */
	bool replay, has_launch, has_tid;
	uint32_t fwd_op;
	int phase;
	int64_t pid, tid;
	struct escaped src; /* of its process */
	int64_t start, end, seq;
	uint64_t fwd_inst; /* 0: none */
	int64_t launch_id;
	int64_t gpu_lo, gpu_hi;
	struct ivl_by gpu; /* by device */
	int64_t api_end, api_ns;
	uint64_t n_kern, n_gpu, n_call;
	struct corr_inst *next_free;
};

enum { CLOSE_INST, CLOSE_PROJ };

struct closing { /* runs and projections that are open, by their ends */
	struct timeheap heap;
	uint64_t order; /* counts the runs and projections opened so far */
};

struct insts {                   /* zeroed except closing */
	struct closing *closing; /* shared with the projections */
	struct corr_inst *free;
	uint64_t n;
};

/* If two end at the same time, the one opened later closes first. The caller
 * still owns p. */
void closing_add(
    struct closing *q, int kind, int64_t end, uint64_t order, void *p);

/* An empty run of no op; owned by s. */
struct corr_inst *inst_new(struct insts *s);

/* Called when the op of the run is known: the run gets its number, and its
 * place in closing. */
void inst_schedule(struct insts *s, struct corr_inst *in);

void inst_drop(struct insts *s, struct corr_inst *in); /* drops a run that
							* turned out not to
							* be one */
void inst_add(struct corr_inst *in, const struct corr_work *w);

/* Adds the API call of w only. */
void inst_add_call(struct corr_inst *in, const struct corr_work *w);
void insts_free(struct insts *s);

/* Processes, threads, and the ranges open on them; corr_thread.c. */

struct recent_val {
	uint32_t op;
	uint32_t name; /* compat_pyprof.c's number of a name */
	uint64_t inst;
	uint64_t prim_run; /* the product in it that ran with the key */
};

struct recent { /* sequence ids and op ids: the newest 2^20; empty when
		 * zeroed */
	struct recent_slot *slot;
	size_t cap;
	uint64_t evicted; /* lookups of ids that newer ones had pushed out */
};

/* A negative key is ignored. */
void recent_put(struct recent *m, int64_t key, struct recent_val v);
bool recent_get(struct recent *m, int64_t key, struct recent_val *v);
void recent_free(struct recent *m);

/* A range that is open on a thread. open_link() computes the last fields from
 * the ranges below it on the stack. */
struct corr_open {
	struct openrange span; /* must be the first member */
	int64_t id, seq;
	enum marker_kind kind;
	bool layered; /* text is a part of the layer path */
	bool dead;    /* a marker that was never popped, which makes no op */
	bool hidden;  /* groups ops (gradient checkpointing): the search for
		       * an op looks through it */
	bool buffer;  /* of XLA, around the launch of a CUDA graph; text is
		       * its name */
	int own_phase;
	int64_t
	    text_id; /* of the str record with the whole text; 0: none yet */
	uint32_t name, mod;    /* compat_pyprof.c's numbers of names */
	struct buf text;       /* the text: if layered, escaped; MK_TRACE:
				* unchanged; MK_REPR: strRepr */
	struct corr_inst *own; /* the run that it opened */
	uint64_t order;        /* of a frame: order of its own run when it
				* was opened */
	struct projection *proj;
	int64_t conv_id;   /* the op id if it is a convolution, as its
			    * result's producer */
	uint32_t own_prim; /* the range itself is this product */
	uint64_t own_prim_run;
	int64_t op_id; /* of a framework's range; otherwise 0 */
	bool subclass; /* dispatches an op of a tensor subclass, DTensor's */
	uint32_t own_told; /* what it adds to told */
	/* linked */
	struct corr_inst *cur; /* work launched now belongs to this run */
	uint32_t prim;         /* and to this product in it; 0 if none */
	uint64_t prim_run;
	uint32_t told; /* the collective that it is part of; 0 if none */
	int phase;     /* named by the outermost range that names a phase */
	int n_bwd;     /* number of backward ranges below and including it */
	int n_dead, n_user;
	bool again;       /* inside a gradient checkpoint */
	size_t layer_len; /* of thread.layer */
};

struct corr_thread {
	struct corr_proc *p;
	int64_t tid;
	struct openranges open; /* of struct corr_open */
	struct buf layer;
	uint32_t last_fwd; /* forward op of the last backward node */
	uint64_t last_fwd_inst;
	bool any_op, autograd;     /* autograd: its first op was a backward */
	struct copied *copied;     /* its latest copies; or NULL */
	bool phased;               /* it is in its process's list of phased
				    * threads */
	struct dlprof_thread *dlp; /* state of compat_dlprof.c, which the
				    * core free()s */
};

struct corr_proc {
	int64_t pid;
	struct escaped src;          /* the file, if the input has several */
	struct map threads;          /* tid -> struct corr_thread * */
	struct corr_thread **phased; /* threads that had a range that names a
				      * phase */
	size_t n_phased, cap_phased;
	bool begun; /* a range or call of it was recorded */
	bool has_call;
	int64_t first_corr; /* correlation id of the first API call */
	bool has_args;      /* argument markers were seen */
	bool has_op_id;     /* texts of PyTorch 1.12 or later */
	struct recent fwd;  /* sequence id -> forward op */
	struct recent bwd;  /* op id -> backward op, for AccumulateGrad */
	struct capture_graphs *graphs;
	struct xla *xla;
	bool has_launch; /* the record of the launch call was seen */
	int64_t launch_corr, launch_id;
	struct pyprof_proc *py;  /* state of compat_pyprof.c */
	struct dlprof_proc *dlp; /* state of compat_dlprof.c, which the core
				  * free()s */
};

/* The str records of long texts, which the layer path has by reference. */
struct long_texts {
	struct map written; /* ids of this section */
	int n, id, text;    /* columns of the input's latest legend, and where
			     * these two are; n 0: it has no legend yet */
};

struct threads { /* zeroed except insts */
	struct long_texts texts;
	struct smap procs; /* source and pid -> struct corr_proc * */
	struct corr_thread *last;
	struct buf key;
	struct corr_proc *last_proc;
	struct insts *insts; /* frames that turn out not to be runs are
			      * dropped there */
	int64_t now;
};

/* Finds or creates the process; ts owns it. src is the record's file (s NULL if
 * there is one file), because several files in one stream can have the same
 * pids. */
struct corr_proc *proc_of(struct threads *ts, struct mview src, int64_t pid);
struct corr_thread *corr_thread_of(
    struct threads *ts, struct corr_proc *p, int64_t tid);

/* Process i, from 0; NULL after the last. */
struct corr_proc *proc_nth(const struct threads *ts, size_t i);

/* Drops the ranges that have ended. Call it before looking at a thread's
 * ranges. */
void thread_sweep(struct threads *ts, struct corr_thread *th);

/* Pushes a new innermost range, zeroed except its text. */
struct corr_open *thread_push(
    struct corr_thread *th, int64_t start, int64_t end);
void open_link(struct threads *ts, struct corr_thread *th, size_t i);
void thread_phased(struct corr_thread *th); /* a range on the thread names a
					     * phase */
void procs_free(struct threads *ts);        /* does not free py and graphs */

/* Range i, from the outermost one. */
static inline struct corr_open *
thread_at(const struct corr_thread *th, size_t i)
{
	return (struct corr_open *)(void *)th->open.v + i;
}

/* The innermost range; NULL if no range is open. */
static inline struct corr_open *
thread_top(const struct corr_thread *th)
{
	return th->open.n > 0 ? thread_at(th, th->open.n - 1) : NULL;
}

static inline struct escaped
thread_layer(const struct corr_thread *th)
{
	return (struct escaped){ th->layer.s, th->layer.len };
}

/* Products inside ops; corr_prim.c. */

#define PRIM_WAIT 256 /* convolutions kept until a range reads their result */

struct prims {             /* zeroed except its types */
	struct smap ident; /* name and sizes -> number + 1 */
	struct buf key;
	uint64_t n_run;
	struct prim_wait {
		const struct corr_proc *p;
		int64_t op_id; /* of the range that may have made the result;
				* -1: unknown; 0: free */
		uint64_t run;
	} wait[PRIM_WAIT];
	size_t next, n_wait;
	struct out_type *prim, *result;
};

void prims_init(struct prims *t);

/* If o, the top of the thread with that text, is a product with sizes, the work
 * launched inside belongs to this product; a new one gets a record. up: the
 * range below o on the stack. */
void prim_begin(struct prims *t, struct corr_thread *th, struct corr_open *o,
    const struct corr_open *up, const struct marker *m);

/* Takes the inputs of a range of the process: one may be the result of a
 * convolution, whose own sizes do not include it. */
void prim_inputs(
    struct prims *t, const struct corr_proc *p, const struct marker *m);

/* Takes a backward of the run: its first input has the size of the result. */
void prim_backward(struct prims *t, uint64_t run, const struct marker *m);

void prims_clear(struct prims *t);
void prims_free(struct prims *t);

/* Ranges; corr_range.c. */

struct corr_range { /* a range as its record has it */
	int64_t id, start, end;
	bool has_end;
	bool crossing;    /* ends on another thread */
	bool backwards;   /* ends before it starts */
	bool nests;       /* push/pop, not start/end */
	bool foreign;     /* in a domain that --domain does not name */
	const char *text; /* unescaped */
	size_t n;
	const char *domain;
	struct corr_thread *th;
	struct corr_proc *p;
};

struct range_end { /* the answer of range_begin() */
	enum marker_kind kind;
	int phase;  /* the phase that the range is in */
	bool inner; /* a framework's range inside a run of an op */
};

/* Takes a range that begins. Called before its record is written. */
struct range_end range_begin(struct corr *c, const struct corr_range *r);

/* The run that work launched now on the thread belongs to, or NULL. */
struct corr_inst *current_inst(struct corr *c, struct corr_thread *th);

/* Projections of ranges onto the GPU: --ranges; corr_write.c. */

struct projs {                   /* zeroed, then projs_init() */
	struct closing *closing; /* shared with the runs of ops */
	struct projection *free;
	struct out_type *type[2], *rangekern; /* type: without and with src */
};

void projs_init(struct projs *s, struct closing *closing);

/* r is the top of its thread; rest: the fields pid to text of its record, each
 * with its TAB. */
void proj_begin(
    struct projs *s, const struct corr_range *r, const struct buf *rest);
void proj_work(const struct projs *s, const struct corr_work *w);
void proj_write(struct projs *s, struct projection *pr);
void projs_free(struct projs *s);

/* Communication; corr_comm.c. */

struct comms {    /* zeroed, then comms_init() */
	bool off; /* work stays with the op that launched it */
	struct comm_rules rules;
	struct map by_id;     /* of a kernel's name -> its rule + 1 */
	struct smap told;     /* texts of ranges that tell a collective */
	struct smap words[2]; /* ops, of other ranges and of libraries for
			       * communication -> kind + 1; 0: none */
	struct comm_told {    /* by the number of its text */
		uint8_t kind;
		unsigned dtype; /* of what it moves; see dtype_moved() */
		enum marker_by by;
		size_t n_mod, n_name, n_sizes; /* the text: mod, name, sizes,
						* group */
	} * v;
	size_t n, cap;
	struct buf key;
};

void comms_init(struct comms *t);
void comms_clear(struct comms *t);
void comms_free(struct comms *t);

/* A string of the stream, which may be the name of kernels. */
void comm_string(struct comms *t, int64_t id, const char *s, size_t n);

/* Whether kernels of that name communicate; id: of the full name, or -1. */
const struct comm_type *comm_of_name(
    struct comms *t, int64_t id, const char *brief, size_t n);

/* What a framework's range tells about the collective that its work is part
 * of, as a number; up: what the ranges around it tell. 0: nothing. */
uint32_t comm_told(struct comms *t, uint32_t up, const struct corr_thread *th,
    const struct marker *m);

/* Gives work that communicates an op of its own, and a run if it has one. */
void comm_place(
    struct corr *c, const struct corr_work *w, struct corr_place *pl);

/* Types of what collectives move; corr_dtype.c. */

struct dtypes {           /* empty when zeroed; map_free() by_id */
	struct map by_id; /* of the name of a kernel that copies -> type */
};

/* A string of the stream, which may be the name of kernels. */
void dtype_string(struct dtypes *t, int64_t id, const char *s, size_t n);

/* The thread launches a kernel of that name; th can be NULL. */
void dtype_copy(struct dtypes *t, struct corr_thread *th, int64_t name_id);

/* The type of the first tensor among the inputs of a range, as a number; 0 if
 * the range does not tell. */
unsigned dtype_first(const struct marker *m);

/* The same of the elements that the collective of a range, which begins, moves.
 */
unsigned dtype_moved(const struct corr_thread *th, const struct marker *m);

/* Its name, as in markers; NULL of 0. */
const char *dtype_name(unsigned dtype);

/* CUDA graphs recorded node by node; corr_graph.c. */

#define LAUNCHES 8 /* graph launches whose work can overlap */

struct launch {              /* a launch of a graph, while its work arrives */
	struct corr_proc *p; /* NULL if the place is free */
	int64_t at, corr;
	bool called;   /* all its work arrives at the time of its call */
	uint64_t used; /* when it was used last */
	struct map of; /* captured run, or op << 32 -> number of its replay
			* + 1 */
	struct map hlo_runs; /* HLO name -> runs so far; corr_xla.c */
	size_t hlo_at;       /* Thunks passed so far */
	struct corr_inst **replay;
	size_t n, cap;
};

/* Takes a new node; orig: the node that it was made from. th can be NULL. */
void graph_node(struct corr *c, struct corr_thread *th, struct corr_proc *p,
    int64_t node, bool has_orig, int64_t orig);

/* Finds the op from which a graph node's work was captured; false if it was
 * captured outside of ops. Then pl's layer and phase are set if it was captured
 * in ranges of the program; the layer lives as long as the process. */
bool graph_place(
    struct corr *c, const struct corr_work *w, struct corr_place *pl);

/* The launch that work of a graph belongs to, and in it the run of an op that
 * is known by other means than its capture. */
struct launch *graph_launch(struct corr *c, const struct corr_work *w);
struct corr_inst *graph_run(
    struct corr *c, struct launch *l, const struct corr_work *w, uint32_t op);

/* Ends the launches whose call began before now; INT64_MAX ends all. */
void graph_launch_end(struct corr *c, int64_t now);
void graph_free(struct corr_proc *p);

/* Kernels of XLA's command buffers; corr_xla.c. */

/* Takes a Thunk that begins on the thread. */
void xla_thunk(struct corr_thread *th, const struct marker *m);

/* If w was launched by a command buffer and its name is that of an HLO
 * instruction, sets pl->in to a run of that op; otherwise false. */
bool xla_place(
    struct corr *c, const struct corr_work *w, struct corr_place *pl);
void xla_free(struct corr_proc *p);

/* The op and phase of work; corr_place.c. */

/* Finds the run that launched w, adds w to it and counts it. */
void work_place(
    struct corr *c, const struct corr_work *w, struct corr_place *pl);
const char *why_word(enum why w); /* NULL for WHY_NONE */

/* The phase of work launched now on a thread (NULL if unknown), or 0; *guess is
 * set if the phase is that of another thread's range. */
int phase_now(struct threads *ts, struct corr_proc *p, struct corr_thread *th,
    bool *guess);

int phase_of_text(const char *s, size_t n); /* the phase that a text names,
					     * or 0 */
/* The phase inside a range that names own, where it is outer around it. */
int phase_inside(int outer, int own);
const char *phase_word(int phase); /* NULL for 0 */

/* The output records; corr_write.c. */

struct kern_cols { /* the columns of a kernel that compat.h fills */
	bool has_seq;
	int64_t seq, sub; /* sub -1: none */
	struct buf alt;   /* comma separated */
	bool over;        /* these replace the op's own values: */
	struct escaped mod, op;
	bool bwd;
};

struct corr_types {
	struct out_ext *work[W_N], *range, *alloc; /* columns added */
	struct out_type *inst[2];                  /* without src and with it */
	struct out_type *nest[2];                  /* --nested */
	struct kern_cols kern;                     /* of the current kernel */
};

void write_init(struct corr_types *t);
void write_free(struct corr_types *t);

/* Writes a str record of this text, unless the section has it, and returns its
 * id, which is the same in each run and above those of dlp-parse. */
int64_t write_text(struct long_texts *t, struct escaped text);

/* True if the id of a str record is one of those: the input was correlated. */
bool write_is_text(int64_t id);
void write_work(struct corr *c, const struct corr_work *w,
    const struct corr_place *pl, struct rec *r);
/* The columns of a range that its nest record takes (--nested). */
struct nest_from {
	const struct rec_col *start, *dur, *pid, *tid, *text, *src;
};

void write_nest(const struct corr_types *t, const struct nest_from *from,
    size_t level, const struct rec *r);
void write_range(struct corr *c, const struct corr_thread *th, int phase,
    size_t level, size_t layer_len, struct rec *r);
/* Memory that the thread, NULL: unknown, allocates or frees now. */
void write_alloc(
    struct corr *c, struct corr_proc *p, struct corr_thread *th, struct rec *r);

/* Writes the run's record and drops the run. */
void write_inst(struct corr *c, struct corr_inst *in);

/* The hooks that compat.h sets; a hook that is NULL does nothing. */

enum pair { PAIR_ASK, PAIR_NONE, PAIR_FOUND };

struct corr_hooks {
	void (*section)(struct corr *c);                       /* begins */
	void (*meta)(struct corr *c, const char *s, size_t n); /* ##info */
	void (*marker)(
	    struct corr *c, struct corr_proc *p, const struct marker *m);
	/* A range of the program or of a framework has been opened. */
	void (*named)(struct corr *c, const struct corr_thread *th,
	    struct corr_open *o, const struct marker *m);
	/* True if a framework's range makes an op. */
	bool (*makes_op)(const struct corr_thread *th, const struct marker *m);
	/* An argument marker has opened o->own. */
	void (*args)(struct corr_thread *th, const struct corr_open *o,
	    const struct marker *m);
	/* The forward of a backward node; PAIR_ASK: the usual rules decide. */
	enum pair (*pair)(struct corr_thread *th, const struct marker *m,
	    struct recent_val *v);
	/* True if work does not belong to the run that is open. */
	bool (*is_outside)(const struct corr_work *w);
	/* The run of work that no op launched. */
	struct corr_inst *(*outside)(
	    struct corr *c, const struct corr_work *w, struct escaped layer);
	/* The columns of a kernel; false: its run's values are used. */
	bool (*columns)(struct corr *c, const struct corr_work *w,
	    const struct corr_place *pl, struct kern_cols *cols);
	void (*end)(struct corr *c);   /* end of the section, before the
					* notes */
	void (*notes)(struct corr *c); /* notes of the hooks' own */
	void (*forget)(struct corr *c, struct corr_proc *p); /* the process
							      * is being
							      * freed */
};

/* All of it. */

struct corr_counts { /* figures for the notes */
	uint64_t damaged, broken, leaked, unended, crossing, backwards,
	    unpaired, late;
	uint64_t graphs; /* recorded as a whole */
	int64_t graph_ns;
	uint64_t why[WHY_N];
	int64_t gpu_ns, why_ns[WHY_N];
};

struct corr {            /* zeroed, then options and hooks, then corr_init() */
	bool all_ranges; /* --ranges */
	bool nested;     /* --nested */
	const char *domain; /* --domain; "": the default domain; NULL: all */
	bool spaced;        /* texts with a namespace (aten::) were seen */
	bool old;           /* ops without a namespace were seen */
	bool has_end;
	int64_t end; /* end of the recording: a marker that ends there was
		      * never popped */
	struct markers *markers;
	struct prims prims;
	struct comms comms;
	struct dtypes dtypes;
	struct threads threads;
	struct corr_ops ops;
	struct closing closing;
	struct insts insts;
	struct projs projs;
	struct launch launch[LAUNCHES];
	int n_launch; /* number of launches that have a call */
	uint64_t launch_used;
	struct corr_counts n;
	struct corr_types types;
	struct feed *feed;
	struct corr_hooks hooks;
	struct dlprof_ops *dlprof;   /* state of compat_dlprof.c */
	struct pyprof_names *pyprof; /* state of compat_pyprof.c */
};

void corr_init(struct corr *c);
void corr_free(struct corr *c);
void corr_reset(struct corr *c);          /* called when a section begins */
void corr_now(struct corr *c, int64_t t); /* closes everything that has ended
					   * by then */
void corr_end(struct corr *c);            /* called when a section ends:
					   * prints notes */

/* Binds the record types of an open stage to c; feed_free() frees the bindings.
 */
void feed_start(struct corr *c, struct stage *st);
void feed_free(struct corr *c);

#endif
