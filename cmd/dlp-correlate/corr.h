/*
 * The state of dlp-correlate. A record of work goes
 *
 *	corr_feed.c	from the stream into a struct corr_work; time goes on
 *	corr_place.c	to the run that launched it, its phase and layer
 *	corr_write.c	back into the stream, with columns added
 *
 * and a range from corr_feed.c to corr_range.c, which opens runs of ops. Runs
 * are written when time has passed their ends. All times are nanoseconds of
 * the stream.
 */
#pragma once

#include "comm.h"
#include "corr_ops.h"
#include "corr_thread.h"
#include "ivl.h"
#include "rec.h"
#include "timeheap.h"

struct stage;

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
	int64_t name_id;   /* of the full name of a kernel; -1: unknown */
	struct mview what; /* short kernel name, or API name */
	struct corr_thread *th;
	struct corr_proc *p;
};

/* The start of its API call or, if that is unknown, its own. */
static inline int64_t
work_launched(const struct corr_work *w)
{
	return w->has_api ? w->api_start : w->start;
}

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
		PHASE_BY_OP,     /* its direction */
	} phase_by;
	struct mview layer;
};

/* Runs of ops; corr_inst.c. */

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
	struct mview src; /* of its process */
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

/* An empty run of no op, of the process and (NULL: unknown) thread; owned by
 * s. */
struct corr_inst *inst_new(
    struct insts *s, const struct corr_proc *p, const struct corr_thread *th);

/* Called when the op of the run is known: the run gets its number, and its
 * place in closing. */
void inst_schedule(struct insts *s, struct corr_inst *in);

/* Drops a run that turned out not to be one. */
void inst_drop(struct insts *s, struct corr_inst *in);

/* Adds work, or its API call only. */
void inst_add(struct corr_inst *in, const struct corr_work *w);
void inst_add_call(struct corr_inst *in, const struct corr_work *w);
void insts_free(struct insts *s);

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

void prims_end(struct prims *t); /* of a section */

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

/* Projections of ranges onto the GPU: --ranges; corr_proj.c. */

struct projs {                   /* zeroed, then projs_init() */
	struct closing *closing; /* shared with the runs of ops */
	struct projection *free;
	struct out_src_type type;
	struct out_type *rangekern;
};

void projs_init(struct projs *s, struct closing *closing);

/* range is the top of its thread, and r its record. */
bool proj_begin(/* false: the range is inside too many others */
    struct projs *s, const struct corr_range *range, const struct rec *r);
void proj_work(const struct projs *s, const struct corr_work *w);
void proj_write(struct projs *s, struct projection *pr);
void projs_free(struct projs *s);

/* Communication; corr_comm.c. */

