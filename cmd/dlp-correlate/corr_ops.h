/*
 * The table of ops: the data that all runs of an op share. Two runs are of the
 * same op if layer path, name, direction, input shapes, scalar arguments and
 * call trace agree.
 *
 * A new op is drafted, stored as one block of memory, and its record written:
 *
 *	key_begin(&t->key, 'R', layer);
 *	key_put(&t->key, name);			the op's identity
 *	if ((id = ident_find(t, &at)) != OP_NONE)
 *		return id;
 *	draft_begin(t, &d);
 *	draft_view(&d, OF_OP, type);
 *	return draft_done(t, &d, at);
 */
#pragma once

#include "buf.h"
#include "map.h"
#include "marker.h"
#include "out.h"

#define OP_NONE 0u /* ops are numbered from 1 */

#define OF_GROUPS 6 /* columns about process groups */

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
	OF_TYPES,
	OF_GROUP, /* the first of OF_GROUPS; unset but of communication */
	OF_N = OF_GROUP + OF_GROUPS
};

struct corr_op {         /* one block of memory holds it and its texts */
	uint32_t id;     /* its place in the table, used again after
			  * op_drop() */
	uint32_t no;     /* its number in the stream */
	uint32_t fwd_no; /* no of the forward op of a backward, or OP_NONE */
	uint32_t for_no; /* no of the op that launched it: of communication */
	bool bwd;
	bool comm;   /* communication */
	bool no_dir; /* neither forward nor backward, as far as is known */
	bool none;   /* stands for work that no op launched; has no_dir, too */
	bool marker; /* found by an argument marker */
	bool once;   /* has a single run and is dropped with it */
	struct mview f[OF_N]; /* escaped, as in the stream */
};

struct draft { /* of an op; its texts lie one after the other in mem */
	struct corr_op op;
	size_t at[OF_N];
	struct buf *mem;
};

struct corr_ops {           /* zeroed, but the pointers of other modules */
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
	struct out_type *type[2]; /* without and with groups; NULL: not used */
	bool groups; /* ops of this section have columns about process groups,
		      * as ##info said before the first op */
	struct dlprof_ops *dl; /* --dlprof: state of compat_dlprof.c; or NULL */
	uint64_t n_damaged, n_no_args; /* markers; for the notes */
};

void ops_end(struct corr_ops *t); /* of a section: the table is empty again */

/*
 * Each finds or makes the op and returns its id; a new op's record is written.
 * layer: the layer path around it; what: a short kernel name or API name. A
 * marker's texts are copied.
 */
uint32_t op_of_range(
    struct corr_ops *t, struct mview layer, const struct marker *m);
/* trace: text of the call trace marker around it; repr: the self-description of
 * the recurrent module around it. s is NULL if there is none. */
uint32_t op_of_args(struct corr_ops *t, struct mview layer, struct mview trace,
    struct mview repr, struct marker *m, bool bwd);
/* fwd: the forward op, or OP_NONE. */
uint32_t op_of_backward(struct corr_ops *t, struct mview layer,
    const struct marker *m, uint32_t fwd);
/* An op of XLA, by its HLO name, which becomes its type, too. m: what the
 * framework says about it, or NULL. */
uint32_t op_of_hlo(struct corr_ops *t, struct mview layer, struct mview name,
    const struct marker *m, enum marker_dir dir);
uint32_t op_unassociated(
    struct corr_ops *t, struct mview layer, struct mview what);
/* An op of its own for one call; it lives until op_drop(). */
uint32_t op_of_call(struct corr_ops *t, struct mview layer, struct mview what);
void op_drop(struct corr_ops *t, uint32_t id);

/* What is known of a collective; views, not escaped except the layer. */
struct comm_words {
	const char *kind; /* all_reduce */
	bool by_range;    /* a range says so; otherwise all below is unset */
	enum marker_by by;
	struct mview mod, name, sizes;
	struct mview group; /* a list of the columns from OF_GROUP on */
	const char *dtype;  /* float32; NULL if unknown */
};

/* Communication in that layer, launched by the op for_op (or OP_NONE). */
uint32_t op_of_comm(struct corr_ops *t, struct mview layer, uint32_t for_op,
    const struct comm_words *w);

/* The direction: fprop, bprop or comm; NULL if no op launched the work. */
const char *op_dir(const struct corr_op *op);
/* The phase of what no range puts into one, by the direction of its op:
 * backward is known; an op that autograd numbered (seq) or XLA made is forward.
 * Not the time on the CPU of one that moves data: those of a step are moved,
 * too. */
int op_phase(const struct corr_op *op, const char *dir, bool seq, bool cpu);

static inline const struct corr_op *
op_get(const struct corr_ops *t, uint32_t id)
{
	return t->v[id - 1];
}

/* The identity of an op, built in t->key. */
void key_begin(struct buf *k, char what, struct mview layer);
void key_put(struct buf *k, struct mview v);

/* The op with the identity in t->key; OP_NONE if it is new: then *at is its
 * place for draft_done(). */
uint32_t ident_find(struct corr_ops *t, uint32_t *at);

/* One op is drafted at a time. Texts are copied. Raw texts must be escaped
 * already; the others are escaped here. A text that is NULL leaves the field
 * unset. */
void draft_begin(struct corr_ops *t, struct draft *d);
void draft_word(struct draft *d, enum op_field f, const char *word);
void draft_view(struct draft *d, enum op_field f, struct mview v);

/* Stores the draft in the place that ident_find() returned, and writes its
 * record. */
uint32_t draft_done(struct corr_ops *t, struct draft *d, uint32_t ident);
