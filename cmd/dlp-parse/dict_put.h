/*
 * From lines of PyProf's .dict to records: the ranges that were around the
 * launch, and the kernel. Lines of one call of an op share their ranges. A
 * made-up clock gives each kernel its own time.
 */
#ifndef DLP_PARSE_DICT_PUT_H
#define DLP_PARSE_DICT_PUT_H

#include "dict_line.h"
#include "map.h"
#include "run.h"

struct dict_out {
	struct profile prof;
	struct smap names; /* full names: the string ids */
	int64_t now;       /* of the clock */
};

/* The n lines v of a call. */
void dict_put(struct dict_out *o, const struct dict_line *v, int n);

#endif
