/* The stage of dlp-ranks: from records to collectives. */
#ifndef RANKS_RUN_H
#define RANKS_RUN_H

#include "stage.h"

/* rules: a file, NULL: the shipped one. */
void run_open(struct stage *st, const char *rules);

#endif
