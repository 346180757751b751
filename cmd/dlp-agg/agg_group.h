/*
 * Groups and the statistics of each field (struct agg_acc). All of them lie in
 * a struct store and a struct smap, which go to files beyond the memory of -S
 * (common/spill.h); so a result does not depend on the amount of memory, not
 * even in the last digit.
 */
#pragma once

#include <string.h>

#include "agg_spec.h"
#include "buf.h"
#include "map.h"
#include "rec.h"

/* Items of one size, 8 bytes or a multiple, in the order of their arrival. All
 * zero is empty; the store frees them. */
struct agg_list {
	struct list_chunk *first, *last;
	uint64_t n;
};

struct list_pos { /* zeroed: before the first item */
	struct list_chunk *chunk;
	size_t i;
};

/* Room for one more item. */
void *list_add(struct store *mem, struct agg_list *l, size_t size);

/* The next item, or the one at a place from 0; NULL at the end. */
void *list_next(const struct agg_list *l, struct list_pos *p, size_t size);
void *list_at(const struct agg_list *l, uint64_t i, size_t size);

/* Sorts by the first 8 bytes of the items, as int64_t or, if frac, double. */
void list_sort(struct agg_list *l, size_t size, bool frac);

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
	struct acc_text { /* s is NULL if there is none */
		char *s;
		size_t n, cap;
	} first, last;
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
	bool rounded; /* and rounded to few digits: put_all_values() */
	double dsum, mean, m2;
	struct acc_drift drift;
	struct agg_list val; /* all values (union agg_num), for percentiles */
};

/* Adds v, a double if frac. */
void acc_add(
    struct store *mem, struct agg_acc *c, bool frac, union agg_num v, int want);

/* values: takes over from's values for percentiles, too. */
void acc_join(struct store *mem, struct agg_acc *c, const struct agg_acc *from,
    bool values);

/* Takes a text as the last one, and as the first if there is none yet. */
void acc_first(struct store *mem, struct agg_acc *c, const char *s, size_t n);
void acc_last(struct store *mem, struct agg_acc *c, const char *s, size_t n);

/* For readers of a state: allocates what few groups need; takes over the least
 * (or greatest) value of x. */
struct acc_more *acc_more(struct store *mem, struct agg_acc *c);
void acc_extreme(
    struct store *mem, struct agg_acc *c, const struct agg_acc *x, bool least);

/* Adds the last of n values to the drift; m's mean has it already. The other
 * appends ST_DRIFT or ST_DRIFTERR; false if it is unset. */
void drift_add(struct acc_more *m, uint64_t n, double v);
bool drift_put(
    struct buf *b, const struct acc_more *m, uint64_t n, enum agg_stat stat);

/* Appends the statistic to b; false, and nothing appended, if it is unset. p:
 * the percentile; total: of all groups, for percentages. */
bool acc_put(const struct agg_acc *c, struct buf *b, enum agg_stat stat,
    double p, const struct agg_acc *total);

struct agg_span {
	int64_t lo, hi;
};

/* The times of a source in a section, as spans that may overlap. */
struct agg_piece {
	struct agg_piece *next;
	uint64_t key; /* of the section and the source; the same in all partial
		       * results of it */
	struct agg_list spans;
};

/* Adds [lo, hi); does nothing if hi <= lo. */
void spans_add(struct store *mem, struct agg_list *l, int64_t lo, int64_t hi);

/* The next span of their union, if they are sorted; false at the end. The other
 * sorts them and returns the length of the union. */
bool spans_next(
    const struct agg_list *l, struct list_pos *p, struct agg_span *u);
int64_t spans_length(struct agg_list *l);

struct agg_group {
	uint64_t n;
	struct agg_list *open; /* spans of this section, by source */
	size_t nopen;
	int64_t union_ns;
	bool has_ivl;
	struct agg_piece *piece; /* of a partial result, in order */
	struct agg_acc acc[];    /* per field */
};

struct agg_groups {
	struct agg_spec *spec;
	struct smap keys; /* values of their columns, separated by TABs; their
			   * values are the groups' addresses */
	struct store mem; /* the groups */
	struct store section_mem; /* what is forgotten with the section */
	struct smap srcs;         /* their numbers + 1; 0 if the record names no
				   * file */
	struct buf key_buf;
	struct agg_group *total; /* of all groups: for shares */
	uint64_t *rounded;   /* fields whose values were rounded for --partial,
			      * in all results of the run */
	uint64_t section;    /* the key of this section, for partial results */
	uint64_t part;       /* a hash of the records in the result */
	uint64_t n_over;     /* groups that the result left out */
	uint64_t n_negative; /* records with a negative length */
};

/* The group of that key, its columns separated by TABs; created if it is new.
 */
struct agg_group *group_get(struct agg_groups *a, const char *key, size_t n);

/* An empty group, which is not among the others. */
struct agg_group *group_new(struct agg_groups *a);

static inline struct agg_group *
group_at(const struct agg_groups *a, size_t i)
{
	struct agg_group *g;

	memcpy(&g, &a->keys.val[i], sizeof(g));
	return g;
}

/* Takes a record of type t of the input. */
void intake_record(struct agg_groups *a, const struct rec *r, int t);

/* Ends a section, because another section's times have another origin. */
void intake_section_end(struct agg_groups *a);

/* Starts afresh: no groups, no sections. */
void intake_forget(struct agg_groups *a);

#define PART "part"             /* the fact by which a part is known */
#define PART_N "part_n"         /* the column after those of -g */
#define PART_PREFIX "part_"     /* of a field's state */
#define PART_UNION "part_union" /* pieces of intervals */

/* Appends a field's state; want: bits ACC_VALUES and ACC_STD. True if the
 * values were rounded because there were too many. */
bool part_put(struct buf *b, const struct agg_acc *c, int want);

/* Reads a state into c, which is empty; false if the text is not a state, or
 * values or deviations that are wanted are missing. */
bool part_get(struct store *mem, struct agg_acc *c, const char *s, size_t n,
    int want, bool *rounded);

/* The same for the pieces of a group's intervals; pieces that are read are
 * joined to the present ones. */
void part_put_union(struct buf *b, const struct agg_group *g);
bool part_get_union(
    struct store *mem, struct agg_group *g, const char *s, size_t n);

/* The piece of that key in a group; created if it is new. */
struct agg_piece *part_piece(
    struct store *mem, struct agg_group *g, uint64_t key);

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

/* Writes the legend and the groups. memory: bytes to sort them. */
void result_put(struct agg_groups *a, size_t memory);

/* Notes about results that are left out; the second function also writes the
 * input's notes. */
void result_notes(const struct agg_groups *a);
void result_all_notes(const struct agg_groups *a);

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
