/* The stream's records to the phases. */
#ifndef PHASES_READ_H
#define PHASES_READ_H

#include "stage.h"

struct phases;

void read_open(struct phases *p, struct stage *st);

#endif
