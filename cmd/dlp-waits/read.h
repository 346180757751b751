/* The stream's records to waits. */
#ifndef WAITS_READ_H
#define WAITS_READ_H

#include "stage.h"

struct waits;

void read_open(struct waits *w, struct stage *st);

#endif
