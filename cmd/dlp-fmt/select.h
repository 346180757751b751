/* Which record type is printed, and which of its columns. */
#ifndef FMT_SELECT_H
#define FMT_SELECT_H

#include "fmt.h"

/* The first sets std_type; the others
 * set col, ncol and nhidden: to those of -c, or to those of a legend. */
void select_type(struct fmt *f);
void select_columns(struct fmt *f, struct rec_type *t);
void select_default(struct fmt *f, const struct rec *legend);

#endif
