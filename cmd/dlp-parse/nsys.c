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
#include "nsys_cpu.h"
#include "nsys_facts.h"
#include "nsys_gpu.h"
#include "nsys_nvtx.h"
#include "nsys_row.h"
#include "schema.h"
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

static void *
open_nsys(sqlite3 *db, struct sources *ss)
{
	struct nsys *ns = xcalloc(1, sizeof(*ns));

	ns->db = db;
	ns->schema = schema_of(ns);
	ns->nvtx_end = ns->range_end = ns->push_end = EV_UNSET;
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
	stage_note("os_other_rows", ns->os_other);
	db_note_rows(ns->db, left_out, sizeof(left_out) / sizeof(left_out[0]));
	stage_note("unknown_domains", ns->unknown_domains);
	stage_note("views_not_read", ns->views);
}

static void
picked(void *ctx, sqlite3 *db, const struct source *s, int64_t v, int64_t row,
    int64_t start, int64_t end)
{
	struct nsys *ns = ctx;

	if (s->kind == EV_KERN) {
		if (v != EV_UNSET)
			map_put(&ns->devs, (uint64_t)v, NULL);
		return;
	}
	nsys_nvtx_time(ns, v, start);
	nsys_nvtx_time(ns, v, end);
	if (!nsys_nvtx_event(v))
		nsys_nvtx_other(ns, db, row);
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
	.string = nsys_string,
	.pid = nsys_pid,
	.notes = notes,
	.picked = picked,
	.option = option,
};
