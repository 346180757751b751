/*
 * What the parsers of marker texts share, one file for each producer. mk_X(m)
 * looks at m->text; if that producer wrote it, it fills in *m and returns
 * true. It leaves *m as it was otherwise, but for the flags that are named in
 * marker.c.
 */
#ifndef DLP_MK_H
#define DLP_MK_H

#include "json_tok.h"
#include "marker.h"

struct arg_cache; /* mk_args.c */

struct markers {               /* what the views of a marker point into */
	struct buf sizes;      /* of marker_sizes() */
	struct buf mod, op;    /* of a dict, their escapes resolved */
	struct buf repr, func; /* the same */
	struct buf path;       /* of an XLA op without one of its own */
	struct json_doc json;  /* of mk_json() */
	struct arg_cache *args;
};

bool mk_pytorch(struct marker *m);
bool mk_dict(struct marker *m); /* PyProf's and DLProf's dicts */
bool mk_config(struct marker *m);
bool mk_tf_op(struct marker *m);
bool mk_tf_mem(struct marker *m);
bool mk_tensorrt(struct marker *m);
bool mk_myelin(struct marker *m);
bool mk_xla(struct marker *m); /* any domain: only what is unmistakable */
bool mk_tsl(struct marker *m); /* domain TSL: everything */
bool mk_nccl(struct marker *m);

/* A range of the framework's runtime that groups others: it is neither an op
 * nor a layer. Returns true. */
bool mk_group(struct marker *m, enum marker_by by);

enum aten_name {
	ATEN_NO,
	ATEN_WORD,    /* an op's name that programs use as well: linear */
	ATEN_TELLING, /* nothing but an op: addmm, masked_fill_ */
};

enum aten_name mk_aten(struct mview v);

/* Appends the shapes and the type in the details of a TensorFlow op, and sets
 * *n_tensor if there are shapes. false: damaged. */
bool mk_tf_args(struct markers *ms, struct mview json, struct buf *shapes,
    struct buf *dtype, int *n_tensor);

/* The text as a JSON object, valid until the next call; NULL: it is none, or
 * too big. */
const struct json_doc *mk_json(struct markers *ms, struct mview text);

struct arg_cache *mk_args_new(void);
void mk_args_free(struct arg_cache *cache);

static inline bool
mk_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif
