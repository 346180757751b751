/* What is written of the phases. */
#ifndef PHASES_PUT_H
#define PHASES_PUT_H

#include "phase.h"

/* Writes a row as a record. */
void put_phase(const struct phases *p, const struct phase *ph);

#endif
