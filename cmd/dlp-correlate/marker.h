/*
 * Classifies the text of an NVTX range. The parsers know the texts of
 * PyTorch's emit_nvtx, PyProf, nvidia_dlprof_pytorch_nvtx, TensorFlow,
 * TensorRT, XLA/JAX and NCCL. A text that none of these wrote is a range of
 * the user's program.
 *
 *	ms = markers_new();
 *	marker_parse(ms, &m, text, n, domain);
 *	if (m.kind == MK_ARGS && (a = marker_args(&m)) != NULL) ...
 *
 * Nothing is executed, nothing recurses, and all memory is bounded. A damaged
 * marker is flagged, never fatal. Buffers and caches belong to the struct
 * markers: use one for each thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "mview.h"

enum marker_kind {
	MK_USER,      /* the program's own range: part of the layer path */
	MK_LAYER,     /* a user range with layer:NAME; m.name is NAME */
	MK_OP,        /* a framework op */
	MK_BWD_FRAME, /* autograd::engine::evaluate_function: X; m.name is X */
	MK_BWD,       /* a backward node X, with seq if it has one */
	MK_ARGS,      /* argument marker of PyProf or DLProf: mod, op, args */
	MK_TRACE,     /* traceMarker, funcStack: see marker_trace() */
	MK_REPR,      /* mod, strRepr around a recurrent layer's arguments */
	MK_CONFIG,    /* model_config: see marker_config() */
	MK_BROKEN,    /* begins as a marker of a framework but has nothing
		       * usable, neither op nor layer; the caller counts it */
	MK_NKINDS
};

enum marker_by {
	BY_USER,
	BY_PYTORCH,
	BY_PYPROF,
	BY_DLPROF,
	BY_TENSORFLOW,
	BY_TENSORRT,
	BY_XLA,
	BY_NCCL,
	BY_NWORDS
};

enum marker_dir { /* the direction of an op, as far as its text shows it */
	MDIR_FPROP,
	MDIR_BPROP,
	MDIR_NONE /* unknown */
};

enum {
	MK_DAMAGED = 1, /* cut or malformed; the members that are set can
			 * be used (an MK_ARGS without its args, an op
			 * without sizes); the caller counts it */
	MK_STEP = 2,    /* a user range that numbers steps */
	MK_GROUP = 4,   /* groups ops, is neither op nor layer itself
			 * (ExecutionContext::enqueue, memory and runtime
			 * ranges of a framework; CheckpointFunction and
			 * its backward, which are MK_OP and MK_BWD) */
};

/* Views live as long as the text, or until the next marker_parse(). */
struct marker {
	struct markers *in; /* where it was parsed */
	enum marker_kind kind;
	enum marker_by by;
	enum marker_dir dir; /* of an MK_OP */
	unsigned flags;
	struct mview text;      /* the whole text */
	struct mview name;      /* aten::conv2d, AddmmBackward0; MK_USER: the
				   text (without op_id); MK_LAYER: NAME */
	struct mview op;        /* op type: conv2d, AddmmBackward0, MatMul */
	struct mview mod;       /* aten, torch.nn.functional, nccl */
	struct mview path;      /* the op's own full name, if its producer
				 * gives one (TensorFlow node, TensorRT
				 * layer, XLA op path); then no layer path
				 * precedes it */
	struct mview sizes;     /* [[64, 3, 32, 32], []] as written */
	struct mview input_ids; /* [(12,0), (0,-1)] as written */
	struct mview result;    /* [64, 6, 28, 28], of a convolution */
	struct mview causal;    /* [True], of attention with a causal mask */
	struct mview types;     /* [c10::BFloat16, long int], of a collective */
	struct mview comm;      /* ["0", ...], of a collective: its process
				 * group, see the columns of op */
	struct mview args;      /* MK_ARGS, or a trace's MK_OP: the list [...]
				 * as written */
	int64_t seq;            /* autograd sequence number; -1 if none */
	int64_t op_id;          /* -1 if none */
};

struct markers;

struct markers *markers_new(void);

/* Classifies the n bytes of text. domain: NUL-terminated NVTX domain, NULL or
 * "" for the default one. Never fails. */
void marker_parse(struct markers *ms, struct marker *m, const char *text,
    size_t n, const char *domain);

/*
 * PyTorch before 1.6 wrote names without a namespace (addmm, AddmmBackward),
 * which a program can write as well. A caller that knows that the texts are so
 * old turns an MK_USER into the MK_OP or MK_BWD that it may be. sure: only
 * names that no program uses for its own ranges. Returns false if it stays a
 * user's range.
 */
bool marker_bare(struct marker *m, bool sure);

extern const char *const marker_by_words[BY_NWORDS]; /* "pytorch", ... */

/* The forward op's type that a backward node's name contains: "Addmm" of
 * AddmmBackward0; false if it contains none (AccumulateGrad). */
bool marker_forward_of(const char *s, size_t n, struct mview *fwd);

/*
 * The sizes without blanks: [[64,3,32,32],[]]; valid until the next call. False
 * if they are missing or damaged.
 */
bool marker_sizes(const struct marker *m, struct mview *v);

/* The same of the result: [64,6,28,28]. */
bool marker_result(const struct marker *m, struct mview *v);

/* The inputs' producers, in order: input i is output out of op id; op_id 0
 * and out -1 are unknown. Start with *at = 0; false at the end. */
bool marker_input(
    const struct marker *m, size_t *at, int64_t *op_id, int64_t *out);

/*
 * The arguments of an MK_ARGS marker. Cached by the text of the list, at most
 * 65,536 different ones; valid until some thousand other lists have been asked
 * for: keep it for one record, not longer. NULL if the marker has no arguments,
 * or if they are damaged (then the caller counts it).
 */
struct marker_args {
	struct mview json;    /* the list as JSON; tuples become lists, nan
			       * and inf strings; any other expression is a
			       * string with its text */
	struct mview shapes;  /* [[64,3,32,32],[6]], tensor arguments only;
				 empty if there are none */
	struct mview dtype;   /* of the first tensor argument; s NULL if
			       * there is none */
	struct mview scalars; /* name=value,... of all arguments but floats
			       * and tensors: they separate ops of the same
			       * shapes */
};
const struct marker_args *marker_args(const struct marker *m);

/*
 * MK_TRACE: appends the call trace to stack (file:line, outermost first,
 * joined by commas) and DLProf's op name to func ("/module/A::f[2]/lambda":
 * < and > dropped, (2) written [2]; nothing if the marker has no funcStack).
 * false: damaged; nothing is appended.
 */
bool marker_trace(const struct marker *m, struct buf *stack, struct buf *func);

/*
 * Appends the modules in a call stack, joined by /; nothing if there are none.
 * func is marker_trace()'s result: in
 *
 * /module/LeNet::forward/Conv2d::_call_impl[2]/Conv2d::forward/conv2d
 *
 * the modules are LeNet/Conv2d[2].
 */
void marker_modules(struct buf *out, const char *func, size_t n);

/* Appends the inputs of a TensorFlow op, "x: <64, 512>, y: <512>"; nothing if
 * the marker has no details. */
void marker_tf_inputs(const struct marker *m, struct buf *out);

/*
 * MK_CONFIG: the settings, as key and value (a number, true, false, a text
 * without its quotes). Start with *at = 0; false at the end or at damage.
 */
bool marker_config(
    const struct marker *m, size_t *at, struct mview *key, struct mview *value);
