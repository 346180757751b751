/*
 * The dialect of Nsight Systems' SQLite exports, 2020 to 2026. Any table and
 * any column can be missing, and columns are found by name, never by position,
 * because exports are lazy (a table exists only if it has rows) and versions
 * add, rename and move columns.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "drop.h"
#include "nsys.h"
#include "profile.h"
#include "schema.h"
#include "stage.h"

bool
nsys_string(void *ctx, int64_t id, struct buf *out)
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

char *
nsys_value(struct nsys *ns, const char *table, const char *sql, const char *arg)
{
	char *text = NULL;

	if (!db_has_table(ns->db, table))
		return NULL;
	if (ns->value_sql == NULL || strcmp(ns->value_sql, sql) != 0) {
		sqlite3_finalize(ns->value);
		ns->value = NULL;
		/* a table without the query's columns counts as missing */
		if (sqlite3_prepare_v2(ns->db, sql, -1, &ns->value, NULL) !=
		    SQLITE_OK)
			ns->value = NULL;
		ns->value_sql = sql;
	}
	if (ns->value == NULL)
		return NULL;
	sqlite3_bind_text(ns->value, 1, arg, -1, SQLITE_STATIC);
	if (db_step(ns->value) &&
	    sqlite3_column_type(ns->value, 0) != SQLITE_NULL)
		text = xstrdup((const char *)sqlite3_column_text(ns->value, 0));
	sqlite3_reset(ns->value);
	return text;
}

/* Only tables are read, because a view can run any SQL. */
static void
count_view(struct nsys *ns, const char *table)
{
	if (!db_names(ns->db, table))
		return;
	ns->views++;
	warn("%s: %s is no table of its own: not read", db_path(), table);
}

/* Columns of which --drop can say that no record shows them. */
static const struct {
	const char *name, *shown_as;
} shown[] = {
	{ "contextId", "ctx" },
	{ "streamId", "stream" },
	{ "gridX", "grid" },
	{ "gridY", "grid" },
	{ "gridZ", "grid" },
	{ "blockX", "block" },
	{ "blockY", "block" },
	{ "blockZ", "block" },
	{ "registersPerThread", "regs" },
	{ "staticSharedMemory", "smem_bytes" },
	{ "dynamicSharedMemory", "dynsmem_bytes" },
	{ "returnValue", "ret" },
};

/* Only --kernel-names shows mangled names, --rows also what GPU work's call
 * returned, and --stream selects by the stream. */
static bool
is_shown(const struct parse *run, enum ev_kind kind, const char *name)
{
	size_t i;

	if (strcmp(name, "mangledName") == 0)
		return run->out.kernel_names;
	if (run->out.rows || run->sel.any)
		return true;
	for (i = 0; i < ARRAY_LEN(shown); i++)
		if (strcmp(name, shown[i].name) == 0)
			return !drop_column(
			    select_name(kind), shown[i].shown_as);
	return true;
}

#define MAX_NAMES 24

/* As db_cols(), with NULL for columns that no record shows. */
static char *
shown_cols(struct nsys *ns, enum ev_kind kind, const char *table,
    const char *const *names)
{
	const char *v[MAX_NAMES + 1];
	int i;

	for (i = 0; i < MAX_NAMES && names[i] != NULL; i++)
		v[i] = is_shown(ns->prof->run, kind, names[i]) ? names[i] : "";
	v[i] = NULL;
	return db_cols(ns->db, table, v);
}

struct ev_source *
nsys_source(struct nsys *ns, enum ev_kind kind, const char *table, row_fn *row,
    const char *const *names)
{
	struct ev_source *s;

	if (!db_has_table(ns->db, table)) {
		count_view(ns, table);
		return NULL;
	}
	if (!source_needs(&ns->prof->sources, ns->db, kind, table, names[1]))
		return NULL;
	s = source_add(&ns->prof->sources, kind, table, row);
	s->keyless = !EV_IS_GPU(kind);
	s->apart = s->keyless && kind != EV_CALL;
	s->from = xstrdup(table);
	s->cols = shown_cols(ns, kind, table, names);
	s->start = db_col(ns->db, table, names[1]);
	s->end = db_col(ns->db, table, "end");
	return s;
}

void
nsys_thread(sqlite3_value *v, struct event *ev)
{
	int64_t gid = db_value(v);

	if (gid == EV_UNSET)
		return;
	ev->pid = nsys_pid(gid);
	ev->tid = nsys_tid(gid);
}

