/*
 * The dialect of DLProf's own database (dlprof_dldb.sqlite): the database, its
 * dictionary and its facts are dldb_reader.c, its tables with events
 * dldb_rows.c, its ops and their runs dldb_ops.c.
 */
#ifndef DLP_PARSE_DLDB_READER_H
#define DLP_PARSE_DLDB_READER_H

#include "dialect.h"
#include "ivl.h"
#include "map.h"

struct dev_fact;
struct out_type;

extern const struct dialect dialect_dldb;

#define DLDB_MAX_MISSING 64

struct dldb_run {
	int64_t op, nth; /* the op's row; the number of its run */
	int64_t row;     /* the run's own row */
	int64_t inst_id; /* its number in the stream */
	int64_t start;
	int64_t gpu_lo, gpu_hi;
	int64_t n_kern, n_gpu, n_call;
	struct ivl_by gpu;
	struct ivl api;
	bool wanted;
};

struct dldb_in {
	struct profile *prof;
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
	struct map nth_of; /* run's row -> number of the run, if not in start
			    * order */
	bool disordered;
	struct map run_at;  /* run's row -> number in run, from 1 */
	struct map run_key; /* op and number of the run -> the same */
	struct dldb_run *run;
	size_t n_run, cap_run;
	uint32_t *spare; /* numbers of runs that are closed */
	size_t n_spare, cap_spare;
	struct buf shapes, names, outs; /* of the op that is written */
	/* the tables dlp_* */
	sqlite3_stmt *marker;
	struct map kept_at; /* dictionary id -> number in kept */
	struct smap kept;
	uint64_t stray; /* work outside of the run that it belongs to */
};

/* The table's columns, as db_cols() returns them; the ones that are missing are
 * remembered for a message. NULL if the table is missing. The caller frees the
 * result. */
char *dldb_cols(struct dldb_in *d, const char *table, const char *const *names);

/* A text of the dictionary; see dialect.string. */
bool dldb_string(void *ctx, int64_t id, struct buf *out);

/* dldb_rows.c */

void dldb_rows(struct dldb_in *d);

/* The tables dlp_*, which dlp-dldb adds to DLProf's: events, facts, devices.
 * Databases that DLProf itself wrote do not have them. */
void dldb_own_rows(struct dldb_in *d);
void dldb_own_close(struct dldb_in *d);

/* Writes the facts for which known() is false. Returns false if there are no
 * facts at all. */
bool dldb_own_facts(struct dldb_in *d, bool (*known)(const char *name));

/* Adds the facts of a device that DLProf's tables do not have. */
void dldb_own_dev(struct dldb_in *d, struct dev_fact *f);

/* How an op was recognised; escaped, NULL if the database does not record it.
 */
const char *dldb_own_marker(struct dldb_in *d, int64_t op_row);

/* dldb_ops.c */

void dldb_ops_open(struct dldb_in *d);
void dldb_ops_close(struct dldb_in *d);

/* Runs of ops, in order; see dialect.h. */
void dldb_run(void *ctx, const struct event *ev, bool wanted);
void dldb_run_end(void *ctx, const struct event *ev);
bool dldb_work(void *ctx, const struct event *ev, struct work_op *op);

/* Begins a record of the n columns, with src if there are several files. *type
 * is declared at its first record. */
void dldb_rec(struct dldb_in *d, struct out_type **type, const char *tag,
    const char *const *cols, int n);

#endif
