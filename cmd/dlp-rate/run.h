/* The records of dlp-rate. */
#ifndef RATE_RUN_H
#define RATE_RUN_H

#include "stage.h"

/* Sets the callbacks for dev and the n types. */
void rate_attach(struct stage *st, char **types, int n);

/* After the run: a line on standard error about GPUs without peaks. */
void rate_say(void);

#endif
