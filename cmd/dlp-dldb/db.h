/*
 * The database that is written: under a name of its own beside the wanted
 * one, which it gets when it is whole; so a run that fails leaves nothing.
 * All failures are fatal.
 *
 * Its tables, indices and views are those of DLProf 1.8.0, by the names and
 * columns that scripts ask for; tables dlp_* hold what the reports of dlp need
 * besides.
 */
#ifndef DB_H
#define DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum db_table { /* in the order in which they are made */
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
	sqlite3_stmt *st;   /* of one row; NULL: not prepared */
	sqlite3_stmt *many; /* of db_add(): so many rows at once */
	int64_t *rows;      /* that wait */
	int n_rows, n_cols;
};

struct db {
	sqlite3 *sql;
	struct db_insert ins[DB_TABLES];
	sqlite3_stmt *find_text; /* NULL: not prepared */
	const char *path;
	char *temp; /* NULL: path itself is written to */
};

/* A new one. Fatal if path exists, unless force. */
void db_create(struct db *db, const char *path, bool force);
/* One that is there, in which a transaction begins. */
void db_open(struct db *db, const char *path);
/* All rows of db_add() so far are there for queries. */
void db_flush(struct db *db);
/* Commits, closes, with all statements; path is the database from now on. */
void db_finish(struct db *db);
/* Closes; what db_create() made is gone. */
void db_drop(struct db *db);

/* Ends with the database's message. */
void db_fail(const struct db *db) __attribute__((noreturn));

void db_exec(struct db *db, const char *sql);
bool db_try(struct db *db, const char *sql); /* false: a constraint */

/* Adds a row. fmt has a letter per column behind id: i int64_t, f double, t
 * const char * (NULL is ""), n nothing (NULL). id 0: the next one; returns the
 * id. */
int64_t db_put(
    struct db *db, enum db_table t, int64_t id, const char *fmt, ...);

/* NULL, in a row of integers. */
#define DB_NULL INT64_MIN
/* A row of n integers, id first (0: the next one), or DB_NULL, for tables with
 * many: some wait, and go together. */
void db_add(struct db *db, enum db_table t, const int64_t *row, int n);
#define DB_ADD(db, t, ...)                                                     \
	db_add(db, t, (const int64_t[]){ __VA_ARGS__ },                        \
	    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
/* The id of a text in the dictionary, which gets it if need be. */
int64_t db_put_text(struct db *db, const char *s, size_t n);

/* The first value of a query's first row; def if it has none. */
int64_t db_int(struct db *db, const char *sql, int64_t def);

/* db_schema.c */
const char *db_table_name(enum db_table t);
int db_table_cols(enum db_table t); /* id among them */
void ddl_tables(struct db *db);

void ddl_views(struct db *db); /* db_views.c */

/* Drops the indices of the aggregated tables while rows are added. */
void ddl_no_indices(struct db *db);

/* Makes the indices, after the rows. An index that cannot be unique is made
 * without. */
void ddl_indices(struct db *db, bool aggregated);

#endif
