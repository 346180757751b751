/* The numbers of API functions, and their names. */
#ifndef DLP_PARSE_NVPROF_CBID_H
#define DLP_PARSE_NVPROF_CBID_H

#include <stdint.h>

#include "buf.h"

/* API functions are string ids too: negative ones, which the file's own
 * table never has. */
enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };
int64_t nvprof_api_id(enum nvprof_api api, int64_t cbid);

/* Appends the function's name, runtime_cbid_N if the number is unknown. */
void nvprof_api_name(int64_t id, struct buf *out);

#endif
