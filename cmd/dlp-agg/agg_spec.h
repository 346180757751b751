/*
 * What was asked for: which records of the input count (struct agg_input,
 * agg_where), what is made of them (struct agg_spec), in which order it is
 * written (struct agg_sort). A run has one or several of these (struct
 * agg_plan).
 */
#ifndef AGG_SPEC_H
#define AGG_SPEC_H

#include "buf.h"
#include "join.h"

#define INPUT_TYPES 16 /* of one -T */

struct agg_column {
	const char *name;
	struct join_col *in[INPUT_TYPES];
};

/* The records of -T and their columns, by number: 0 is the first type, or the
 * first column that was asked for. */
struct agg_input {
	struct join join;
	char **tag; /* the types, of the caller */
	int ntypes;
	struct rec_type *type[INPUT_TYPES];
	bool seen[INPUT_TYPES];   /* a record of it was */
	bool legend[INPUT_TYPES]; /* a legend of it was */
	bool any;                 /* --where held for a record */
	struct agg_column *col;
	int ncol;
};

/* tag and ntypes are set; rd is kept. */
void input_open(struct agg_input *in, struct rec_reader *rd);

/* The number of a column, asked for before the first record; the name is
 * kept. */
int input_column(struct agg_input *in, const char *name);

/* The same of a column that records may lack. */
int input_optional(struct agg_input *in, const char *name);

/* Its own name, if it was asked for by an alias. */
const char *input_canon(const struct agg_input *in, int col);

/* A legend of type t came. */
void input_legend(struct agg_input *in, int t);

/* The escaped text of a column's value in a record of type t; NULL if
 * unset. */
static inline const char *
input_value(
    struct agg_input *in, const struct rec *r, int t, int col, size_t *n)
{
	return join_raw(&in->join, r, in->col[col].in[t], n);
}

struct agg_cond;

/* --where 'COL OP VALUE' */
struct agg_where {
	char **arg; /* as given */
	int n;
	struct agg_cond *cond;
	struct buf tmp;
};

/* A condition more; arg is kept, and changed. */
void where_add(struct agg_where *w, char *arg);

/* Parses the conditions and asks for their columns; nonsense is fatal. */
void where_make(struct agg_where *w, struct agg_input *in);

/* Whether all hold for a record of type t. */
bool where_holds(
    struct agg_where *w, struct agg_input *in, const struct rec *r, int t);

struct sort_key {
	const char *name;
	bool down;
	/* one of them says where its values come from: a column of -g, a
	 * statistic or a column of the input; the others are -1 */
	int group, stat, col;
};

/* The keys of --sort. */
struct agg_sort {
	struct sort_key *key;
	int n;
};

/* A value to sort by: numbers before texts, unset last. */
struct sort_val {
	enum { SORT_NUM, SORT_TEXT, SORT_UNSET } kind;
	double d;
	const char *s; /* the caller's text */
	size_t n;
};

/* Adds the keys of a comma list, which is kept. Nonsense is fatal. */
void sort_parse(struct agg_sort *o, const char *arg);

/* The value of a raw text; NULL is unset. */
struct sort_val sort_value(const char *s, size_t n);

/* One item's values, a value per key, against another's. */
int sort_cmp(const struct agg_sort *o, const struct sort_val *x,
    const struct sort_val *y);

/* Appends the values of an item as bytes; and the order of such bytes, a
 * runs_cmp of runs.h whose ctx is the struct agg_sort. */
void sort_pack(struct buf *b, const struct sort_val *v, int n);
int sort_cmp_packed(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn);

/* The order of n items, whose values stand one after the other in v: idx[n]
 * gets their places. Equals stay in order. */
void sort_items(
    const struct agg_sort *o, const struct sort_val *v, size_t n, size_t *idx);

enum agg_stat {
	ST_COUNT, /* of the group, as ST_UNION: not of a field's values */
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

/* What a value is wanted for, besides sum, least and greatest. */
enum { ACC_VALUES = 1 /* percentiles */, ACC_STD = 2 };

struct stat_col { /* a column of the result */
	enum agg_stat stat;
	const char *word; /* of -a */
	int field;        /* -1: none */
	double p;         /* percentile */
	char *name;
};

/* The statistic of a word of -a, of no field yet; *per_field: whether there is
 * one for each field. An unknown word is fatal. */
struct stat_col stat_parse(const char *word, bool *per_field);

/* The standard word of an alias ("avg" is "mean"), or the alias itself. */
const char *stat_word(const char *alias);

/* The name of its column, for free(); field: of the input, NULL for one that
 * is not of a field. */
char *stat_name(const struct stat_col *s, const char *field);

/* The reverse: from the name of a column of a result to the statistic, its
 * word, and its field, a view into name (NULL: it is of no field). False for
 * another column, and for a share, whose name does not tell its field. */
bool stat_result(const char *name, struct stat_col *s, const char **field);

/* Frees what stat_result() has made for s: the word of a percentile. */
void stat_free(const struct stat_col *s);

/* Whether it is the share of that field. */
bool stat_is_pct(const char *name, const char *field);

struct agg_field { /* of -f */
	int col;
	bool numeric; /* read as a number */
	bool ends;    /* its first or last text is wanted */
	int want;     /* ACC_VALUES, ACC_STD */
};

struct agg_spec {
	/* asked for, with input.tag and where.arg */
	const char *as; /* the type of the result's records */
	char **groups, **fields, **stats;
	char **words; /* of stats, without the field behind a colon */
	int ngroups, nfields, nstats;
	char **cut; /* without statistics: the columns that are left */
	int ncut;
	int64_t limit; /* -1: none */
	bool rest;
	struct agg_sort sort;
	struct agg_where where;
	bool partial; /* with what --merge needs */
	/* made of that */
	struct agg_input in;
	char **names; /* of the groups in the result; NULL: the columns' */
	int *group_col, *cut_col;
	struct agg_field *field; /* those of -f, then those of -a STAT:FIELD */
	int nfield;
	struct stat_col *stat; /* none: the records themselves */
	int nstat;
	int start_col, dur_col, src_col; /* for unions; -1 */
};

/* Makes the columns and statistics; fatal if they make no sense. */
void spec_make(struct agg_spec *a, struct rec_reader *rd);

/* Adds a statistic, which has its name and field: what is kept of the field
 * for it. */
void spec_stat(struct agg_spec *a, struct stat_col s);

/* Where the keys of --sort are; spec_make() does it too. */
void spec_keys(struct agg_spec *a);

/* The name of a group in the result. */
const char *spec_group(const struct agg_spec *a, int i);

/* And of a field. */
const char *spec_field(const struct agg_spec *a, int i);

struct agg_merge;

struct agg_plan {
	struct agg_spec **spec; /* one without statistics stands alone */
	int n;
	bool pass;   /* the input is passed on, the results behind it */
	char **keep; /* of it only these types; NULL: all */
	int nkeep;
	bool partial, merge;
	size_t memory;            /* -S */
	struct agg_merge *merged; /* of --merge, until the process ends */
};

/* One more aggregation; the options that follow are its own. */
struct agg_spec *plan_add(struct agg_plan *p);

/* Sets defaults; options that exclude each other are fatal. */
void plan_check(struct agg_plan *p);

#endif
