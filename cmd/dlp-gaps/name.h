/* The texts of records as numbers in the gaps' names; SMAP_NONE: unset. */
#ifndef GAPS_NAME_H
#define GAPS_NAME_H

#include "bind.h"
#include "did.h"
#include "rec.h"

struct gaps;

void name_open(struct gaps *g);

/* A section begins: the numbers are others. */
void name_clear(void);

/* The text of a column, which can be NULL. */
uint32_t name_of(const struct rec *r, const struct rec_col *c);

/* The same without what makes each one differ: "DataLoader, op_id = 7". */
uint32_t name_head(const struct rec *r, const struct rec_col *c);

/* What GPU work is called: the kernel, or "copy HtoD", "graph 7", "set". */
uint32_t name_work(const struct bind *k, enum type t, const struct rec *r);

/* What the name tells of a call (api), or of a range or op, which is found out
 * once. */
enum did name_did(uint32_t no, bool api);

#endif
