/* The metrics of dlp-openmetrics: the table that names them, and their
 * samples, a value for each combination of labels. */
#ifndef OM_H
#define OM_H

#include "buf.h"
#include "map.h"

#define OM_LABELS 8 /* of a metric, at most */

enum om_how {
	HOW_SUM,
	HOW_MEAN,
	HOW_MIN,
	HOW_MAX,
	HOW_STDDEV,
	HOW_SHARE,
	HOW_FLAG
};

enum om_where { /* which records count */
	WHERE_ALL,
	WHERE_WORK, /* with -i only those in an iteration */
	WHERE_STEP  /* those in a step, or between two */
};

/* A line of the table; metrics.tab says what its columns mean. */
struct om_metric {
	char *name, *record, *value;
	char *of; /* HOW_SHARE: the column of the second sum */
	enum om_how how;
	enum om_where where;
	char *label[OM_LABELS], *column[OM_LABELS];
	int nlabel;
	char *help;
	const char *unit; /* seconds, bytes, ratio or NULL */
};

struct om_table {
	struct om_metric *v;
	size_t n, cap;
};

/* Reads a table, or the shipped one if path is NULL. Mistakes in it are
 * fatal. */
void om_table_read(struct om_table *t, const char *path);

struct om_sample;

struct om_family { /* zeroed: a metric and its samples */
	const struct om_metric *m;
	struct smap labels; /* {a="b"}; its number is that of the sample */
	struct om_sample *v;
	size_t cap;
};

struct om_labels {              /* of a sample */
	struct buf list;        /* a="b",c="d" */
	struct buf text, fixed; /* of the value that is added */
};

/* Appends a label. raw: its value as records hold it; NULL: unknown. */
void om_label(struct om_labels *l, const char *name, const char *raw, size_t n);

/* Adds a value, as records hold it; of: the value of the second column, or
 * NULL. A value that is unset or no number is left out. */
void om_sample(struct om_family *f, const struct om_labels *labels,
    const char *raw, size_t n, const char *of, size_t nof);

/* Appends the metric in the OpenMetrics text format; nothing if it has no
 * samples. */
void om_print(const struct om_family *f, struct buf *out);

#endif
