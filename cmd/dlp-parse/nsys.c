/*
 * The dialect of Nsight Systems' SQLite exports, 2020 to 2026. No table and
 * no column is sure to be there, and none is read by its position: exports
 * are lazy (a table exists if it has rows), and versions add, rename and
 * move columns.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "nsys.h"
#include "num.h"
#include "stage.h"

static bool
probe(sqlite3 *db)
{
	static const char *const tables[] = { "StringIds", "NVTX_EVENTS",
		"META_DATA_EXPORT", "EXPORT_META_DATA" };
	size_t i;

	if (db_has_table(db, "StringTable"))
		return false; /* nvprof */
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (db_has_table(db, tables[i]))
			return true;
	return db_has_column(db, "CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid") ||
	       db_has_column(db, "CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
}

char *
nsys_value(struct nsys *ns, const char *table, const char *sql, const char *arg)
{
	sqlite3_stmt *st;
	char *text = NULL;

	if (!db_has_table(ns->db, table))
		return NULL;
	/* a table that lacks what the query needs tells nothing */
	if (sqlite3_prepare_v2(ns->db, sql, -1, &st, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_bind_text(st, 1, arg, -1, SQLITE_STATIC);
	if (db_step(st) && sqlite3_column_type(st, 0) != SQLITE_NULL)
		text = xstrdup((const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

/* A number in a version; 0 if there is none, or one that nobody wrote. */
static int
version_part(const char *s)
{
	long v = strtol(s, NULL, 10);

	return v > 0 && v < 100000 ? (int)v : 0;
}

static int
schema_of(struct nsys *ns)
{
	static const char *const tables[] = { "META_DATA_EXPORT",
		"EXPORT_META_DATA" };
	int major = 0, minor = 0;
	char *text, *dot;
	size_t i;

	for (i = 0; i < 2; i++) {
		text = nsys_value(ns, tables[i],
		    i == 0 ? "SELECT value FROM META_DATA_EXPORT"
			     " WHERE name = ?1"
			   : "SELECT value FROM EXPORT_META_DATA"
			     " WHERE name = ?1",
		    "EXPORT_SCHEMA_VERSION");
		if (text == NULL)
			continue;
		major = version_part(text);
		dot = strchr(text, '.');
		minor = dot != NULL ? version_part(dot + 1) : 0;
		free(text);
	}
	return major * 1000 + minor;
}

/* Only tables are read: a view can hold any SQL. */
static void
count_view(struct nsys *ns, const char *table)
{
	sqlite3_stmt *st;

	st = db_prepare(ns->db,
	    "SELECT 1 FROM sqlite_master WHERE type <> 'index' AND"
	    " name = '%s' COLLATE NOCASE",
	    table);
	if (db_step(st)) {
		ns->views++;
		warn("%s: %s is no table of its own: not read", db_path(),
		    table);
	}
	sqlite3_finalize(st);
}

struct source *
nsys_source(struct nsys *ns, struct sources *ss, enum ev_kind kind,
    const char *table, row_fn *row, const char *const *names)
{
	struct source *s;

	if (!db_has_table(ns->db, table)) {
		count_view(ns, table);
		return NULL;
	}
	if (!db_has_column(ns->db, table, names[0])) {
		warn("%s: %s has no column '%s': not read", db_path(), table,
		    names[0]);
		return NULL;
	}
	s = source_add(ss, kind, table, row);
	s->from = xstrdup(table);
	s->cols = db_cols(ns->db, table, names);
	s->start = db_col(ns->db, table, names[0]);
	s->end = db_col(ns->db, table, "end");
	return s;
}

void
nsys_thread(sqlite3_stmt *st, int i, struct event *ev)
{
	int64_t gid = db_i64(st, i);

	if (gid == EV_UNSET)
		return;
	ev->pid = nsys_pid(gid);
	ev->tid = nsys_tid(gid);
}

int64_t
nsys_num(sqlite3_stmt *st, int i)
{
	int64_t v = db_i64(st, i);

	return v != 4294967295 ? v : EV_UNSET;
}

bool
nsys_times(sqlite3_stmt *st, struct event *ev)
{
	sqlite3_value *start = sqlite3_column_value(st, 1);

	if (sqlite3_value_type(start) != SQLITE_INTEGER) {
		dialect_bad_row();
		return false;
	}
	ev->start = sqlite3_value_int64(start);
	ev->end = db_i64(st, 2);
	return true;
}

const char *
nsys_mem_kind(int64_t kind)
{
	static const char *const names[] = { "pageable", "pinned", "device",
		"array", "managed", "device-static", "managed-static",
		"unknown" };

	return kind >= 0 && kind < 8 ? names[kind] : NULL;
}

static void *
open_nsys(sqlite3 *db, struct sources *ss)
{
	struct nsys *ns = xcalloc(1, sizeof(*ns));

	ns->db = db;
	ns->schema = schema_of(ns);
	if (db_has_column(db, "StringIds", "id") &&
	    db_has_column(db, "StringIds", "value"))
		ns->string =
		    db_prepare(db, "SELECT value FROM StringIds WHERE id = ?1");
	nsys_add_nvtx(ns, ss);
	nsys_add_cpu(ns, ss);
	nsys_add_gpu(ns, ss);
	return ns;
}

static void
close_nsys(void *ctx)
{
	struct nsys *ns = ctx;

	sqlite3_finalize(ns->string);
	sqlite3_finalize(ns->other);
	map_free(&ns->threads);
	map_free(&ns->devs);
	map_free(&ns->domains);
	smap_free(&ns->domain_names);
	free(ns);
}

static bool
string(void *ctx, int64_t id, struct buf *out)
{
	struct nsys *ns = ctx;
	bool has = false;
	const void *s;

	if (ns->string == NULL)
		return false;
	sqlite3_bind_int64(ns->string, 1, id);
	if (db_step(ns->string)) {
		s = sqlite3_column_text(ns->string, 0);
		has = s != NULL;
		if (has)
			buf_put(out, s,
			    (size_t)sqlite3_column_bytes(ns->string, 0));
	}
	sqlite3_reset(ns->string);
	return has;
}

static void
notes(void *ctx)
{
	struct nsys *ns = ctx;

	static const struct left_out left_out[] = {
		{ "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "unified_memory_events" },
		{ "CUDA_UM_GPU_PAGE_FAULT_EVENTS", "unified_memory_events" },
		{ "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "cuda_events" },
		{ "CUPTI_ACTIVITY_KIND_OPENACC_DATA", "openacc_events" },
		{ "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "openacc_events" },
		{ "CUPTI_ACTIVITY_KIND_OPENACC_OTHER", "openacc_events" },
		{ "GPU_METRICS", "gpu_metric_samples" },
		{ "GPU_CONTEXT_SWITCH_EVENTS", "gpu_context_switches" },
	};

	stage_note("nvtx_other_rows", ns->nvtx_other);
	db_note_rows(ns->db, left_out, sizeof(left_out) / sizeof(left_out[0]));
	stage_note("unknown_domains", ns->unknown_domains);
	stage_note("views_not_read", ns->views);
}

static void
picked(void *ctx, const struct source *s, int64_t v)
{
	struct nsys *ns = ctx;

	if (s->kind == EV_KERN)
		map_put(&ns->devs, (uint64_t)v, NULL);
	else
		nsys_nvtx_other(ns, v);
}

static const char *
option(enum ev_kind kind)
{
	switch (kind) {
	case EV_RANGE:
	case EV_MARK:
		return "--trace=nvtx";
	case EV_LIB:
		return "--trace=cudnn,cublas";
	case EV_OS:
		return "--trace=osrt";
	case EV_NODE:
		return "--cuda-graph-trace=node";
	case EV_GRAPH:
		return "--cuda-graph-trace=graph";
	case EV_MEM:
		return "--cuda-memory-usage=true";
	case EV_OVER:
	case EV_DIAG:
		return NULL;
	default:
		return "--trace=cuda";
	}
}

const struct dialect dialect_nsys = {
	.name = "nsys",
	.probe = probe,
	.open = open_nsys,
	.close = close_nsys,
	.facts = nsys_facts,
	.string = string,
	.pid = nsys_pid,
	.notes = notes,
	.picked = picked,
	.option = option,
};
