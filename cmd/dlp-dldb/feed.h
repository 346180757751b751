/* What comes in, and to which half it goes. */
#ifndef DLP_DLDB_FEED_H
#define DLP_DLDB_FEED_H

#include "stage.h"

/* Each record of work, of a run and each string is read, given to the halves
 * that are made, and passed on. */
void feed_start(struct stage *st);

#endif
