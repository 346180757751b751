/* Statistics by their words (of -a), and by the names of their columns. */
#ifndef AGG_STAT_H
#define AGG_STAT_H

#include "acc.h"

struct stat_col { /* a column of the result */
	enum stat stat;
	const char *word; /* of -a */
	int field;        /* -1: none */
	double p;         /* percentile */
	char *name;
};

/* What a word of -a asks for, of no field yet; *per_field: whether there is
 * one for each field. Fatal if it is none. */
struct stat_col stat_parse(const char *word, bool *per_field);

/* The standard word of an alias ("avg" is "mean"), or the alias itself. */
const char *stat_word(const char *alias);

/* The name of its column, for free(); field: of the input, NULL for one that
 * is not of a field. */
char *stat_name(const struct stat_col *s, const char *field);

/* Of the name of a column of a result: which statistic, its word, and of
 * which field, a view into name; NULL: of none. False: it is none, or a
 * share. */
bool stat_result(const char *name, struct stat_col *s, const char **field);

/* Frees what stat_result() has made for s: the word of a percentile. */
void stat_free(const struct stat_col *s);

/* Whether it is the share of that field. */
bool stat_is_pct(const char *name, const char *field);

#endif
