/* Kernels, copies and graphs, and the calls that launch work. */
#ifndef ADVISE_WORK_H
#define ADVISE_WORK_H

#include "facts.h"
#include "stage.h"

/* Sets the callbacks of their records. */
void work_bind(struct stage *st, struct facts *f);

/* From the first kernel to the end of the last; false if there is none. */
bool work_span(int64_t *lo, int64_t *hi);

void work_forget(void);

#endif
