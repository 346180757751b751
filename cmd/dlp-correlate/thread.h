/* Processes with their threads, each thread with the ranges open on it. */
#ifndef DLP_THREAD_H
#define DLP_THREAD_H

#include "buf.h"
#include "inst.h"
#include "map.h"
#include "marker.h"
#include "recent.h"

struct graphs; /* graph.c's part of a process */
struct proj;
struct pyprof; /* pyprof.c's */

/* A range that is open on a thread. Below "linked" are figures that follow
 * from the ranges under it; open_link() makes them. */
struct open {
	int64_t id, start, end, seq;
	enum marker_kind kind;
	bool layered; /* text is a part of the layer path */
	bool dead;    /* a marker that was never popped: makes no op */
	bool hidden;  /* groups ops (gradient checkpointing): looked through */
	int own_phase;
	uint32_t name, mod; /* struct names; for PyProf's rules */
	struct buf text;    /* layered: escaped; MK_TRACE: as it was;
				    MK_REPR: strRepr */
	struct inst *own;   /* the run that it opened */
	uint64_t order;     /* of a frame's own, when it was opened */
	struct proj *proj;
	int64_t conv_id;   /* its op id, if it is a convolution's */
	uint32_t own_prim; /* a product: prim.h */
	uint64_t own_prim_run;
	/* linked */
	int64_t min_end;
	struct inst *cur; /* what work launched now belongs to */
	uint32_t prim;    /* and the product within it; 0: none */
	uint64_t prim_run;
	int phase; /* of the outermost range that names one */
	int n_bwd; /* backward ranges among these */
	int n_dead, n_user;
	bool again;       /* inside a gradient checkpoint */
	size_t layer_len; /* of thread.layer */
};

struct run_ref { /* a run that may have closed: then its order differs */
	struct inst *in;
	uint64_t order;
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
	bool launches;         /* kernels, outside of ops (--dlprof) */
	struct run_ref call;   /* of the last call outside of ops (--dlprof) */
	int64_t call_corr;
};

struct proc {
	int64_t pid;
	struct text src;    /* the file, escaped, where the input tells it */
	struct map threads; /* tid -> struct thread * */
	struct thread **phased; /* that had a range that names a phase */
	size_t n_phased;
	bool has_call;
	int64_t first_corr;      /* of the first API call */
	bool has_args;           /* argument markers were seen */
	bool has_func;           /* trace markers of DLProf were */
	bool has_nvtx;           /* texts of emit_nvtx were */
	struct run_ref backward; /* the last run of a marker backward */
	bool has_op_id;          /* texts of PyTorch 1.12 or later */
	struct recent fwd;       /* sequence id -> forward op */
	struct recent bwd;       /* op id -> backward op, for AccumulateGrad */
	struct pyprof *py;
	struct graphs *graphs;
	bool has_launch; /* the launch call's record was seen */
	int64_t launch_corr, launch_id;
};

struct threads {           /* zeroed but for insts */
	struct smap procs; /* source and pid -> struct proc * */
	struct thread *last;
	struct buf key;
	struct proc *last_proc;
	struct insts *insts; /* where runs are dropped that were none */
	int64_t now;
};

/* Found or made; owned by ts. src tells the files of one stream apart. */
struct proc *proc_of(
    struct threads *ts, const char *src, size_t nsrc, int64_t pid);
struct thread *thread_of(struct threads *ts, struct proc *p, int64_t tid);

/* Process i, from 0; NULL behind the last. */
struct proc *proc_nth(const struct threads *ts, size_t i);

void thread_sweep(struct threads *ts, struct thread *th); /* pops what ended */
struct open *thread_push(struct thread *th); /* zeroed but for its text */
void open_link(struct thread *th, size_t i);
struct open *thread_top(struct thread *th); /* NULL: nothing open */
void thread_phased(struct thread *th);      /* a range on it names a phase */
void procs_free(struct threads *ts);        /* without py and graphs */

static inline struct text
thread_layer(const struct thread *th)
{
	return (struct text){ th->layer.s, th->layer.len };
}

/* The columns of kernels follow PyProf's rules to the letter. */
static inline bool
proc_is_pyprof(const struct proc *p)
{
	return p->has_args && !p->has_op_id;
}

#endif
