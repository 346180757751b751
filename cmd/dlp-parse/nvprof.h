/* The dialect of nvprof. */
#ifndef DLP_PARSE_NVPROF_H
#define DLP_PARSE_NVPROF_H

#include "dialect.h"

extern const struct dialect dialect_nvprof;

/* Kernel names as PyProf's library made them readable; see demangle_old.h. */
extern bool nvprof_old_names;

#endif
