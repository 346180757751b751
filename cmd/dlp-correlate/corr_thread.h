/* Processes, threads, and the ranges that are open on them. */
#pragma once

#include "buf.h"
#include "map.h"
#include "marker.h"
#include "openrange.h"

struct corr;

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
	bool in_module;   /* a module runs inside of a backward node, or has
			   * begun to: ops that autograd numbers are computed
			   * again */
	bool deep;        /* the path ends at it or below: it is too long */
	size_t layer_len; /* of thread.layer */
	/* 1 + the place of a range at it or below, 0 if there is none: the
	 * innermost XLA buffer, the innermost that PyProf's rules read, the
	 * outermost other one */
	size_t at_buffer, at_pyprof, at_other;
};

/* A reference to a run that may have been closed since. A closed run's struct
 * is used again for another run, and then its order differs. */
struct run_ref {
	struct corr_inst *in;
	uint64_t order;
};

struct dl_thread {
	bool launches;       /* kernels, outside of ops */
	struct run_ref call; /* of the last call outside of ops */
	int64_t call_corr;
};

struct dl_proc {
	bool has_func;           /* trace markers of DLProf were seen */
	bool has_nvtx;           /* texts of emit_nvtx were seen */
	struct run_ref backward; /* the last run of a backward marker */
};

struct corr_thread {
	struct corr_proc *p;
	int64_t tid;
	struct openranges open; /* of struct corr_open */
	struct buf layer;
	uint32_t last_fwd; /* forward op of the last backward node */
	uint64_t last_fwd_inst;
	bool any_op, autograd; /* autograd: its first op was a backward */
	struct copied *copied; /* its latest copies; or NULL */
	bool phased;           /* it is in its process's list of phased
				* threads */
	struct dl_thread dl;   /* of compat_dlprof.c */
};

struct corr_proc {
	int64_t pid;
	struct mview src;            /* the file, if the input has several */
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
	struct pyprof_proc *py; /* state of compat_pyprof.c */
	struct dl_proc dl;      /* of compat_dlprof.c */
};

struct threads { /* zeroed except insts and texts */
	struct long_texts *texts;
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
void procs_free(struct threads *ts); /* does not free py and graphs */

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

static inline struct mview
thread_layer(const struct corr_thread *th)
{
	return (struct mview){ th->layer.s, th->layer.len };
}

/* The run that work launched now on the thread belongs to, or NULL. */
struct corr_inst *current_inst(struct corr *c, struct corr_thread *th);

/* Phases; corr_phase.c. */

enum { PH_NONE, PH_FWD, PH_BWD, PH_OPT, PH_DATA, PH_N };

int phase_of_text(struct mview v); /* the phase that a text names, or 0 */
/* The phase inside a range that names own, where it is outer around it. */
int phase_inside(int outer, int own);
extern const char *const phase_words[PH_N]; /* NULL for 0 */
void thread_phased(struct corr_thread *th); /* a range on the thread names a
					     * phase */

/* The phase of work launched now on a thread (NULL if unknown), or 0; *guess is
 * set if the phase is that of another thread's range; it may be NULL. */
int phase_now(struct threads *ts, struct corr_proc *p, struct corr_thread *th,
    bool *guess);
