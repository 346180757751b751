/* What was asked for, and what that makes of columns and statistics. */
#ifndef AGG_SPEC_H
#define AGG_SPEC_H

#include "sort.h"
#include "stat.h"
#include "where.h"

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

/* Adds a statistic, which has its name and field: what is kept of the field
 * for it. */
void spec_stat(struct spec *a, struct stat_col s);

/* Where the keys of --sort are; spec_make() does it too. */
void spec_keys(struct spec *a);

/* The name of a group in the result. */
const char *spec_group(const struct spec *a, int i);

/* And of a field. */
const char *spec_field(const struct spec *a, int i);

#endif
