/* What is known of the session: system, model, GPUs, domain. */
#ifndef DLP_DLDB_FACTS_H
#define DLP_DLDB_FACTS_H

#include "dldb.h"

void facts_start(struct stage *st);
void facts_meta(struct dldb *d, const struct rec *r);

/* "NAME=VALUE", which no ##info line changes, or "NAME?=VALUE", which one
 * does; false if it is none. */
bool facts_set(struct dldb *d, const char *fact);

/* At the end: the rows. */
void facts_write(struct dldb *d);

/* The GPUs: their number, and the i-th one's device number. */
size_t facts_ndev(void);
int64_t facts_dev(size_t i);
/* The id of its row. */
int64_t facts_gpu_id(int64_t dev);

#endif
