/*
 * The options of an aggregation: which records of the input it reads (struct
 * agg_input, agg_where), its columns and statistics (struct agg_spec), and the
 * order of the result (struct agg_sort). A run has one or several aggregations
 * (struct agg_plan).
 */
#pragma once

#include "buf.h"
#include "join.h"

#define INPUT_TYPES 16 /* the most types of one -T */

struct agg_column {
	const char *name;
	struct join_col *in[INPUT_TYPES];
};

/* The records of -T and their columns, by number: 0 is the first type, or the
 * first column that was requested. */
struct agg_input {
	struct join join;
	char **tag; /* the types; the caller owns them */
	int ntypes;
	struct rec_type *type[INPUT_TYPES];
	bool seen[INPUT_TYPES];   /* a record of the type was read */
	bool legend[INPUT_TYPES]; /* a legend of the type was read */
	bool any;                 /* --where was true for a record */
	struct agg_column *col;
	int ncol;
};

/* Called when tag and ntypes are set; rd must outlive in. */
void input_open(struct agg_input *in, struct rec_reader *rd);

/* The number of a column, called before the first record; name must outlive in.
 */
int input_column(struct agg_input *in, const char *name);

/* The same for a column that records may not have. */
int input_optional(struct agg_input *in, const char *name);

/* The column's own name, if it was requested by an alias. */
const char *input_canon(const struct agg_input *in, int col);

/* Takes a legend of type t. */
void input_legend(struct agg_input *in, int t);

/* The escaped text of a column's value in a record of type t; NULL if
 * unset. */
static inline const char *
input_value(
    struct agg_input *in, const struct rec *r, int t, int col, size_t *n)
{
	return join_raw(&in->join, r, in->col[col].in[t], n);
}

#define CUT_TERMS 64 /* parts of a computed column */

struct agg_term;
struct agg_cut {               /* of -c */
	char *name;            /* the new one; NULL: the column's own */
	int col;               /* -1: computed or unset */
	struct agg_term *term; /* n parts of what is computed */
	int n, digits;
	bool bar;
};

/* Parses what dlp-agg(1) says of -c and requests the columns; arg
 * must outlive c, and a bad one is fatal. */
void cut_parse(struct agg_cut *c, struct agg_input *in, const char *arg);

/* Appends the value in a record of type t. */
void cut_put(struct buf *b, const struct agg_cut *c, struct agg_input *in,
    const struct rec *r, int t);

struct agg_node;

/* --where 'COL OP VALUE', joined by && and || */
struct agg_where {
	char **arg; /* as given */
	int n;
	struct agg_node **expr;
	struct buf tmp;
};

/* Adds a condition; arg is kept, and changed. */
void where_add(struct agg_where *w, char *arg);

/* Parses the conditions and requests their columns; an invalid condition is
 * fatal. */
void where_make(struct agg_where *w, struct agg_input *in);

/* True if all conditions hold for a record of type t. */
bool where_holds(
    struct agg_where *w, struct agg_input *in, const struct rec *r, int t);

struct sort_col {
	const char *name;
	bool down;
	/* exactly one says where its values come from: a column of -g, a
	 * statistic or a column of the input; the others are -1 */
	int group, stat, col;
};

/* The keys of --sort. */
struct agg_sort {
	struct sort_col *key;
	int n;
};

/* Adds the keys of a comma list, which is kept. An invalid key is fatal. */
void sort_parse(struct agg_sort *o, const char *arg);

/* Appends bytes that sort like the raw text s, which is unset if NULL. */
void sort_key(struct buf *b, const char *s, size_t n, bool down);

enum agg_stat {
	ST_COUNT, /* of the group, not of a field's values, as is ST_UNION */
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
	ST_DRIFT,
	ST_DRIFTERR,
};

/* The data that a statistic needs besides sum, least and greatest value. */
enum { ACC_VALUES = 1 /* percentiles */, ACC_STD = 2, ACC_DRIFT = 4 };

struct stat_col { /* a column of the result */
	enum agg_stat stat;
	const char *word; /* of -a */
	int field;        /* -1 if none */
	double p;         /* percentile */
	char *name;
};

/* Finds the statistic, its word and its field from the name of a
 * result's column. The field is a view into name (NULL if it has none). False
 * for other columns, and for a share, because its name does not contain its
 * field. */
bool stat_result(const char *name, struct stat_col *s, const char **field);

/* Frees the word of a percentile, which stat_result() allocated. */
void stat_free(const struct stat_col *s);

/* True if it is the share of that field. */
bool stat_is_pct(const char *name, const char *field);

struct agg_field { /* of -f */
	int col;
	bool numeric; /* read as a number */
	bool length;  /* and never negative */
	bool ends;    /* its first or last text is needed */
	int want;     /* ACC_VALUES, ACC_STD */
};

struct agg_spec {
	/* options, with input.tag and where.arg */
	const char *as; /* the type of the result's records */
	char **groups, **fields, **stats;
	char **words; /* words of statistics, without the field after a colon */
	int ngroups, nfields, nstats;
	char **cuts; /* -c: without statistics, the columns to write */
	int ncut;
	int64_t limit; /* -1 if none */
	bool rest;
	bool optimizer; /* phase optimizer is a direction */
	struct agg_sort sort;
	struct agg_where where;
	bool partial; /* with the state that --merge needs */
	/* made from the options */
	struct agg_input in;
	char **names; /* names of the groups in the result; NULL: those of
		       * the columns */
	int *group_col;
	struct agg_cut *cut;
	int dir_group, phase_col; /* for it; otherwise -1 */
	struct agg_field *field;  /* those of -f, then those of -a STAT:FIELD */
	int nfield;
	struct stat_col *stat; /* none: the records themselves are written */
	int nstat;
	int start_col, dur_col, src_col; /* for unions; otherwise -1 */
};

/* Makes the columns and statistics; fatal if they are invalid. */
void spec_make(struct agg_spec *a, struct rec_reader *rd);

/* Adds a statistic, which has its name and field, and notes which data of the
 * field it needs. */
void spec_stat(struct agg_spec *a, struct stat_col s);

/* Finds the columns of the keys of --sort; spec_make() calls it too. */
void spec_keys(struct agg_spec *a);

/* The name of a group in the result. */
const char *spec_group(const struct agg_spec *a, int i);

/* The name of a field in the result. */
const char *spec_field(const struct agg_spec *a, int i);

struct agg_merge;

struct agg_plan {
	struct agg_spec **spec; /* one without statistics must be the only
				 * one */
	int n;
	bool pass;   /* the input is passed on, with the results after it */
	char **keep; /* only these types are passed on; NULL: all */
	int nkeep;
	bool partial, merge;
	size_t memory;            /* -S */
	struct agg_merge *merged; /* of --merge; lives as long as the process */
};

/* Adds an aggregation, to which the options that follow apply. */
struct agg_spec *plan_add(struct agg_plan *p);

/* Sets defaults; options that exclude each other are fatal. */
void plan_check(struct agg_plan *p);
