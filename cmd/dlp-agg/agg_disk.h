/*
 * Groups, values and pieces of unions that are more than -S allows, in
 * temporary files. A quarter of the bound each is for groups, for values of
 * percentiles, for pieces of unions, and for records that are sorted.
 *
 * A group that came when the quarter for groups was full is not kept: its
 * records are, sorted by group, and at the end each of these groups is made of
 * its records in the order in which they came. So a result is the same, to the
 * last digit, whatever the bound is.
 */
#ifndef AGG_DISK_H
#define AGG_DISK_H

#include "agg_group.h"
#include "xsort.h"

struct agg_disk {
	size_t part;       /* bytes: a quarter */
	bool full;         /* no more groups */
	struct xsort rows; /* of groups that are not in memory, by their keys */
	uint64_t n_rows;
	struct buf row;              /* the one that is put */
	struct xsort values, pieces; /* of all groups */
	bool any_values, any_pieces; /* there are */
	uint64_t *key;               /* of each section */
	size_t n_key, cap_key;
};

struct agg_found {        /* of a group whose values or pieces are on disk */
	union agg_num *p; /* per statistic, a percentile */
	bool *has;
	struct buf part; /* the columns of --partial */
};

struct value_key {      /* of values, in this order */
	uint64_t group; /* its number, in the order of their first records */
	uint32_t field, frac;
	union agg_num v;
};

struct piece_key {
	uint64_t group, section, src;
	int64_t lo; /* the record's value is hi */
};

/* The aggregation is to be done in so much memory. */
void disk_open(struct agg_groups *a, size_t bytes);

static inline bool
disk_is_full(const struct agg_groups *a)
{
	return a->disk != NULL && a->disk->full;
}

void disk_spill(struct agg_groups *a);

/* After each record of a group in memory. */
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

/* A record of a group that is not in memory. */
void disk_row(
    struct agg_groups *a, const char *key, size_t n, struct agg_row *w);

/* Call it before the groups are closed: if pieces of unions are on disk, the
 * ones in memory go there too. */
void disk_section_end(struct agg_groups *a);

/* Whether anything is on disk. Then disk_put() writes the groups as
 * result_put() would and forgets them; it returns the number of groups that the
 * limit left out. */
bool disk_any(const struct agg_groups *a);
uint64_t disk_put(struct agg_groups *a);

/* All values, all pieces go to disk. */
void disk_all(struct agg_groups *a, bool values, bool pieces);

/* Nothing is on disk any more. */
void disk_reset(struct agg_groups *a);

/* The values, and pieces, of a group go to disk. */
void disk_values(
    struct agg_groups *a, struct agg_group *g, uint64_t no, bool sorted);
void disk_pieces(struct agg_groups *a, struct agg_group *g, uint64_t no);

/* The orders of values and pieces. */
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

/* Makes it; p are the bytes. And frees what was made. */
void state_get(const struct agg_groups *a, const char *p, struct agg_state *s);
void state_free(const struct agg_groups *a, struct agg_state *s);

/* A group's place for what is found out, empty; and it is gone. */
struct agg_found *found_new(const struct agg_groups *a);
void found_free(struct agg_found *f);

struct pick { /* a way through sorted records */
	struct xsort *x;
	struct runs_rec r;
	bool have; /* r is one */
};

/* At the first record. */
void pick_open(struct pick *p, struct xsort *x);

/* Takes down a statistic that is a percentile of values in memory. */
void pick_kept(struct agg_found *f, const struct agg_spec *spec,
    struct agg_group *g, int stat);

/* Reads the values and pieces of the group, passing over those of groups before
 * it. */
void pick_group(struct pick *values, struct pick *pieces, struct agg_groups *a,
    struct agg_state *s);

/* The percentiles of many groups, whose numbers are the keys of no. */
void pick_rest(struct pick *values, struct xsort *no, struct agg_groups *a,
    struct agg_state *s);

#endif
