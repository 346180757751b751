/*
 * Rows of large tables, written as SQLite would have, without it: into a file
 * that it has made, in which the tables are empty, and does not have open
 * meanwhile. Rows come nearly in the order of their ids; so do those of an
 * index, or it is left empty.
 */
#ifndef DLP_DLDB_BULK_H
#define DLP_DLDB_BULK_H

#include "db.h"
#include "tree.h"
#include "window.h"

struct bulk_table;

struct bulk {
	struct pages pages;
	struct bulk_root { /* of tables and indices */
		char *name;
		uint32_t page;
	} * roots;
	size_t n_roots;
	struct bulk_table *tables;
};

/* sql has the file open; then nobody has. */
void bulk_roots(struct bulk *b, sqlite3 *sql);
void bulk_open(struct bulk *b, const char *file, const char *path);

/* The table of that name, with n columns, and its index, if it has one: its
 * entries are made of the rows, or, if not by_rows, come by bulk_entry(). */
struct bulk_table *bulk_table(
    struct bulk *b, const char *name, int n, bool by_rows);
/* A row, id first (0: the next one); false: not taken, as it comes too late or
 * its id is there. */
bool bulk_add(struct bulk_table *t, const int64_t *row);
/* An entry of the index: its columns and the row's id, in their order. */
void bulk_entry(struct bulk_table *t, const int64_t *entry);

/* All is written; the file can be opened. lacks is called with each table whose
 * index lacks entries. */
void bulk_close(
    struct bulk *b, void (*lacks)(void *ctx, const char *table), void *ctx);

#endif
