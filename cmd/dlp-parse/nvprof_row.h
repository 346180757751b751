/*
 * What all tables of nvprof have in common: times, numbers, strings, objects;
 * and how a table becomes a source.
 */
#ifndef DLP_PARSE_NVPROF_ROW_H
#define DLP_PARSE_NVPROF_ROW_H

#include <sqlite3.h>

#include "buf.h"
#include "map.h"
#include "source.h"

#define NVPROF_TABLE(name) "CUPTI_ACTIVITY_KIND_" name

struct nvprof {
	sqlite3 *db;
	sqlite3_stmt *string; /* StringTable by id */
	int64_t t0;           /* earliest time in the file: the origin */
	struct map context;   /* contextId -> deviceId */
	struct map domain;    /* name id -> number in domains, from 1 */
	char **domains;
	size_t n_domains, cap_domains;
	bool has_timeline; /* kernels of a second run are left out */
	uint64_t untimed;  /* rows whose times were not recorded */
};

/* The text of an NVTX domain, "" for the default domain; lives as long as
 * nv. */
const char *nvprof_domain(struct nvprof *nv, int64_t name_id);

/* A value as an integer; EV_UNSET if it is something else. */
int64_t nvprof_num(sqlite3_value *v);

/* The same of column i. */
static inline int64_t
nvprof_col(sqlite3_stmt *st, int i)
{
	return nvprof_num(sqlite3_column_value(st, i));
}

/* The same for the id of one of the file's strings. */
int64_t nvprof_name(sqlite3_value *v);

/* Sets start and end from two columns, col[0..1]; false for a damaged row,
 * which is counted. */
bool nvprof_times(struct nvprof *nv, sqlite3_value **col, struct event *ev);

/* What a marker or an overhead belongs to. */
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };

/* The process and the thread of the object of this kind and id; what it does
 * not tell is left as it was. */
void nvprof_object(
    sqlite3_value *kind, sqlite3_value *id, int64_t *pid, int64_t *tid);

/* A string of the file, or an API function's name; see dialect.string. */
bool nvprof_string(void *ctx, int64_t id, struct buf *out);

/* The i-th text of a table, NULL if it has none. */
#define NVPROF_PICK(table, i)                                                  \
	((i) >= 0 && (i) < (int64_t)(sizeof(table) / sizeof((table)[0]))       \
		? (table)[i]                                                   \
		: NULL)

/* The name of a memory kind; NULL for a number that has none. */
const char *nvprof_mem_kind(int64_t kind);

/* A source over a table with these columns (NULL at the end); NULL if the
 * file has no such table, or no start in it. */
struct source *nvprof_source(struct nvprof *nv, struct sources *ss,
    enum ev_kind kind, const char *table, row_fn *row, const char *const *cols);

#endif
