/* The collectives of a profile: when they ended. */
#ifndef DLP_PARSE_RANKS_COLL_H
#define DLP_PARSE_RANKS_COLL_H

#include "align.h"

struct profile;

struct colls {
	struct align_ev *v; /* in order of end; the caller's to free */
	size_t n, cap;
};

/* Those that end on all ranks together; where there is none, those that
 * nearly do. Times are the profile's own. */
void colls_read(struct colls *c, struct profile *p);

#endif
