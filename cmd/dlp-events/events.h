/*
 * Ops of PyTorch as Python code that runs them again: the arguments of an op,
 * as a profile has them, and the call that is made of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "json_tok.h"
#include "mview.h"

enum ev_kind {
	EV_UNKNOWN, /* not recorded */
	EV_TENSOR,
	EV_TENSORS, /* a list of them */
	EV_VALUE,   /* an expression in Python */
};

struct ev_tensor {
	size_t dim, nd;     /* its sizes and strides, in dims and strides of
			     * ev_args */
	bool strided;       /* its strides are known */
	struct mview dtype; /* as recorded; s is NULL if unknown */
	const char
	    *type;     /* torch's name of it where dtype is unknown; or NULL */
	int64_t below; /* its integers are below that; 0: not said */
	bool no_grad;
	bool used; /* by the call; of sizes alone, an empty one may be no tensor
		    */
	size_t no; /* among those that are used */
};

struct ev_arg {
	enum ev_kind kind;
	struct mview name; /* of a keyword argument, in JSON; n 0: none */
	size_t at, n;      /* EV_TENSOR(S): in tensors; EV_VALUE: in text */
	bool none;         /* EV_VALUE: perhaps a type that has no value in the
			      file */
};

struct ev_args { /* zeroed before the first use */
	struct ev_arg *v;
	size_t n, cap;
	struct ev_tensor *tensors;
	size_t ntensors, tensors_cap;
	int64_t *dims, *strides; /* of the same length */
	size_t ndims, dims_cap, strides_cap;
	struct buf text;
	char why[160];       /* a reason that ev_call() returned */
	struct json_doc doc; /* private: dtype and name are views of its text */
};

/* An op with its sizes: what all its runs have in common. Texts are not
 * escaped. */
struct ev_case {
	struct mview mod, op;
	struct mview args, shapes; /* JSON; s is NULL if unset */
	struct mview result;       /* JSON: sizes of the result; or NULL */
	const char *dtype;         /* torch's name, of its kernels; or NULL */
	const char *usual;         /* the same of all kernels */
	int64_t out[2];            /* a convolution's result: P and Q, or 0 */
	const char *half; /* of its kernels, if some have such a type */
	bool single;      /* some kernels work on float32 */
	int64_t flop;     /* of a forward; 0 if unknown */
	uint64_t casts;   /* kernels of a forward that cast its tensors */
	bool bwd;         /* a backward was recorded */
	bool no_dgrad;    /* and computed no gradient of argument 0 */
	bool nhwc;        /* its kernels work on channels_last */
};

/* Reads arguments of a marker or of `dlp-parse --inputs`, or sizes alone, of
 * which an empty one is unknown. NULL, or why they cannot be used. */
const char *ev_args_read(struct ev_args *a, struct mview json, bool sizes);

void ev_args_free(struct ev_args *a);

/* torch's name of a type of elements, as any profile writes it: "float32"; NULL
 * if it is unknown. */
const char *ev_dtype(struct mview v);

/* A text as a literal of Python; the comment ends with the line. Both are
 * printable ASCII, whatever the text has. */
void ev_string(struct buf *b, const char *s, size_t n);
void ev_comment(struct buf *b, const char *s, size_t n);

/*
 * Appends the lines inside of a function that runs the case; no: its number.
 * NULL, or why it cannot be run again. assumed: the words of the arguments that
 * the profile does not have.
 */
const char *ev_call(struct buf *b, struct ev_args *a, const struct ev_case *c,
    int no, struct buf *assumed);
