/*
 * The parsers of marker texts, one file for each producer, and the functions
 * that they share. mk_X(m) reads m->text; if that producer wrote it, it fills
 * in *m and returns true. Otherwise it leaves *m unchanged, except for the
 * flags that marker.c names.
 */
#pragma once

#include "json_tok.h"
#include "marker.h"

struct arg_cache; /* mk_args.c */

struct markers {                /* the buffers that the views of a marker
				 * point into */
	struct buf sizes;       /* of marker_sizes() */
	struct buf mod, op;     /* of a dict, their escapes resolved */
	struct buf repr, func;  /* the same */
	struct buf path;        /* of an XLA op that has no path of its own */
	struct json_doc json;   /* of mk_json() */
	struct arg_cache *args; /* NULL until it is needed */
};

bool mk_pytorch(struct marker *m);
/* ...Backward or ...Backward0; *n becomes the length before it. */
bool mk_backward_suffix(const char *s, size_t *n);
bool mk_dict(struct marker *m); /* PyProf's and DLProf's dicts */
bool mk_config(struct marker *m);
bool mk_tf_op(struct marker *m);
bool mk_tensorrt(struct marker *m);
bool mk_xla(struct marker *m); /* any domain: only unmistakable texts */
bool mk_tsl(struct marker *m); /* domain TSL: everything */

/* A range of the framework's runtime that groups others: it is neither an op
 * nor a layer. Returns true. */
bool mk_group(struct marker *m, enum marker_by by);

/* Words of op_words.tab. */
enum mk_word {
	WORD_TELLING = 1, /* cannot be anything but an op: addmm, masked_fill */
	WORD_COMMON = 2,  /* an op's name that is also an ordinary word */
	WORD_SPACE = 4,   /* aten:: */
	WORD_PRODUCT = 8,
	WORD_TENSOR_CORE = 16,
	WORD_PHASE = 16, /* shifted left by the phase */
	WORD_LAYER = 512,
};
bool mk_is(unsigned classes, struct mview v); /* of one of these */

/* Appends the shapes and the type in the details of a TensorFlow op, and sets
 * *n_tensor if there are shapes. False if they are damaged. */
bool mk_tf_args(struct markers *ms, struct mview json, struct buf *shapes,
    struct buf *dtype, int *n_tensor);

/* The text as a JSON object, valid until the next call; NULL if it is not one,
 * or too big. */
const struct json_doc *mk_json(struct markers *ms, struct mview text);

static inline bool
mk_is_digit(char c)
{
	return c >= '0' && c <= '9';
}
