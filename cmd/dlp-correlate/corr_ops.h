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
#ifndef DLP_CORR_OPS_H
#define DLP_CORR_OPS_H

#include "buf.h"
#include "map.h"
#include "marker.h"
#include "out.h"
#include "store.h"

struct escaped { /* a text as in the stream, owned by another struct; or NULL */
	const char *s;
	size_t n;
};

#define OP_NONE 0u /* ops are numbered from 1 */

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
	OF_N
};

struct corr_op {         /* one block of memory holds it and its texts */
	uint32_t id;     /* its place in the table, used again after
			  * op_drop() */
	uint32_t no;     /* its number in the stream */
	uint32_t fwd_no; /* no of the forward op of a backward, or OP_NONE */
	bool bwd;
	bool none;   /* stands for work that no op launched */
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
	struct out_type *type;
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
uint32_t op_unassociated(
    struct corr_ops *t, struct escaped layer, struct escaped what);
/* An op of its own for one call; it lives until op_drop(). */
uint32_t op_of_call(
    struct corr_ops *t, struct escaped layer, struct escaped what);
void op_drop(struct corr_ops *t, uint32_t id);

static inline const struct corr_op *
op_get(const struct corr_ops *t, uint32_t id)
{
	return t->v[id - 1];
}

/* The identity of an op, built in t->key. */
void key_begin(struct buf *k, char what, const char *layer, size_t n);
void key_put(struct buf *k, const char *s, size_t n);

/* The op with the identity in t->key; OP_NONE if it is new: then *at is its
 * place for draft_done(). */
uint32_t ident_find(struct corr_ops *t, uint32_t *at);

/* One op is drafted at a time. Texts are copied. Raw texts must be escaped
 * already; the others are escaped here. NULL leaves the field unset. */
void draft_begin(struct corr_ops *t, struct draft *d);
void draft_raw(struct draft *d, enum op_field f, const char *s, size_t n);
void draft_text(struct draft *d, enum op_field f, const char *s, size_t n);
void draft_view(struct draft *d, enum op_field f, struct mview v);

/* Stores the draft in the place that ident_find() returned, and writes its
 * record. */
uint32_t draft_done(struct corr_ops *t, struct draft *d, uint32_t ident);

#endif
