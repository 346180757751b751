/*
 * The database that is written: the tables of `nsys export --type=sqlite`, with
 * its names and columns. A table is created with its first row, as nsys does.
 * All failures are fatal.
 */
#ifndef RECDB_H
#define RECDB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECDB_SCHEMA "3.24.0" /* whose numbers the rows have */
#define RECDB_NULL INT64_MIN

enum recdb_table {
	RT_STRINGS,
	RT_CAPTURE,
	RT_EXPORT,
	RT_ENV,
	RT_STARTED,
	RT_DETAILS,
	RT_DIAGNOSTIC,
	RT_NVTX,
	RT_SCHEMAS,
	RT_ENTRIES,
	RT_ENUMS,
	RT_ENUM_ENTRIES,
	RT_KERNEL,
	RT_MEMCPY,
	RT_MEMSET,
	RT_CALLS,
	RT_SYNC,
	RT_CUDA_EVENT,
	RT_GRAPH_TRACE,
	RT_NODES,
	RT_GRAPHS,
	RT_MEMORY,
	RT_POOLS,
	RT_OVERHEAD,
	RT_PROCESSES,
	RT_THREADS,
	RT_GPU,
	RT_DEVICE,
	RT_NVTX_DEVICE,
	RT_NVTX_STREAM,
	RT_CONTEXT,
	RT_STREAM,
	RT_SERIES, /* our own */
	RECDB_TABLES
};

struct recdb {
	sqlite3 *sql;
	const char *path; /* for messages */
	char *temp;       /* its name until it is complete */
	sqlite3_stmt *insert[RECDB_TABLES];
	sqlite3_stmt *row; /* the one that is being filled */
	int col;
};

/* Makes a database beside path, which gets that name in recdb_finish(). Fatal
 * if path exists, unless force is set. */
void recdb_create(struct recdb *db, const char *path, bool force);
void recdb_finish(struct recdb *db);

/* A row: begin, a value for each column in order, end. */
void recdb_begin(struct recdb *db, enum recdb_table t);
void recdb_i64(struct recdb *db, int64_t v); /* RECDB_NULL: NULL */
void recdb_f64(struct recdb *db, double v);
void recdb_text(struct recdb *db, const char *s, size_t n); /* s NULL: NULL */
void recdb_str(struct recdb *db, const char *s);
void recdb_nulls(struct recdb *db, int n);
void recdb_end(struct recdb *db); /* columns without a value are NULL */

#endif
