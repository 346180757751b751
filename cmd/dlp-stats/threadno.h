/* Threads as numbers, from 0, in the order in which they come. */
#ifndef STATS_THREADNO_H
#define STATS_THREADNO_H

#include "map.h"

struct threadnos {        /* zeroed */
	struct map by_id; /* mixed pid and tid -> number + 1 */
	struct threadno {
		int64_t pid, tid;
	} * v;
	size_t n;
};

/* The thread's number; *fresh: it is new. */
size_t threadno(struct threadnos *t, int64_t pid, int64_t tid, bool *fresh);

void threadnos_clear(struct threadnos *t); /* zeroed again */

#endif
