/* The source of NVTX ranges and marks. */
#ifndef DLP_PARSE_NSYS_NVTX_H
#define DLP_PARSE_NSYS_NVTX_H

#include "nsys_row.h"

void nsys_add_nvtx(struct nsys *ns, struct sources *ss);

/* Whether rows of this eventType are ranges or marks. */
bool nsys_nvtx_event(int64_t type);

/* Keeps the last times that rows of these types have; t: EV_UNSET for none. */
void nsys_nvtx_time(struct nsys *ns, int64_t type, int64_t t);

/* Learns from a row that is no event, before any is written. */
void nsys_nvtx_other(struct nsys *ns, sqlite3 *db, int64_t row);

#endif
