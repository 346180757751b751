/* Which row of one side is which of the other. */
#ifndef DIFF_MATCH_H
#define DIFF_MATCH_H

#include "read.h"
#include "stat.h"

enum change { SAME, NOISE, FASTER, SLOWER, IS_NEW, IS_GONE };

struct pair {
	struct row **row; /* those of both sides that are one */
	size_t n;
	const char *by; /* what they have in common: key, name, type; NULL:
			   there is no partner */
	struct sum side[2];
	double noise; /* negative: not known */
	enum change change;
};

struct pairs {
	struct pair *v;
	size_t n, cap;
};

/* All rows in pairs, the largest difference first. floor: the least change,
 * as a part of the longer time, that is none. */
void match_rows(struct pairs *p, struct model *m, double floor);

/* A pair of the sums that it has. */
void match_judge(struct pair *p, double floor);

void match_free(struct pairs *p);

#endif
