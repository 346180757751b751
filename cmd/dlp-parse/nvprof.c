/*
 * The dialect of nvprof and the Visual Profiler (*.nvvp, *.nvprof), database
 * versions 8 to 18. Names are mangled and API functions are numbers. Times
 * are absolute; the origin is PyProf's: the earliest start of any call,
 * kernel or marker.
 */
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "demangle_old.h"
#include "err.h"
#include "nvprof.h"
#include "nvprof_cpu.h"
#include "nvprof_facts.h"
#include "nvprof_gpu.h"
#include "nvprof_marker.h"
#include "nvprof_row.h"
#include "schema.h"
#include "stage.h"

/* Tables whose rows are left out, and the note that counts them; the first
 * only where there is a timeline. */
static const struct left_out left_out[] = {
	{ NVPROF_TABLE("KERNEL"), "metrics_run_kernels" },
	{ NVPROF_TABLE("CDP_KERNEL"), "device_launched_kernels" },
	{ NVPROF_TABLE("UNIFIED_MEMORY_COUNTER"), "unified_memory_events" },
	{ NVPROF_TABLE("METRIC"), "metric_values" },
	{ NVPROF_TABLE("EVENT"), "counter_values" },
	{ NVPROF_TABLE("OPENACC_DATA"), "openacc_events" },
	{ NVPROF_TABLE("OPENACC_LAUNCH"), "openacc_events" },
	{ NVPROF_TABLE("OPENACC_OTHER"), "openacc_events" },
	{ NVPROF_TABLE("OPENMP"), "openmp_events" },
};

static bool
probe(sqlite3 *db)
{
	static const char *const any[] = { "Version", NVPROF_TABLE("RUNTIME"),
		NVPROF_TABLE("CONCURRENT_KERNEL"), NVPROF_TABLE("KERNEL"),
		NVPROF_TABLE("MARKER") };
	size_t i;

	/* A name that only this dialect has. */
	if (!db_has_table(db, "StringTable"))
		return db_has_table(db, NVPROF_TABLE("CONCURRENT_KERNEL"));
	for (i = 0; i < sizeof(any) / sizeof(any[0]); i++)
		if (db_has_table(db, any[i]))
			return true;
	return false;
}

static int64_t
origin(sqlite3 *db)
{
	static const struct {
		const char *table, *column;
	} all[] = {
		{ NVPROF_TABLE("DRIVER"), "start" },
		{ NVPROF_TABLE("RUNTIME"), "start" },
		{ NVPROF_TABLE("CONCURRENT_KERNEL"), "start" },
		{ NVPROF_TABLE("KERNEL"), "start" },
		{ NVPROF_TABLE("MARKER"), "timestamp" },
	};
	int64_t t0 = EV_UNSET, t;
	sqlite3_stmt *st;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!db_has_table(db, all[i].table) ||
		    !db_has_column(db, all[i].table, all[i].column))
			continue;
		st = db_prepare(db,
		    "SELECT min(%s) FROM %s WHERE %s > 0 AND typeof(%s) ="
		    " 'integer'",
		    all[i].column, all[i].table, all[i].column, all[i].column);
		t = db_step(st) ? nvprof_col(st, 0) : EV_UNSET;
		sqlite3_finalize(st);
		if (t != EV_UNSET && (t0 == EV_UNSET || t < t0))
			t0 = t;
	}
	return t0 == EV_UNSET ? 0 : t0;
}

static void
read_contexts(struct nvprof *nv)
{
	static const char table[] = NVPROF_TABLE("CONTEXT");
	static const char *const names[] = { "contextId", "deviceId", NULL };
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_table(nv->db, table))
		return;
	cols = db_cols(nv->db, table, names);
	st = db_prepare(nv->db, "SELECT %s FROM %s", cols, table);
	while (db_step(st))
		if (sqlite3_column_type(st, 0) == SQLITE_INTEGER &&
		    sqlite3_column_type(st, 1) == SQLITE_INTEGER)
			*map_put(&nv->context,
			    (uint64_t)sqlite3_column_int64(st, 0), NULL) =
			    (uint64_t)sqlite3_column_int64(st, 1);
	sqlite3_finalize(st);
	free(cols);
}

static void *
nv_open(sqlite3 *db, struct sources *ss)
{
	struct nvprof *nv = xcalloc(1, sizeof(*nv));

	nv->db = db;
	if (db_has_column(db, "StringTable", "_id_") &&
	    db_has_column(db, "StringTable", "value"))
		nv->string = db_prepare(
		    db, "SELECT value FROM StringTable WHERE _id_ = ?1");
	nv->t0 = origin(db);
	read_contexts(nv);
	nvprof_add_cpu(nv, ss);
	nvprof_add_gpu(nv, ss);
	nvprof_add_markers(nv, ss);
	return nv;
}

static void
nv_close(void *ctx)
{
	struct nvprof *nv = ctx;
	size_t i;

	for (i = 0; i < nv->n_domains; i++)
		free(nv->domains[i]);
	free(nv->domains);
	map_free(&nv->domain);
	map_free(&nv->context);
	sqlite3_finalize(nv->string);
	free(nv);
}

bool nvprof_old_names;

static bool
kernel(void *ctx, int64_t id, struct buf *out)
{
	struct buf b = { NULL, 0, 0 };
	bool has = nvprof_string(ctx, id, &b);

	/* Nothing with a NUL inside is mangled. */
	if (has && strlen(buf_str(&b)) == b.len)
		(nvprof_old_names ? demangle_old : demangle)(b.s, out);
	else
		buf_put(out, b.s, b.len);
	buf_free(&b);
	return has;
}

static void
notes(void *ctx)
{
	struct nvprof *nv = ctx;
	size_t from = nv->has_timeline ? 0 : 1;

	stage_note("untimed_rows", nv->untimed);
	db_note_rows(nv->db, left_out + from,
	    sizeof(left_out) / sizeof(left_out[0]) - from);
}

const struct dialect dialect_nvprof = {
	.name = "nvprof",
	.probe = probe,
	.open = nv_open,
	.close = nv_close,
	.facts = nvprof_facts,
	.string = nvprof_string,
	.kernel = kernel,
	.notes = notes,
};
