/* The stream's records to work and to what threads do. */
#ifndef GAPS_READ_H
#define GAPS_READ_H

#include "stage.h"

struct gaps;

/* types: of GPU work that counts; comma separated, checked. It is changed. */
void read_open(struct gaps *g, struct stage *st, const char *types);

#endif
