/*
 * Groups in memory: the statistics of each field (struct agg_acc), the values
 * that a record adds to them (struct agg_row), and their state as text for
 * --partial.
 */
#ifndef AGG_GROUP_H
#define AGG_GROUP_H

#include "agg_spec.h"
#include "buf.h"
#include "ivl.h"
#include "map.h"
#include "rec.h"

struct wide { /* hi * 2^64 + lo */
	int64_t hi;
	uint64_t lo;
};

/* Reads all of s[0..n) as a decimal integer; false if it is not one,
 * or does not fit. */
bool wide_get(const char *s, size_t n, struct wide *w);

union agg_num {
	int64_t i;
	double d;
};

/* The statistics of one field in one group. */
struct agg_acc {
	uint64_t n; /* number of values that are set */
	struct wide isum;
	union agg_num min, max;
	struct acc_ends *ends; /* the first and last text; NULL if there is
				* none yet */
	struct acc_more *more; /* statistics that few groups need; NULL: all
				* values are integers */
};

struct acc_ends {
	struct buf first, last;
	bool has_first, has_last;
};

struct acc_drift { /* of the values in their order, see agg_drift.c */
	double first, last;
	double co;    /* of the place and the value: sum of products of their
		       * deviations */
	double diff2; /* sum of the squared differences of neighbours */
	bool joined;  /* of several groups, whose values have no order */
};

struct acc_more {
	bool frac;    /* a value had a fraction: all are doubles */
	bool sorted;  /* the values are sorted */
	bool rounded; /* and rounded to few digits: agg_part.c */
	double dsum, mean, m2;
	struct acc_drift drift;
	union agg_num *val; /* all values, for percentiles */
	size_t nval, cap;
};

/* Adds v, a double if frac. Returns the number of values by which their room
 * grew. */
size_t acc_add(struct agg_acc *c, bool frac, union agg_num v, int want);

/* values: takes over from's values for percentiles, too. */
void acc_join(struct agg_acc *c, const struct agg_acc *from, bool values);

void acc_free(struct agg_acc *c);

/* Takes a text as the last one, and as the first if there is none yet. */
void acc_first(struct agg_acc *c, const char *s, size_t n);
void acc_last(struct agg_acc *c, const char *s, size_t n);

/* For readers of a state. acc_more allocates what few groups need; the others
 * keep one more value, sort the values, and take over the least (or greatest)
 * value of x. */
struct acc_more *acc_more(struct agg_acc *c);
void acc_keep(struct acc_more *m, union agg_num v);
void acc_sort(struct acc_more *m);
void acc_extreme(struct agg_acc *c, const struct agg_acc *x, bool least);

/* Adds the last of n values to the drift; m's mean has it already. The other
 * appends ST_DRIFT or ST_DRIFTERR; false if it is unset. */
void drift_add(struct acc_more *m, uint64_t n, double v);
bool drift_put(
    struct buf *b, const struct acc_more *m, uint64_t n, enum agg_stat stat);

/* True if two numbers, which are doubles if frac, are equal. */
static inline bool
acc_same(bool frac, union agg_num a, union agg_num b)
{
	return frac ? !(a.d < b.d) && !(a.d > b.d) : a.i == b.i;
}

/* True if the values are doubles. */
static inline bool
acc_is_frac(const struct agg_acc *c)
{
	return c->more != NULL && c->more->frac;
}

/* acc_rank: the place of a percentile among n sorted values, from 1. The other:
 * the value there, if the values are in memory. */
uint64_t acc_rank(uint64_t n, double p);
union agg_num acc_percentile(struct agg_acc *c, double p);

/* Appends a value of the field. */
void acc_put_value(struct buf *b, const struct agg_acc *c, union agg_num v);

/* Appends the statistic to b; false, and nothing appended, if it is unset. p:
 * the percentile; total: of all groups, for percentages. */
bool acc_put(struct agg_acc *c, struct buf *b, enum agg_stat stat, double p,
    const struct agg_acc *total);

struct agg_piece {
	uint64_t key; /* of the section and the source */
	uint64_t section;
	size_t src;
	struct ivl u;
};

struct agg_group {
	uint64_t n;
	struct agg_acc *acc; /* per field */
	struct ivl *ivl;     /* of this section, by source */
	size_t nivl;
	int64_t union_ns;
	bool has_ivl;
	struct agg_piece *piece; /* pieces of the union, in a partial result */
	size_t npiece;
	struct agg_found *found; /* statistics that agg_disk.c found on
				  * disk; NULL if none */
};

struct agg_groups {
	struct agg_spec *spec;
	struct smap keys; /* values of their columns, separated by TABs */
	struct agg_group *v;
	size_t cap;
	struct smap srcs; /* their numbers + 1; 0 if the record names no file */
	struct buf key_buf;
	struct buf text_buf;   /* for a value that is being written */
	struct agg_row *row;   /* the record at hand */
	struct agg_acc *total; /* of all groups, per field: for shares */
	uint64_t *rounded;   /* fields whose values were rounded for --partial,
			      * in all results of the run */
	uint64_t section;    /* the key of this section, for partial results */
	uint64_t n_section;  /* its number */
	uint64_t n_over;     /* groups that the result left out */
	uint64_t n_negative; /* records with a negative length */
	size_t group_bytes;  /* memory of groups and their texts */
	size_t n_values;     /* room for values, for percentiles */
	size_t n_pieces;     /* room for pieces of unions */
	struct agg_disk *disk; /* groups and values beyond the memory; NULL
				* if it is unlimited */
};

/* The group of that key, its columns separated by TABs; created if it is new.
 */
