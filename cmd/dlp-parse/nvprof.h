/*
 * The parts of the nvprof dialect: nvprof.c knows the database as a whole,
 * nvprof_facts.c its session, nvprof_rows.c and nvprof_marker.c its rows,
 * nvprof_cbid.c the numbers of API functions.
 */
#ifndef DLP_NVPROF_H
#define DLP_NVPROF_H

#include <sqlite3.h>

#include "dialect.h"
#include "map.h"

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

/* API functions are string ids too: negative ones, which the file's own
 * table never has. */
enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };
int64_t nvprof_api_id(enum nvprof_api api, int64_t cbid);

/* Appends the function's name, runtime_cbid_N if the number is unknown. */
void nvprof_api_name(int64_t id, struct buf *out);

/* The text of an NVTX domain, "" for the default domain; lives as long as
 * nv. */
const char *nvprof_domain(struct nvprof *nv, int64_t name_id);

/* Column i as an integer; EV_UNSET if it is something else. */
int64_t nvprof_num(sqlite3_stmt *st, int i);

/* The same for the id of one of the file's strings. */
int64_t nvprof_name(sqlite3_stmt *st, int i);

/* Sets start and end from columns i and i + 1; false for a damaged row,
 * which is counted. */
bool nvprof_times(struct nvprof *nv, sqlite3_stmt *st, int i, struct event *ev);

/* What a marker or an overhead belongs to. */
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };

/* The process and the thread of the object whose kind and id are in these
 * columns; what it does not tell is left as it was. */
void nvprof_object(
    sqlite3_stmt *st, int kind, int id, int64_t *pid, int64_t *tid);

/* A string of the file, or an API function's name; see dialect.string. */
bool nvprof_string(void *ctx, int64_t id, struct buf *out);

/* Adds a source for every table of events that the file has. */
void nvprof_sources(struct nvprof *nv, struct sources *ss);
void nvprof_markers(struct nvprof *nv, struct sources *ss);

void nvprof_facts(void *ctx);

#endif
