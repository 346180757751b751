/* Rows that come of group and finding records, at the end. */
#ifndef DLP_DLDB_GROUPS_H
#define DLP_DLDB_GROUPS_H

#include "dldb.h"

void groups_write(struct dldb *d, int64_t aggr);

/* Ops are the leaves of groups: from op_nodes. */
void leaves_write(struct db *db);

void findings_write(struct dldb *d, int64_t aggr);

#endif
