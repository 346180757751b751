/*
 * The parts that turn records into facts: the row of a record type, and what
 * the functions for ops, API calls and GPU work share.
 */
#ifndef ADVISE_READ_H
#define ADVISE_READ_H

#include "advise.h"
#include "mview.h"

#define ADVISE_COLS 20
#define ADVISE_PIECES 131072 /* most pieces of time that are kept */

struct advise_type;
typedef void advise_fact(
    struct facts *f, const struct advise_type *t, const struct rec *r);

struct advise_type { /* a row, bound to the stage */
	const struct advise_row *row;
	struct advise_reader *reader;
	struct workrec_cols at;
	struct rec_col *col[ADVISE_COLS]; /* in the order of the names */
};

/* The number of an iteration that is judged, if c has one. */
static inline bool
advise_iter(const struct facts *f, const struct rec *r, const struct rec_col *c,
    int64_t *no)
{
	return rec_i64(r, c, no) &&
	       (!f->even_known || (*no >= f->even_from && *no <= f->even_to));
}

/* True if a record is in one, or if there are no iterations. */
static inline bool
advise_in_iter(
    const struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t v;

	return t->at.iter->pos < 0 || advise_iter(f, r, t->at.iter, &v);
}

/* The first column of kern, copy, set, sync and call records. */
enum { COL_API }; /* the call's name */

/* advise_work.c, advise_calls.c, advise_ops.c */
advise_fact add_kernel, add_copy, add_set, add_sync, add_call, add_graph,
    add_inst;

enum advise_call { CALL_KERNEL, CALL_COPY, CALL_SYNC, CALL_OTHER };

/* An API call that makes the CPU wait for the GPU, alone or with the work
 * that it launched. */
void advise_count_call(struct facts *f, const struct advise_type *t,
    const struct rec *r, enum advise_call of);

/* Ops. Their records apply to all files. */
struct advise_ops {
	struct map bits;       /* op id -> facts from its record */
	struct map odd;        /* op id -> the size that is no multiple of 8 */
	struct map prim;       /* the same for prims */
	struct map scores;     /* op id -> its first shape, if it has rank 4 */
	struct smap shape4;    /* these shapes -> 1 if a softmax has it */
	struct map fused_name; /* id of a kernel's name -> 0, for optimizers
				* that are fused */
	unsigned frameworks;   /* by the names of kernels */
	struct rec_col *id, *op, *by, *dtype, *eligible, *shapes;
	struct rec_col *prim_id, *prim_shapes, *str_id, *str_text;
};

void advise_ops_bind(struct stage *st, struct advise_ops *o);
void advise_ops_clear(struct advise_ops *o);
void advise_ops_free(struct advise_ops *o);

/* The ops of the section. */
const struct advise_ops *advise_ops_of(const struct advise_type *t);

/* Records that a kernel of the op has that type (or NULL), used Tensor Cores,
 * could have. */
void advise_ops_kernel(struct facts *f, const struct advise_ops *o, int64_t id,
    const char *dtype, size_t n, bool tc, bool eligible);

/* Adds the ops of a file to its facts when it ends. */
void advise_ops_end(struct facts *f);

#endif