int64_t
nsys_num(sqlite3_value *v)
{
	int64_t n = db_value(v);

	return n != 4294967295 ? n : EV_UNSET;
}

bool
nsys_times(const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (sqlite3_value_type(col[2]) != SQLITE_INTEGER) {
		source_bad_row(s);
		return false;
	}
	ev->start = sqlite3_value_int64(col[2]);
	ev->end = db_value(col[3]);
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

static int
nsys_probe(sqlite3 *db)
{
	static const char *const tables[] = { "StringIds", "NVTX_EVENTS",
		"META_DATA_EXPORT", "EXPORT_META_DATA" };
	int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tables); i++)
		n += db_has_table(db, tables[i]);
	n += db_has_column(db, "CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid");
	n += db_has_column(db, "CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
	return n;
}

/* A number in a version; 0 if it is missing or impossibly large. */
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

static void *
nsys_open(struct profile *p)
{
	sqlite3 *db = p->db;
	struct nsys *ns = xcalloc(1, sizeof(*ns));

	ns->prof = p;
	ns->db = db;
	ns->schema = schema_of(ns);
	ns->nvtx_end = ns->range_end = ns->push_end = EV_UNSET;
	if (db_has_column(db, "StringIds", "id") &&
	    db_has_column(db, "StringIds", "value"))
		ns->string =
		    db_prepare(db, "SELECT value FROM StringIds WHERE id = ?1");
	nsys_add_cpu(ns);
	nsys_add_gpu(ns);
	nsys_add_stacks(ns);
	return ns;
}

static void
nsys_close(void *ctx)
{
	struct nsys *ns = ctx;

	sqlite3_finalize(ns->string);
	sqlite3_finalize(ns->other);
	sqlite3_finalize(ns->value);
	sqlite3_finalize(ns->devs_listed);
	nsys_close_stacks(ns);
	map_free(&ns->threads);
	map_free(&ns->devs);
	map_free(&ns->domains);
	smap_free(&ns->domain_names);
	free(ns);
}

static void
nsys_notes(void *ctx)
{
	struct nsys *ns = ctx;

	static const struct left_out left_out[] = {
		{ "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "unified_memory_events" },
		{ "CUDA_UM_GPU_PAGE_FAULT_EVENTS", "unified_memory_events" },
		{ "CUPTI_ACTIVITY_KIND_OPENACC_DATA", "openacc_events" },
		{ "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "openacc_events" },
		{ "CUPTI_ACTIVITY_KIND_OPENACC_OTHER", "openacc_events" },
		{ "GPU_METRICS", "gpu_metric_samples" },
		{ "GPU_CONTEXT_SWITCH_EVENTS", "gpu_context_switches" },
	};

	stage_note("nvtx_other_rows", ns->nvtx_other);
	stage_note("os_other_rows", ns->os_other);
	stage_note("cuda_events", nsys_events_lost(ns));
	db_note_rows(ns->db, left_out, ARRAY_LEN(left_out));
	stage_note("unknown_domains", ns->unknown_domains);
	stage_note("views_not_read", ns->views);
	stage_note("python_stacks_not_exported", ns->stack.py_lost);
}

static void
nsys_picked(void *ctx, sqlite3 *db, const struct ev_source *s, int64_t v,
    int64_t row, int64_t start, int64_t end)
{
	struct nsys *ns = ctx;

	if (s->kind == EV_SAMPLE)
		return;
	if (s->kind == EV_KERN) {
		if (v != EV_UNSET)
			map_put(&ns->devs, (uint64_t)v, NULL);
		return;
	}
	nsys_nvtx_picked(ns, db, v, row, start, end);
}

static const char *
nsys_option(enum ev_kind kind)
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
	case EV_SAMPLE:
		return "--sample=process-tree";
	case EV_EVENT:
		return "--cuda-event-trace=true";
	case EV_MEM:
		return "--cuda-memory-usage=true";
	case EV_OVER:
	case EV_DIAG:
	case EV_SERIES:
		return NULL;
	default:
		return "--trace=cuda";
	}
}

const struct dialect dialect_nsys = {
	.name = "nsys",
	.probe = nsys_probe,
	.strings = "StringIds",
	.open = nsys_open,
	.close = nsys_close,
	.facts = nsys_facts,
	.string = nsys_string,
	.pid = nsys_pid,
	.notes = nsys_notes,
	.picked = nsys_picked,
	.option = nsys_option,
	.has_code = nsys_has_code,
	.code = nsys_code,
	.stack = nsys_stack,
};
