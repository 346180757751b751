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

struct value_key {      /* the key by which values are sorted */
	uint64_t group; /* the group's number, in the order of the groups'
			 * first records */
	uint32_t field, frac;
	union agg_num v;
};

struct piece_key {
	uint64_t group, section, src;
	int64_t lo; /* the value from the record is hi */
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

/* Writes all values, or all pieces, to disk. */
void disk_all(struct agg_groups *a, bool values, bool pieces);

/* Frees everything that is on disk. */
void disk_reset(struct agg_groups *a);

/* Write the values, or the pieces, of a group to disk. */
void disk_values(
    struct agg_groups *a, struct agg_group *g, uint64_t no, bool sorted);
void disk_pieces(struct agg_groups *a, struct agg_group *g, uint64_t no);

/* The orders of values, pieces and numbers. */
runs_cmp disk_cmp_value, disk_cmp_piece, disk_cmp_no;

struct agg_state { /* key: a view */
	uint64_t no;
	const char *key;
	size_t nkey;
	struct agg_group g;
};

/* Appends it. */
void state_put(
    const struct agg_groups *a, struct buf *b, const struct agg_state *s);

/* Reads the state at p. state_free() frees what it allocated. */
void state_get(const struct agg_groups *a, const char *p, struct agg_state *s);
void state_free(const struct agg_groups *a, struct agg_state *s);

/* A new, empty struct for a group's statistics; the other frees it. */
struct agg_found *found_new(const struct agg_groups *a);
void found_free(struct agg_found *f);

struct pick { /* reads sorted records one after the other */
	struct xsort *x;
	struct runs_rec r;
	bool have; /* r is a record */
};

/* Goes to the first record. */
void pick_open(struct pick *p, struct xsort *x);

/* Stores the percentiles of values that are in memory. */
void pick_kept(struct agg_found *f, const struct agg_spec *spec,
    struct agg_group *g, int stat);

/* Reads the values and pieces of the group, skipping those of groups before it.
 */
void pick_group(struct pick *values, struct pick *pieces, struct agg_groups *a,
    struct agg_state *s);

/* The percentiles of many groups together, whose numbers are the keys of no. */
void pick_rest(struct pick *values, struct xsort *no, struct agg_groups *a,
    struct agg_state *s);

#endif
