/* A table as ncu writes it: CSV among lines of its log; or TSV. */
#ifndef NCU_CSV_H
#define NCU_CSV_H

#include "lines.h"

struct csv {
	struct lines in;
	char sep;
	struct buf text; /* the fields of a row, each with a NUL behind it */
	size_t *at;      /* where each begins */
	int n, cap;
	struct buf line;
};

/* Opens the file and reads the row of names: the first line that has one of
 * a kernel's name. Fatal if there is none. */
void csv_open(struct csv *c, const char *path);

/* The next row that is none of the log's; false at the end. */
bool csv_next(struct csv *c);

static inline const char *
csv_field(const struct csv *c, int i)
{
	return c->text.s + c->at[i];
}

int csv_find(const struct csv *c, const char *name); /* -1: none */
void csv_close(struct csv *c);

#endif
