/* The table of ops. */
#ifndef DLP_OPS_H
#define DLP_OPS_H

#include "buf.h"
#include "map.h"
#include "marker.h"
#include "op.h"
#include "store.h"

struct dl;

struct ops {              /* zeroed: empty */
	struct op **v;    /* by id - 1 */
	struct store mem; /* of all ops but those of one run */
	size_t n, cap;
	uint32_t n_no;    /* numbers given */
	uint32_t *unused; /* ids of dropped ops */
	size_t n_unused, cap_unused;
	struct markers *markers; /* of call traces */
	struct dl *dl;           /* DLProf's ops, or NULL */
	struct smap ident;       /* what makes an op -> id */
	struct smap raw;         /* marker text in its place -> id; bounded */
	struct buf key, raw_key, tmp, func, frames;
	uint64_t n_damaged, n_no_args; /* markers; for the notes */
};

/*
 * Each finds or makes the op and returns its number; the record of a new one
 * is written. layer: the layer path around it; what: escaped. A marker's
 * texts are copied.
 */
uint32_t op_of_range(struct ops *t, struct text layer, const struct marker *m);
/* trace: text of the call trace marker around it; repr: what the recurrent
 * module around it says of itself; s NULL if there is none. */
uint32_t op_of_args(struct ops *t, struct text layer, struct mview trace,
    struct mview repr, struct marker *m, bool bwd);
/* fwd: the forward op, or OP_NONE. */
uint32_t op_of_backward(
    struct ops *t, struct text layer, const struct marker *m, uint32_t fwd);
uint32_t op_unassociated(struct ops *t, struct text layer, struct text what);
/* DLProf's op of all backward work, where nothing tells more. */
uint32_t op_of_all_backward(struct ops *t);
/* An op of its own for one call, as DLProf has it; it lives until op_drop(). */
uint32_t op_of_call(struct ops *t, struct text layer, struct text what);
void op_drop(struct ops *t, uint32_t id);

const struct op *op_get(const struct ops *t, uint32_t id);
void ops_free(struct ops *t); /* empty again, figures too */

#endif
