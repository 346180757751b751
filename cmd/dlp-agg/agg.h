/*
 * dlp-agg's insides: what was asked for (spec.c, where.c), the groups and
 * their statistics (group.c, acc.c), their order and output (sort.c, print.c),
 * and the way of records that are only filtered and sorted (pass.c).
 */
#ifndef AGG_H
#define AGG_H

#include <regex.h>

#include "ivl.h"
#include "join.h"
#include "stage.h"

#define AGG_TYPES 16 /* record types of -T */

/* A sum of 64-bit numbers that cannot overflow: hi * 2^64 + lo. */
struct wide {
	int64_t hi;
	uint64_t lo;
};

void wide_add(struct wide *w, int64_t v);
void wide_join(struct wide *w, const struct wide *v);
double wide_f64(const struct wide *w);
void wide_put(struct buf *b, const struct wide *w); /* decimal */

union num {
	int64_t i;
	double d;
};

/* The values of one field in one group. */
struct acc {
	uint64_t n; /* values that are set */
	bool frac;  /* one had a fraction: all are doubles */
	bool sorted;
	struct wide isum;
	double dsum, mean, m2;
	union num min, max;
	union num *val; /* all of them, for percentiles */
	size_t nval, cap;
	uint32_t first, last; /* numbers in agg.texts */
};

enum stat {
	ST_COUNT,
	ST_NSET,
	ST_SUM,
	ST_MEAN,
	ST_MIN,
	ST_MAX,
	ST_PERCENTILE,
	ST_STD,
	ST_UNION,
	ST_PCT,
	ST_FIRST,
	ST_LAST,
};

struct stat_col { /* a column of the result */
	enum stat stat;
	const char *word; /* of -a */
	int field;        /* -1: none */
	double p;         /* percentile */
	char *name;
};

struct column { /* of the input */
	const char *name;
	struct join_col *in[AGG_TYPES];
};

struct field {
	int col;
	bool numeric, values; /* read as a number; all values are kept */
	struct acc total;
};

struct group {
	uint64_t n;
	struct acc *acc; /* per field */
	struct ivl ivl;  /* of this section */
	int64_t union_ns;
	bool has_ivl;
};

/* A value to sort by: numbers before texts, unset last. */
struct sort_val {
	enum { SORT_NUM, SORT_TEXT, SORT_UNSET } kind;
	double d;
	const char *s;
	size_t n;
};

struct cond;
struct run;

struct line { /* a record that is kept: its place in lines.text */
	size_t at, len;
	int legend;
};

struct lines {
	struct buf text;
	struct line *line;
	size_t n, cap;
	struct sort_val *val; /* per key; s is a place in key_text until
				 they are sorted */
	struct buf key_text;
	struct smap legends;
	int legend[AGG_TYPES];
	bool any_legend; /* of the first type, in this section */
	int put_legend;  /* the one last written */
	struct run *run; /* on disk */
	size_t nruns;
};

struct sort_key {
	const char *name;
	bool down;
	int group, stat, col; /* one of them, the others -1 */
};

struct agg {
	struct stage st;
	struct join join;
	int argc;
	char **argv;
	/* asked for */
	char **types, **groups, **fields, **stats;
	int ntypes, ngroups, nfields, nstats;
	char **wheres;
	int nwheres;
	struct sort_key *key;
	int nkeys;
	int64_t limit; /* -1: none */
	bool rest;
	/* made of that */
	struct rec_type *type[AGG_TYPES];
	bool seen[AGG_TYPES];
	struct column *col;
	int ncol;
	int *group_col;
	struct field *field;
	struct stat_col *stat;
	int nstat;
	struct cond *cond;
	int ncond;
	int start_col, dur_col; /* for unions; -1 */
	/* the groups */
	struct smap keys; /* their columns' values, TABs between */
	struct group *group;
	size_t group_cap;
	struct smap texts;
	uint64_t n_in;
	struct buf key_buf, tmp;
	/* metadata that is passed on */
	struct smap meta_seen;
	struct buf cmds, infos, notes;
	/* records that are kept */
	struct lines *lines;
	uint64_t n_out, n_over;
};

/* spec.c: the columns and statistics; fatal if they make no sense. */
void spec_make(struct agg *a);
int spec_column(struct agg *a, const char *name);
const char *spec_word(const char *alias); /* "avg" is "mean" */

/* The escaped text of a column's value in a record of type t; NULL if
 * unset. */
const char *agg_value(
    struct agg *a, const struct rec *r, int t, int col, size_t *n);
int agg_type_of(const struct agg *a, const struct rec *r);

/* where.c */
void where_make(struct agg *a);
bool where_holds(struct agg *a, const struct rec *r, int t);

/* acc.c */
void acc_add(struct acc *c, bool frac, union num v, bool keep);
/* from is of no more use then: its values are taken. */
void acc_join(struct acc *c, const struct acc *from);
/* Appends the statistic to b; false, and nothing, if it is unset. total: of
 * all groups, for percentages. */
bool acc_put(struct agg *a, struct buf *b, struct acc *c, struct acc *total,
    const struct stat_col *s);

/* group.c */
void group_record(struct stage *st, struct rec *r);
void group_section_end(struct agg *a);
struct group *group_new(struct agg *a, struct group *g);

/* sort.c: order of n items with nkeys values each; idx gets their places. */
void sort_parse(struct agg *a, char *arg);
struct sort_val sort_value(const char *s, size_t n);
int sort_cmp(const struct agg *a, const struct sort_val *x,
    const struct sort_val *y); /* by all keys */
void sort_items(
    const struct agg *a, const struct sort_val *v, size_t n, size_t *idx);

/* print.c: all groups, as agg records; the exit status rc is passed on. */
void print_meta(struct stage *st, struct rec *r);
int print_groups(struct agg *a, int rc);

/* pass.c: the records themselves. */
void pass_listen(struct agg *a);
void pass_line(struct agg *a, int legend, const char *s, size_t len);

/* spill.c: the kept lines, in the order of idx, to a run on disk; and all
 * runs, merged, to the output. */
void spill_run(struct agg *a, const size_t *idx);
void spill_merge(struct agg *a);

#endif
