/* The stream's records to the reports. */
#ifndef STATS_READ_H
#define STATS_READ_H

#include "stage.h"

void read_open(struct stage *st);

#endif
