/*
 * Groups, values and pieces of unions that exceed the memory of -S, in
 * temporary files. Each of these gets a quarter of the memory: groups, values
 * of percentiles, pieces of unions, and records to be sorted.
 *
 * A group that is new when the quarter for groups is full is not kept in
 * memory. Its records are, sorted by group, on disk; at the end the group is
 * made from its records in the order of their arrival. So a result does not
 * depend on the amount of memory, not even in the last digit.
 */
#ifndef AGG_DISK_H
#define AGG_DISK_H

#include "agg_group.h"
#include "xsort.h"

struct agg_disk {
	size_t part;       /* bytes: a quarter */
	bool full;         /* memory is full: new groups go to disk */
	struct xsort rows; /* records of groups that are not in memory, by
			    * their keys */
	uint64_t n_rows;
	struct buf row;              /* the row that is being written */
	struct xsort values, pieces; /* of all groups */
	bool any_values, any_pieces; /* set if values, or pieces, are on disk */
	uint64_t *key;               /* of each section */
	size_t n_key, cap_key;
};

struct agg_found {        /* statistics of a group whose values or pieces are
			   * on disk */
	union agg_num *p; /* percentiles, one per statistic */
	bool *has;
	struct buf part; /* the columns of --partial */
};

/* Limits the aggregation to this amount of memory. */
void disk_open(struct agg_groups *a, size_t bytes);

static inline bool
disk_is_full(const struct agg_groups *a)
{
	return a->disk != NULL && a->disk->full;
}

void disk_spill(struct agg_groups *a);

/* Called after each record of a group in memory. */
static inline void
disk_check(struct agg_groups *a)
{
	size_t part;

	if (a->disk == NULL)
		return;
	part = a->disk->part;
	if (a->group_bytes > part)
		a->disk->full = true;
	if (a->n_values > part / sizeof(union agg_num) ||
	    a->n_pieces > part / sizeof(struct ivl_span))
		disk_spill(a);
}

/* Takes a record of a group that is not in memory. */
void disk_row(
    struct agg_groups *a, const char *key, size_t n, struct agg_row *w);

/* Called before the groups are closed: if pieces of unions are on disk, writes
 * the ones in memory there too. */
void disk_section_end(struct agg_groups *a);

/* True if anything is on disk. Then disk_put() writes the groups as
 * result_put() would and frees them; it returns the number of groups that the
 * limit left out. */
bool disk_any(const struct agg_groups *a);
uint64_t disk_put(struct agg_groups *a);

/* Frees everything that is on disk. */
void disk_reset(struct agg_groups *a);

/* The orders of values, pieces and numbers. */
runs_cmp disk_cmp_value, disk_cmp_piece, disk_cmp_no;

struct agg_state { /* key: a view */
	uint64_t no;
	const char *key;
	size_t nkey;
	struct agg_group g;
};

struct pick { /* reads sorted records one after the other */
	struct xsort *x;
	struct runs_rec r;
	bool have; /* r is a record */
};

#endif
