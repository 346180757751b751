/*
 * What the marker parsers share, for them alone. Each mk_X(m) looks at
 * m->text, and if its producer wrote that, fills in *m and returns true.
 */
#ifndef DLP_MK_IMPL_H
#define DLP_MK_IMPL_H

#include <string.h>

#include "marker.h"

bool mk_pytorch(struct marker *m);

/* Sets seq, op_id, sizes and input_ids from the tail of emit_nvtx's texts, and
 * cuts m->name before it. 1: a whole tail; 0: none; -1: one that is cut off
 * or malformed, what could be read is set. */
int mk_tail(struct marker *m);

bool mk_dict(struct marker *m); /* PyProf's and DLProf's markers */
bool mk_config(struct marker *m);
bool mk_tf_op(struct marker *m); /* {"op":... and Op: node */
bool mk_tf_mem(struct marker *m);
bool mk_tensorrt(struct marker *m);
bool mk_myelin(struct marker *m);
bool mk_xla(struct marker *m); /* any domain: only what is unmistakable */
bool mk_tsl(struct marker *m); /* domain TSL: everything */
bool mk_nccl(struct marker *m);
void mk_user(struct marker *m); /* what is left; m->name is set */

/* TensorFlow's arguments, for marker_args(). */
bool tf_args(const struct mview *json, struct buf *shapes, struct buf *dtype,
    int *n_tensor);

static inline struct mview
mv(const char *s, const char *e)
{
	return (struct mview){ s, (size_t)(e - s) };
}

static inline bool
mv_eq(struct mview v, const char *lit)
{
	size_t n = strlen(lit);

	return v.n == n && memcmp(v.s, lit, n) == 0;
}

static inline bool
mv_starts(struct mview v, const char *lit)
{
	size_t n = strlen(lit);

	return v.n >= n && memcmp(v.s, lit, n) == 0;
}

static inline bool
mv_ends(struct mview v, const char *lit)
{
	size_t n = strlen(lit);

	return v.n >= n && memcmp(v.s + v.n - n, lit, n) == 0;
}

/* The first lit in v, or NULL. */
const char *mv_find(struct mview v, const char *lit);

#endif
