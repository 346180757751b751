/* The table of metrics; metrics.tab says what its columns are. */
#ifndef OM_TABLE_H
#define OM_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_LABELS 8

enum how {
	HOW_SUM,
	HOW_MEAN,
	HOW_MIN,
	HOW_MAX,
	HOW_STDDEV,
	HOW_SHARE,
	HOW_FLAG
};

struct metric {
	char *name, *record, *value;
	char *of; /* HOW_SHARE: the column of the second sum */
	enum how how;
	enum { WHERE_ALL, WHERE_WORK, WHERE_STEP } where; /* WORK: with -i */
	char *label[MAX_LABELS], *column[MAX_LABELS];
	int nlabel;
	char *help;
	const char *unit; /* seconds, bytes, ratio or NULL */
};

struct table {
	struct metric *v;
	size_t n, cap;
};

/* Reads the table file, NULL: the one that is shipped. What is wrong in it is
 * fatal. */
void table_read(struct table *t, const char *path);

#endif
