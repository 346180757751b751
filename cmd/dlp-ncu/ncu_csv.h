/* The rows of a file that ncu wrote: CSV among lines of its log; or of a TSV.
 */
#ifndef NCU_CSV_H
#define NCU_CSV_H

#include "lines.h"

struct ncu_csv {
	struct lines in;
	char sep;
	struct buf text; /* the fields of a row, each with a NUL behind it */
	size_t *at;      /* where each begins */
	int n, cap;
	struct buf line;
};

/* Opens the file and reads the row of names: the first line with a column for
 * the kernel's name. Fatal if there is none. */
void csv_open(struct ncu_csv *c, const char *path);

/* The next row, past lines of the log; false at the end. */
bool csv_next(struct ncu_csv *c);

/* Field i of the row; valid until the next one. */
static inline const char *
csv_field(const struct ncu_csv *c, int i)
{
	return c->text.s + c->at[i];
}

int csv_find(const struct ncu_csv *c, const char *name); /* -1: none */
void csv_close(struct ncu_csv *c);

#endif
