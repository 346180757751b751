/* The tables dlp_*: what the reports need and DLProf's tables do not hold. */
#ifndef DLP_DLDB_OWN_H
#define DLP_DLDB_OWN_H

#include "dldb.h"

/* Rows for ranges, calls of the operating system and memory events as they
 * pass. */
void own_start(struct stage *st);

/* How an op was recognized; the raw half. */
void own_op(struct dldb *d, int64_t op_id, const char *by, size_t n);

/* A device; numbers can be DB_NULL. */
struct own_dev {
	int64_t dev, clock_hz, mem_bytes, membw_bytes_s;
};
void own_dev(struct dldb *d, const struct own_dev *dev);

/* Bytes; 0 if there were no memory events. */
int64_t own_mem_peak(struct dldb *d, int64_t dev);

/* At the end: ##info as it is, but for what dlp-iter says. */
void own_facts(struct dldb *d);

#endif
