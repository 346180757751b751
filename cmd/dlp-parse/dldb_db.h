/*
 * What the parts of the reader of DLProf's database share: the database,
 * its dictionary, its ops and their runs that are open.
 */
#ifndef DLP_PARSE_DLDB_DB_H
#define DLP_PARSE_DLDB_DB_H

#include <sqlite3.h>

#include "buf.h"
#include "ivl_by.h"
#include "map.h"

#define DLDB_MAX_MISSING 64

struct dldb_op {
	int64_t row, op_id;
	uint32_t type; /* number in types, from 1 */
	uint32_t nth;  /* runs that began */
	uint32_t dir;  /* the same */
	bool none;     /* made for a call outside of all ops */
};

struct dldb_run {
	int64_t op, nth; /* the op's row; which of its runs */
	int64_t row;     /* its own */
	int64_t inst_id; /* its number in the stream */
	int64_t start;
	int64_t gpu_lo, gpu_hi;
	int64_t n_kern, n_gpu, n_call;
	struct ivl_by gpu;
	struct ivl api;
	bool wanted;
};

struct dldb {
	sqlite3 *db;
	sqlite3_stmt *string, *op_row;
	int64_t empty, graph; /* dictionary ids: "", "[CUDA graph]" */
	const char *missing[DLDB_MAX_MISSING]; /* "table.column" */
	int n_missing;
	/* ops, runs */
	struct map op_at; /* row -> number in op, from 1 */
	struct dldb_op *op;
	size_t n_op, cap_op;
	struct smap types; /* op types and directions, escaped */
	struct map nth_of; /* run's row -> which, if not in start order */
	bool disordered;
	struct map run_at;  /* run's row -> number in run, from 1 */
	struct map run_key; /* op and which -> the same */
	struct dldb_run *run;
	size_t n_run, cap_run;
	uint32_t *spare; /* numbers of runs that are closed */
	size_t n_spare, cap_spare;
	/* the tables dlp_* */
	sqlite3_stmt *marker;
	struct map kept_at; /* dictionary id -> number in kept */
	struct smap kept;
	uint64_t stray; /* work outside of the run that it names */
};

/* Columns of a table, as db_cols() has them; those that are missing are
 * remembered for a message. NULL if there is no such table. To be freed. */
char *dldb_cols(struct dldb *d, const char *table, const char *const *names);

/* A text of the dictionary; see dialect.string. */
bool dldb_string(void *ctx, int64_t id, struct buf *out);

#endif
