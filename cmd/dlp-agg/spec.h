/* What was asked for, and what that makes of columns and statistics. */
#ifndef AGG_SPEC_H
#define AGG_SPEC_H

#include "acc.h"
#include "sort.h"
#include "where.h"

struct stat_col { /* a column of the result */
	enum stat stat;
	const char *word; /* of -a */
	int field;        /* -1: none */
	double p;         /* percentile */
	char *name;
};

struct field { /* of -f */
	int col;
	bool numeric; /* read as a number */
	bool ends;    /* its first or last text is wanted */
	int want;     /* ACC_VALUES, ACC_STD */
};

struct spec {
	/* asked for, with input.tag and where.arg */
	const char *as; /* the type of the result's records */
	char **groups, **fields, **stats;
	char **words; /* of stats, without the field behind a colon */
	int ngroups, nfields, nstats;
	char **cut; /* without statistics: the columns that are left */
	int ncut;
	int64_t limit; /* -1: none */
	bool rest;
	struct sort sort;
	struct where where;
	bool partial; /* with what --merge needs */
	/* made of that */
	struct input in;
	char **names; /* of the groups in the result; NULL: the columns' */
	int *group_col, *cut_col;
	struct field *field; /* those of -f, then those of -a STAT:FIELD */
	int nfield;
	struct stat_col *stat; /* none: the records themselves */
	int nstat;
	int start_col, dur_col, src_col; /* for unions; -1 */
};

/* Makes the columns and statistics; fatal if they make no sense. */
void spec_make(struct spec *a, struct rec_reader *rd);

/* Where the keys of --sort are; spec_make() does it too. */
void spec_keys(struct spec *a);

/* The name of a group in the result. */
const char *spec_group(const struct spec *a, int i);

/* And of a field. */
const char *spec_field(const struct spec *a, int i);

/* Of the name of a column of a result: which statistic, its word, and of
 * which field, a view into name; NULL: of none. False: it is none, or a
 * share. */
bool spec_result(const char *name, struct stat_col *s, const char **field);

/* Whether it is the share of that field. */
bool spec_is_pct(const char *name, const char *field);

#endif
