/*
 * DLProf's ops (--dlprof): when two runs are of one op, the op's id, and its
 * shapes as DLProf prints them.
 */
#ifndef DLP_DL_H
#define DLP_DL_H

#include "buf.h"
#include "map.h"
#include "op.h"

struct dl {                /* zeroed: empty */
	struct smap same;  /* what makes an op one of DLProf's -> its id */
	struct smap types; /* beginning of an id -> how many have it */
	struct buf key, id, in, out;
};

/*
 * The id in the table of the op that a new one is the same as: name,
 * direction, type and input shapes agree. OP_NONE: there is none, and the
 * caller stores the new one's id at *at.
 */
uint32_t dl_same(struct dl *d, const struct op *op, uint32_t *at);

/* Fills d->id, and d->in and d->out (empty: unset); sets op->dl_tc. */
void dl_texts(struct dl *d, struct op *op);

void dl_clear(struct dl *d); /* a section ends */

#endif
