/*
 * The database that is written. It has a temporary name next to the final one
 * and gets the final name when it is complete, so a run that fails leaves
 * nothing. All failures are fatal.
 *
 * Its tables, indices and views are those of DLProf 1.8.0, with the names and
 * columns that scripts use. Tables dlp_* hold the other data that dlp's reports
 * need.
 */
#ifndef DB_H
#define DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum db_table { /* in the order in which they are created */
	T_DICTIONARY,
	T_GRID_BLOCK,
	T_MODEL_INFO,
	T_GPU_INFOS,
	T_GPU_MEMORIES,
	T_SYSTEM_CONFIG,
	T_DB_VERSION,
	T_MODEL_CONFIG,
	T_DOMAINS,
	T_OPS,
	T_SUB_OPS,
	T_OP_INSTANCES,
	T_KERNELS,
	T_MEMSETS,
	T_MEMCPYS,
	T_CUDA_SYNCS,
	T_CUDA_CALLS,
	T_AGGREGATIONS,
	T_CATEGORY_SUMMARY,
	T_METRIC,
	T_NODE_TIME_METRICS,
	T_KERNEL_TIME_METRICS,
	T_EXPERT_SYSTEMS_FEEDBACK,
	T_ITERATION_KEY,
	T_ITERATION_LIST,
	T_ITERATION_AGGREGATION_LIST,
	T_MODEL_SUMMARY,
	T_DEVICE_GPU_UTILIZATIONS,
	T_OP_NODES,
	T_GROUP_OPS,
	T_KERNEL_SUMMARIES,
	T_KERNEL_ITERATION_NODE,
	T_KERNEL_ITERATION_STATS,
	T_KERNEL_SUMMARY_METRICS,
	T_MEMORY_SUMMARY_METRICS,
	T_OP_TYPE_METRICS,
	T_DLP_FACTS,
	T_DLP_DEVICES,
	T_DLP_OPS,
	T_DLP_RANGES,
	T_DLP_OS_CALLS,
	T_DLP_MEMORY,
	DB_TABLES
};

struct db_insert {          /* into one table */
	sqlite3_stmt *st;   /* one row; NULL if not prepared */
	sqlite3_stmt *many; /* for db_add(): many rows in one statement */
	int64_t *rows;      /* rows that wait */
	int n_rows, n_cols;
};

struct db {
	sqlite3 *sql;
	struct db_insert ins[DB_TABLES];
	sqlite3_stmt *find_text; /* NULL if not prepared */
	const char *path;
	char *temp; /* NULL: writes to path itself */
};

/* Creates a database. Fatal if path exists, unless force is set. */
void db_create(struct db *db, const char *path, bool force);
/* Opens an existing one and begins a transaction. */
void db_open(struct db *db, const char *path);
/* Writes all rows of db_add() so far, so that queries find them. */
void db_flush(struct db *db);
/* Commits and closes everything; path is the database from now on. */
void db_finish(struct db *db);
/* Closes it and removes what db_create() made. */
void db_drop(struct db *db);

void db_exec(struct db *db, const char *sql);

/* Adds a row. fmt has a letter per column after id: i int64_t, f double, t
 * const char * (NULL is ""), n nothing (NULL). id 0 means the next one; returns
 * the id. */
int64_t db_put(
    struct db *db, enum db_table t, int64_t id, const char *fmt, ...);

/* NULL, in a row of integers. */
#define DB_NULL INT64_MIN
/* Adds a row of n integers, id first (0: the next one), or DB_NULL, to a table
 * with many rows. Some rows wait, and are written together. */
void db_add(struct db *db, enum db_table t, const int64_t *row, int n);
#define DB_ADD(db, t, ...)                                                     \
	db_add(db, t, (const int64_t[]){ __VA_ARGS__ },                        \
	    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
/* The id of a text in the dictionary, to which it is added if necessary. */
int64_t db_put_text(struct db *db, const char *s, size_t n);

/* The first value of a query's first row; def if there is no row. */
int64_t db_int(struct db *db, const char *sql, int64_t def);

void ddl_tables(struct db *db);

void ddl_views(struct db *db); /* db_views.c */

/* Drops the indices of the aggregated tables while rows are added. */
void ddl_no_indices(struct db *db);

/* Creates the indices, after the rows. If the rows do not allow a unique index,
 * it is not unique. */
void ddl_indices(struct db *db, bool aggregated);

#endif
