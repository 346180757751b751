/*
 * The tables, indices and views of DLProf 1.8.0's database, by the names
 * and columns that scripts ask for.
 */
#ifndef DLP_DLDB_DDL_H
#define DLP_DLDB_DDL_H

#include <stdbool.h>

struct db;

void ddl_tables(struct db *db);
void ddl_views(struct db *db);

/* Those of the aggregated tables are dropped, while rows are added. */
void ddl_no_indices(struct db *db);

/* After the rows. An index that cannot be unique is not. */
void ddl_indices(struct db *db, bool aggregated);

#endif
