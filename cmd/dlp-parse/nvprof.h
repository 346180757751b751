/*
 * The dialect of nvprof. nvprof.c knows the database, the columns that all its
 * tables share, and the facts of the session; nvprof_rows.c has the tables with
 * events, nvprof_cbid.c the names of API functions.
 */
#ifndef DLP_PARSE_NVPROF_H
#define DLP_PARSE_NVPROF_H

#include "dialect.h"
#include "map.h"

extern const struct dialect dialect_nvprof;

#define NVPROF_TABLE(name) "CUPTI_ACTIVITY_KIND_" name

struct nvprof {
	struct profile *prof;
	sqlite3 *db;
	sqlite3_stmt *string; /* StringTable by id */
	int64_t t0;           /* earliest time in the file: the origin */
	struct map context;   /* contextId -> deviceId */
	struct map domain;    /* name id -> number in domains, from 1 */
	char **domains;
	size_t n_domains, cap_domains;
	bool has_timeline; /* the kernels of a second run are left out */
	uint64_t untimed;  /* rows whose times were not recorded */
};

/* The text of an NVTX domain, "" for the default domain; lives as long as
 * nv. */
const char *nvprof_domain(struct nvprof *nv, int64_t name_id);

/* A value as an integer; EV_UNSET if it has another type. */
int64_t nvprof_num(sqlite3_value *v);

/* The same for the id of one of the file's strings. */
int64_t nvprof_name(sqlite3_value *v);

/* Sets start and end from two columns, col[0..1]; false for a damaged row,
 * which is counted. */
bool nvprof_times(struct nvprof *nv, const struct ev_source *s,
    sqlite3_value **col, struct event *ev);

/* The kind of object that a marker or an overhead belongs to. */
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };

/* The process and thread of the object of this kind and id. A member that the
 * object does not name keeps its value. */
void nvprof_object(
    sqlite3_value *kind, sqlite3_value *id, int64_t *pid, int64_t *tid);

/* The i-th text of a table; NULL if the table is shorter. */
#define NVPROF_PICK(table, i)                                                  \
	((i) >= 0 && (i) < (int64_t)ARRAY_LEN(table) ? (table)[i] : NULL)

/* The name of a memory kind; NULL for an unknown number. */
const char *nvprof_mem_kind(int64_t kind);

/* A source over a table with these columns (NULL at the end); NULL if the file
 * does not have the table or its start column. */
struct ev_source *nvprof_source(struct nvprof *nv, enum ev_kind kind,
    const char *table, row_fn *row, const char *const *cols);

/* nvprof_rows.c: makes sources of the tables. */
void nvprof_add_rows(struct nvprof *nv);

/* nvprof_cbid.c: API functions have string ids, too: negative ones, which the
 * file's own table never has. */
enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };
int64_t nvprof_api_id(enum nvprof_api api, int64_t cbid);

/* Appends the function's name, or runtime_cbid_N if the number is unknown. */
void nvprof_api_name(int64_t id, struct buf *out);

#endif
