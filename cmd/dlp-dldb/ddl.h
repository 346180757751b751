/*
 * The tables, indices and views of DLProf 1.8.0's database, by the names
 * and columns that scripts ask for.
 */
#ifndef DLP_DLDB_DDL_H
#define DLP_DLDB_DDL_H

#include <stdbool.h>
#include <stddef.h>

struct db;

void ddl_tables(struct db *db);
/* The name of table i, NULL behind the last one. */
const char *ddl_table(int i);
void ddl_views(struct db *db);

/* Columns of a table, id among them; fatal if there is no such table. */
int ddl_ncols(const char *table);
/* The place of a column among them: id is at 0. */
int ddl_col(const char *table, const char *name, size_t len);

/* Those of the aggregated tables are dropped, while rows are added. */
void ddl_no_indices(struct db *db);

/* After the rows: those that are not there. An index that cannot be unique is
 * not. */
void ddl_indices(struct db *db, bool aggregated);

/* That of one table: its name, in buf; its columns' places, and how many, 0 if
 * the table has none; made anew,
 * while the table is empty. */
#define DDL_NAME 80
const char *ddl_index_name(const char *table, char buf[DDL_NAME]);
int ddl_index_cols(const char *table, int *cols);
void ddl_index(struct db *db, const char *table);

#endif
