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

	return db_string(ns->string, id, out);
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
	if (db_step(ns->value) && db_str(ns->value, 0) != NULL)
		text = xstrdup(db_str(ns->value, 0));
	sqlite3_reset(ns->value);
	return text;
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
is_shown(const struct profile *p, enum ev_kind kind, const char *name)
{
	const struct parse *run = p->run;
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

static void *
nsys_open(struct profile *p)
{
	static const char *const need[] = { "id", "value", NULL };
	struct nsys *ns = xcalloc(1, sizeof(*ns));
	static const char *const tables[] = { "META_DATA_EXPORT",
		"EXPORT_META_DATA" };
	static const char *const queries[] = {
		"SELECT value FROM META_DATA_EXPORT WHERE name = ?1",
		"SELECT value FROM EXPORT_META_DATA WHERE name = ?1"
	};
	long major, minor;
	char *text, *dot;
	size_t i;

	ns->prof = p;
	ns->db = p->db;
	major = 0;
	minor = 0;
	for (i = 0; i < 2; i++) {
		text = nsys_value(
		    ns, tables[i], queries[i], "EXPORT_SCHEMA_VERSION");
		if (text == NULL)
			continue;
		major = strtol(text, NULL, 10);
		dot = strchr(text, '.');
		minor = dot != NULL ? strtol(dot + 1, NULL, 10) : 0;
		free(text);
	}
	/* 0 if a number is missing or impossibly large */
	major = major > 0 && major < 100000 ? major : 0;
	minor = minor > 0 && minor < 100000 ? minor : 0;
	ns->schema = (int)(major * 1000 + minor);
	ns->nvtx_end = ns->range_end = ns->push_end = EV_UNSET;
	p->sources.only_int = INT_START;
	p->sources.shown = is_shown;
	if (db_has_columns(p->db, "StringIds", need))
		ns->string = db_prepare(
		    p->db, "SELECT value FROM StringIds WHERE id = ?1");
	nsys_add_rows(ns);
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

static const char *
nsys_option(enum ev_kind kind)
{
	static const char *const options[EV_KINDS] = {
		[EV_RANGE] = "--trace=nvtx",
		[EV_MARK] = "--trace=nvtx",
		[EV_LIB] = "--trace=cudnn,cublas",
		[EV_OS] = "--trace=osrt",
		[EV_NODE] = "--cuda-graph-trace=node",
		[EV_GRAPH] = "--cuda-graph-trace=graph",
		[EV_SAMPLE] = "--sample=process-tree",
		[EV_EVENT] = "--cuda-event-trace=true",
		[EV_MEM] = "--cuda-memory-usage=true",
	};

	if (options[kind] != NULL)
		return options[kind];
	return kind == EV_OVER || kind == EV_DIAG || kind == EV_SERIES
		   ? NULL
		   : "--trace=cuda";
}

const struct dialect dialect_nsys = {
	.name = "nsys",
	.probe = nsys_probe,
	.strings = "StringIds",
	.open = nsys_open,
	.close = nsys_close,
	.facts = nsys_facts,
	.string = nsys_string,
	.pid = gid_pid,
	.notes = nsys_notes,
	.picked = nsys_picked,
	.option = nsys_option,
	.has_code = nsys_has_code,
	.code = nsys_code,
	.stack = nsys_stack,
};
