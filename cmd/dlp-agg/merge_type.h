/* A type of results that are merged: its columns, and its groups. */
#ifndef AGG_MERGE_TYPE_H
#define AGG_MERGE_TYPE_H

#include "group.h"

struct merge_field { /* of a legend: the columns of a field's state, or -1 */
	int part, sum, min, max, mean, n;
};

struct merge_type {
	struct rec_type *type;
	struct spec spec; /* what the result has */
	struct groups groups;
	char **want; /* -g: of the parts' groups those that stay; NULL: all */
	int nwant;
	bool made;   /* spec is, by the first legend */
	bool coarse; /* of the input at hand some do not */
	/* where the legend of the input at hand has the columns, -1 */
	int *group_at, *stat_at;
	struct merge_field *field;
	int part_n, count, part_union, union_ns;
	uint64_t rounded;
};

/* A legend came: merge_type.c. Fatal if it is none of a result, or does not fit
 * those before. */
void merge_legend(struct merge_type *m, const struct rec *r);

/* A record came: merge_rec.c. */
void merge_record(struct merge_type *m, const struct rec *r);

/* All have been read. */
void merge_finish(struct merge_type *m);

#endif
