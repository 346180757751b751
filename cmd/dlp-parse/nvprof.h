/* The dialect of nvprof. */
#ifndef DLP_PARSE_NVPROF_H
#define DLP_PARSE_NVPROF_H

#include "dialect.h"

extern const struct dialect dialect_nvprof;

#endif