struct comms {    /* zeroed except the rules */
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

void comms_end(struct comms *t); /* of a section */

/* A string of the stream, which may be the name of kernels. */
void comm_string(struct comms *t, int64_t id, struct mview s);

/* Whether kernels of that name communicate; id: of the full name, or -1. */
const struct comm_type *comm_of_name(
    struct comms *t, int64_t id, struct mview brief);

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
void dtype_string(struct dtypes *t, int64_t id, struct mview name);

/* The thread launches a kernel of that name; th can be NULL. */
void dtype_copy(struct dtypes *t, struct corr_thread *th, int64_t name_id);

/* The type of the first tensor among the inputs of a range, as a number; 0 if
 * the range does not tell. */
unsigned dtype_first(const struct marker *m);

/* Sets b to the types of all inputs, float16,-,int64; false if they have one
 * type, or none. */
bool dtype_list(const struct marker *m, struct buf *b);

/* The same of the elements that the collective of a range, which begins, moves.
 */
unsigned dtype_moved(const struct corr_thread *th, const struct marker *m);

/* Their names, as in markers; NULL of 0. */
extern const char *const dtype_names[];

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

/* The launch that work of a graph belongs to, and in it the run of an op: by
 * the number of its capture or, if it is known by other means, op << 32.
 * captured_phase: used if the launch has none. */
struct launch *graph_launch(struct corr *c, const struct corr_work *w);
struct corr_inst *graph_run(struct corr *c, struct launch *l,
    const struct corr_work *w, uint64_t key, uint32_t op, int captured_phase);

/* Ends the launches whose call began before now; INT64_MAX ends all. */
void graph_launch_end(struct corr *c, int64_t now);
void graph_free(struct corr_proc *p);

/* Kernels of XLA's command buffers; corr_xla.c. */

/* Takes a Thunk that begins on the thread. */
void xla_thunk(struct corr_thread *th, const struct marker *m);

/* If w was launched by a command buffer and its name is that of an HLO
 * instruction, sets pl->in to a run of that op. */
void xla_place(
    struct corr *c, const struct corr_work *w, struct corr_place *pl);
void xla_free(struct corr_proc *p);

/* The op and phase of work; corr_place.c. */

/* Finds the run that launched w, adds w to it and counts it. */
void work_place(
    struct corr *c, const struct corr_work *w, struct corr_place *pl);
extern const char *const why_words[WHY_N]; /* NULL for WHY_NONE */

/* The str records of long texts, which the layer path has by reference;
 * corr_text.c. */

struct long_texts {
	struct map written; /* ids of this section */
	int n, id, text;    /* columns of the input's latest legend, and where
			     * these two are; n 0: it has no legend yet */
};

/* Writes a str record of this text, unless the section has it, and returns its
 * id, which is the same in each run and above those of dlp-parse. */
int64_t text_write(struct long_texts *t, struct mview text);

/* True if the id of a str record is one of those: the input was correlated. */
bool text_is_long(int64_t id);

/* The output records; corr_write.c. */

struct kern_cols { /* the columns of a kernel by PyProf's rules */
	bool has_seq;
	int64_t seq, sub; /* sub -1: none */
	struct buf alt;   /* comma separated */
	bool over;        /* these replace the op's own values: */
	struct mview mod, op;
	bool bwd;
};

struct corr_types {
	struct out_ext *work[W_N], *range, *alloc; /* columns added */
	struct out_src_type inst, nest;            /* nest: --nested */
	struct kern_cols kern;                     /* of the current kernel */
};

void write_init(struct corr_types *t);

void write_work(struct corr *c, const struct corr_work *w,
    const struct corr_place *pl, struct rec *r);
void write_nest(struct corr_types *t, size_t level, const struct rec *r);
void write_range(struct corr *c, const struct corr_thread *th, int phase,
    size_t level, size_t layer_len, struct rec *r);
/* Memory that the thread, NULL: unknown, allocates or frees now. */
void write_alloc(
    struct corr *c, struct corr_proc *p, struct corr_thread *th, struct rec *r);

/* Writes the run's record and drops the run. */
void write_inst(struct corr *c, struct corr_inst *in);

/* PyProf's columns of kernels: seq, altseq and sub; compat_pyprof.c. If a
 * profile has PyProf's markers and nothing newer than PyProf can read, its
 * rules also decide direction, module, op (except with --dlprof) and the pairs
 * of forward and backward. */

struct pyprof_names *py_new(void);
void py_end(struct corr *c); /* of a section */

/* A range of the program or of a framework has been opened. */
void py_named(struct corr *c, const struct corr_thread *th, struct corr_open *o,
    const struct marker *m);

/* True if the rules decide about pairs; then *found: the forward of a backward
 * node is v. */
bool py_pair(struct corr_thread *th, const struct marker *m,
    struct recent_val *v, bool *found);

/* The columns of a kernel; false: its run's values are used. */
bool py_columns(struct corr *c, const struct corr_work *w,
    const struct corr_place *pl, struct kern_cols *cols);

/* --dlprof: DLProf's ops; compat_dlprof.c. Without the option c->ops.dl is NULL
 * and only the mode's functions are called. */

struct dl_mode {                /* DLProf's word for the framework */
	const char *given_word; /* --mode; NULL: the markers decide */
	/* zeroed: nothing seen */
	unsigned by; /* frameworks whose ops were seen, a bit each */
	bool tf2;    /* names as TensorFlow 2 makes them */
	bool tf1;    /* the recorder says it was TensorFlow 1 */
	bool given;  /* the input has its mode */
};

void dl_init(struct corr *c, struct stage *st);
void dl_meta(struct corr *c, struct mview v); /* ##info */
void dl_end(struct corr *c); /* writes the mode as ##info, before the notes */
void dl_marker(struct corr *c, struct corr_proc *p, const struct marker *m);

/* True if a framework's range makes an op. */
bool dl_makes_op(const struct corr_thread *th, const struct marker *m);

/* An argument marker has opened o->own. */
void dl_args(
    struct corr_thread *th, const struct corr_open *o, const struct marker *m);

/* True if work does not belong to the run that is open. */
bool dl_is_outside(const struct corr_work *w);

/* The run of work that no op launched. */
struct corr_inst *dl_outside(
    struct corr *c, const struct corr_work *w, struct mview layer);
uint64_t dl_shared(const struct corr_ops *t); /* calls that share ops */

/* Of corr_ops.c: the op of a framework's range is drafted; the place that holds
 * the id of the op that a new one is identical to, or OP_NONE; additional
 * columns, after the usual ones, and their fields. */
void dl_range(
    struct dlprof_ops *d, struct draft *draft, const struct marker *m);
uint64_t *dl_same(struct dlprof_ops *d, const struct corr_op *op);
#define DL_COLS 4
extern const char *const dl_cols[DL_COLS];
void dl_write(struct dlprof_ops *d, const struct corr_op *op);
void dl_free(struct dlprof_ops *d); /* its texts, when a section has ended */

/* All of it. */

struct corr_counts { /* figures for the notes */
	uint64_t damaged, broken, leaked, unended, crossing, backwards,
	    unpaired, late, too_deep, unprojected;
	uint64_t graphs; /* recorded as a whole */
	int64_t graph_ns;
	uint64_t why[WHY_N];
	int64_t gpu_ns, why_ns[WHY_N];
};

struct corr {               /* zeroed, then options, then corr_init() */
	bool all_ranges;    /* --ranges */
	bool nested;        /* --nested */
	bool dlprof;        /* --dlprof */
	bool quiet;         /* --quiet, or dlp-carry comes behind */
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
	struct long_texts texts;
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
	struct buf text, domain_buf; /* of a range, unescaped */
	struct dl_mode mode;
	struct pyprof_names *pyprof; /* state of compat_pyprof.c */
};

/* Runs the stage to its end; returns the exit status. */
int corr_run(struct corr *c, struct stage *st);
void corr_section(struct stage *st);      /* one begins */
void corr_end(struct stage *st);          /* it ends: prints notes */
void corr_now(struct corr *c, int64_t t); /* closes everything that has ended
					   * by then */

/* Binds the record types of an open stage to c. */
void feed_start(struct corr *c, struct stage *st);
