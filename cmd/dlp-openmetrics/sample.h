/* The samples of the metrics: a value for each combination of labels. */
#ifndef OM_SAMPLE_H
#define OM_SAMPLE_H

#include "buf.h"
#include "map.h"
#include "table.h"

struct sample {
	uint64_t n;       /* values */
	int64_t i;        /* their sum or extreme, while it is exact */
	double sum, sq;   /* of the differences from the first: see add */
	double first, of; /* of: HOW_SHARE: the second sum */
	bool exact;       /* all were integers */
};

struct family { /* zeroed: a metric and its samples */
	const struct metric *m;
	struct smap labels; /* {a="b"}; number of the sample */
	struct sample *v;
	size_t cap;
};

/* Appends ,name="value" to a list of labels, the first without the comma.
 * raw: as records hold it; NULL: unknown. */
void label_put(struct buf *b, const char *name, const char *raw, size_t n);

/* Adds a value, as records hold it; of: that of the second column, or NULL.
 * False if it is not known, or no number. */
bool sample_add(struct family *f, const struct buf *labels, const char *raw,
    size_t n, const char *of, size_t nof);

/* Appends the metric as the format has it; nothing without samples. */
void family_print(const struct family *f, struct buf *out);

#endif
