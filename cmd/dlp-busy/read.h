/* The stream's records to the devices' time. */
#ifndef BUSY_READ_H
#define BUSY_READ_H

#include "stage.h"

struct busy;

void read_open(struct busy *b, struct stage *st);

#endif
