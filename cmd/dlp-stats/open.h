/* An open range, with what is known of it until now. */
#ifndef STATS_OPEN_H
#define STATS_OPEN_H

#include "buf.h"
#include "map.h"
#include "report.h"

struct open { /* a range */
	struct range r;
	struct buf name;
	bool twin; /* one of the same name is around it on the thread */
	int64_t lo, hi, n_gpu, last_corr;
	int64_t n_child, id;
	int64_t level, parent; /* as in a struct proj */
	struct buf stack;      /* ids of the ranges around it, and its own */
	struct table_key key;
	struct map seen; /* parts of ranges.h */
};

struct open *open_new(void);         /* may have been another before */
void open_give_back(struct open *o); /* to be used again */

/* Whether both have the same name and style. */
bool open_same_name(const struct open *a, const struct open *b);

#endif
