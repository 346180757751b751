/* The stream's records to memory. */
#ifndef MEM_READ_H
#define MEM_READ_H

#include "stage.h"

struct mem;

void read_open(struct mem *m, struct stage *st);

#endif
