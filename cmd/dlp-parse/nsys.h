/* The dialect of Nsight Systems. */
#ifndef DLP_PARSE_NSYS_H
#define DLP_PARSE_NSYS_H

#include "dialect.h"

extern const struct dialect dialect_nsys;

#endif