struct agg_group *group_get(struct agg_groups *a, const char *key, size_t n);

/* group_new makes g an empty group and returns it; the other frees the members
 * of a group. */
struct agg_group *group_new(const struct agg_groups *a, struct agg_group *g);
void group_free(const struct agg_groups *a, struct agg_group *g);

struct agg_row {
	struct agg_row_val *val; /* per field */
	bool has_ivl;            /* the record has a start and a duration */
	bool negative;           /* it has a length below 0 */
	int64_t lo, hi;
	uint64_t src;     /* number of its file + 1; 0 if it names none */
	uint64_t section; /* number of its section */
	uint64_t no;      /* number of the record among those on disk */
};

/* Takes a record of type t of the input. */
void intake_record(struct agg_groups *a, const struct rec *r, int t);

/* Ends a section: group_close() of all groups. */
void intake_section_end(struct agg_groups *a);

/* Starts afresh: no groups, no sections, nothing on disk. */
void intake_forget(struct agg_groups *a);

#define PART_N "part_n"         /* the column after those of -g */
#define PART_PREFIX "part_"     /* of a field's state */
#define PART_UNION "part_union" /* pieces of intervals */

/* Appends a field's state; want: bits ACC_VALUES and ACC_STD. True if the
 * values were rounded because there were too many. */
bool part_put(struct buf *b, const struct agg_acc *c, int want);

/* Reads a state into c, which is empty; false if the text is not a state, or
 * values or deviations that are wanted are missing. */
bool part_get(
    struct agg_acc *c, const char *s, size_t n, int want, bool *rounded);

/* The same for the pieces of a group's intervals; pieces that are read are
 * joined to the present ones. */
void part_put_union(struct buf *b, const struct agg_group *g);
bool part_get_union(struct agg_group *g, const char *s, size_t n);

/* The pieces of a source in a group; created if they are new. */
struct agg_piece *part_piece(struct agg_group *g, uint64_t key);

/*
 * Groups, values and pieces of unions that exceed the memory of -S are in
 * temporary files. Each of these gets a quarter of the memory: groups, values
 * of percentiles, pieces of unions, and records to be sorted.
 *
 * A group that is new when the quarter for groups is full is not kept in
 * memory. Its records are, sorted by group, on disk; at the end the group is
 * made from its records in the order of their arrival. So a result does not
 * depend on the amount of memory, not even in the last digit.
 */
struct agg_found {        /* statistics of a group whose values or pieces are
			   * on disk */
	union agg_num *p; /* percentiles, one per statistic */
	bool *has;
	struct buf part; /* the columns of --partial */
};

struct agg_state { /* key: a view */
	uint64_t no;
	const char *key;
	size_t nkey;
	struct agg_group g;
};

/* Limits the aggregation to this amount of memory. */
void disk_open(struct agg_groups *a, size_t bytes);

/* True if anything is on disk. Then disk_put() writes the groups as
 * result_put() would and frees them; it returns the number of groups that the
 * limit left out. */
bool disk_any(const struct agg_groups *a);
uint64_t disk_put(struct agg_groups *a);

/*
 * The results: the groups as records, in order, up to the limit; or the records
 * themselves, if no statistics were requested; or merged partial results.
 */

/*
 * Metadata of the input, used unless the input is passed on. The results make
 * one section whatever the number of sections read, and a fragment if the input
 * was one. ##cmd and ##info lines of the input are then written once, notes
 * each time.
 */
struct agg_metas {
	struct smap seen;
	struct buf cmds, infos, notes;
};

/* Stores a line of metadata. */
void meta_keep(struct agg_metas *m, const struct rec *r);

/* Begins a section of our own; argv is for our ##cmd. */
void meta_head(
    const struct agg_metas *m, bool whole, int argc, char *const *argv);

/* Writes the legend and the groups, from memory or from disk. */
void result_put(struct agg_groups *a);

/* Notes about results that are left out; the second function also writes the
 * input's notes. */
void result_notes(const struct agg_groups *a);
void result_all_notes(const struct agg_groups *a);

/* The steps of result_put(), for groups that are on disk. All groups must be
 * added to the totals before the first row is written, because a share needs
 * them. */
struct agg_state;
void print_total_begin(struct agg_groups *a);
void print_total(struct agg_groups *a, const struct agg_group *g);
void print_total_end(struct agg_groups *a);
void print_legend(const struct agg_groups *a);
void print_row(const struct agg_groups *a, const struct agg_group *g,
    const char *key, size_t n);
void print_rest(struct agg_groups *a, const struct agg_group *g);

/* Appends the values that --sort compares, as sort_pack() writes them. */
void print_keys(struct agg_groups *a, struct agg_state *s, struct buf *b);

/* Appends the state that --merge reads. */
void print_state(
    const struct agg_groups *a, struct buf *b, const struct agg_group *g);

/*
 * Without statistics: writes the records of -T for which --where holds, in the
 * order of --sort, with the columns of -c. bytes: memory for records and keys.
 * t: the number of the record's type.
 */
struct agg_pass;
struct stage;
struct agg_pass *pass_open(struct agg_spec *spec, size_t bytes);
void pass_legend(struct agg_pass *p, struct stage *st, struct rec *r, int t);
void pass_record(struct agg_pass *p, struct stage *st, struct rec *r, int t);
void pass_section_end(struct agg_pass *p);

/* --merge: reads the files (NULL: standard input) to their ends and writes the
 * results; argv is for our ##cmd. Returns the exit status. */
int merge_run(
    struct agg_plan *plan, char **paths, int n, int argc, char *const *argv);

#endif
