/* Rows that are held until the type is known. */
#ifndef FMT_HOLD_H
#define FMT_HOLD_H

#include "fmt.h"

/* Legends and rows that come while the type is not known; then, if
 * they are of one type, put prints them. hold_row is true when no more can be
 * held. */
void hold_legend(struct fmt *f, const struct rec *r);
bool hold_row(struct fmt *f, const struct rec *r);
void hold_print(
    struct fmt *f, void (*put)(struct fmt *f, const struct writer_cell *v));

#endif
