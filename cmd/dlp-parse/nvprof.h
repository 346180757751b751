/*
 * The dialect of nvprof. nvprof.c reads the database, nvprof_cbid.c has the
 * names of API functions.
 */
#ifndef DLP_PARSE_NVPROF_H
#define DLP_PARSE_NVPROF_H

#include "dialect.h"
#include "map.h"

extern const struct dialect dialect_nvprof;

/* nvprof_cbid.c: API functions have string ids, too: negative ones, which the
 * file's own table never has. */
enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };
int64_t nvprof_api_id(enum nvprof_api api, int64_t cbid);

/* Appends the function's name, or runtime_cbid_N if the number is unknown. */
void nvprof_api_name(int64_t id, struct buf *out);

#endif
