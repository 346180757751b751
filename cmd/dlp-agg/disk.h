/*
 * What is over the bound of -S, in temporary files. A quarter of the bound
 * each is for groups, for values of percentiles, for pieces of unions, and for
 * what is sorted.
 *
 * A group that came when the others' quarter was full is not kept: its records
 * are, sorted by group, and at the end each of these groups is made of its
 * records as they came. So a result is the same, to the last digit, whatever
 * the bound is.
 */
#ifndef AGG_DISK_H
#define AGG_DISK_H

#include "group.h"
#include "row.h"
#include "xsort.h"

struct disk {
	size_t part;       /* bytes: a quarter */
	bool full;         /* no more groups */
	struct xsort rows; /* of groups that are not in memory, by their keys */
	uint64_t n_rows;
	struct xsort values, pieces; /* of all groups */
	bool any_values, any_pieces; /* there are */
	uint64_t *key;               /* of each section */
	size_t n_key, cap_key;
};

struct found {        /* of a group whose values or pieces are on disk */
	union num *p; /* per statistic, a percentile */
	bool *has;
	struct buf part; /* the columns of --partial */
};

struct value_key {      /* of values, in this order */
	uint64_t group; /* its number, in the order of their first records */
	uint32_t field, frac;
	union num v;
};

struct piece_key {
	uint64_t group, section, src;
	int64_t lo; /* the record's value is hi */
};

/* The aggregation is to be done in so much memory. */
void disk_open(struct groups *a, size_t bytes);

static inline bool
disk_is_full(const struct groups *a)
{
	return a->disk != NULL && a->disk->full;
}

void disk_spill(struct groups *a);

/* After each record of a group in memory. */
static inline void
disk_check(struct groups *a)
{
	size_t part;

	if (a->disk == NULL)
		return;
	part = a->disk->part;
	if (a->group_bytes > part)
		a->disk->full = true;
	if (a->n_values > part / sizeof(union num) ||
	    a->n_pieces > part / sizeof(struct ivl_span))
		disk_spill(a);
}

/* A record of a group that is not in memory. */
void disk_row(struct groups *a, const char *key, size_t n, struct row *w);

/* Before the groups are closed: what belongs to pieces on disk goes there. */
void disk_section_end(struct groups *a);

/* Whether the result is one of disk_put, which writes the groups as
 * result_put would, and forgets them; the number of those that the limit
 * left out. */
bool disk_any(const struct groups *a);
uint64_t disk_put(struct groups *a);

/* All values, all pieces go to disk. */
void disk_all(struct groups *a, bool values, bool pieces);

/* Nothing is on disk any more. */
void disk_reset(struct groups *a);

/* The values, and pieces, of a group go to disk. */
void disk_values(struct groups *a, struct group *g, uint64_t no, bool sorted);
void disk_pieces(struct groups *a, struct group *g, uint64_t no);

/* The orders of values and pieces. */
runs_cmp disk_cmp_value, disk_cmp_piece, disk_cmp_no;

#endif
