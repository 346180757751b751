/* The stage: record callbacks of dlp-flops. */
#ifndef FLOPS_FLOPS_H
#define FLOPS_FLOPS_H

#include "stage.h"

/* Sets the callbacks for str, dev, op and kern. */
void flops_attach(struct stage *st);

/* After the run: one line on standard error if there are kernels whose work
 * should be counted, but is unknown. */
void flops_say(void);

#endif
