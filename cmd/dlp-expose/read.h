/* The stream's records to copies and kernels. */
#ifndef EXPOSE_READ_H
#define EXPOSE_READ_H

#include "stage.h"

struct expose;

void read_open(struct expose *x, struct stage *st);

#endif
