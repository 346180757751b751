/* Memory in use, what recording cost, and what the recorder lost. */
#ifndef ADVISE_RECORDER_H
#define ADVISE_RECORDER_H

#include "facts.h"
#include "stage.h"

/* Sets the callbacks of mem, over and diag records. */
void recorder_bind(struct stage *st);

/* What recording cost from lo to hi, and loading. */
void recorder_over(struct facts *f, int64_t lo, int64_t hi);

#endif
