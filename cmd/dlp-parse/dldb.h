/* The dialect of DLProf's own database (dlprof_dldb.sqlite). */
#ifndef DLP_PARSE_DLDB_H
#define DLP_PARSE_DLDB_H

#include "dialect.h"

extern const struct dialect dialect_dldb;

#endif
