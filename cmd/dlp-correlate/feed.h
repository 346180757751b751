/* The stream's records to the engine, and back with columns added. */
#ifndef DLP_FEED_H
#define DLP_FEED_H

#include "corr.h"

/* Binds the record types of an open stage to c, which must be zeroed but
 * for its options. */
void feed_start(struct corr *c, struct stage *st);

#endif
