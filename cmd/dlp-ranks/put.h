/* The records that dlp-ranks adds. */
#ifndef RANKS_PUT_H
#define RANKS_PUT_H

#include "coll.h"

void put_open(void);

/* A coll record, and an arrive record per rank; waits go to the ranks'
 * shares. */
void put_coll(const struct colls *cs, struct parts *ps, const struct coll *c);

/* A comm record per rank and iteration, a skew record per iteration. */
void put_shares(const struct colls *cs, struct parts *ps);

void put_notes(const struct colls *cs);

#endif
