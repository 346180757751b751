/*
 * The facts of a session in Nsight Systems' files: the machine, its GPUs,
 * processes and threads. The names of the host and the user are never read. The
 * table that lists the GPUs, and its units, depend on the version.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "emit.h"
#include "nsys.h"
#include "num.h"
#include "profile.h"
#include "schema.h"

/* Column i as text; NULL if it is empty. */
static const char *
text_col(sqlite3_stmt *st, int i)
{
	const char *s = db_str(st, i);

	return s != NULL && *s != '\0' ? s : NULL;
}

/* Columns: dev, name, major, minor, SMs, clock, memory, bandwidth, uuid. Writes
 * one record per device if p is not NULL; true if there is a device. */
static bool
put_devs(sqlite3_stmt *st, const struct profile *p)
{
	struct dev_fact d;
	int64_t last = EV_UNSET;

	while (db_step(st)) {
		d = (struct dev_fact){ .dev = db_i64(st, 0),
			.name = text_col(st, 1),
			.cc_major = db_i64(st, 2),
			.cc_minor = db_i64(st, 3),
			.n_sm = db_i64(st, 4),
			.clock_hz = db_i64(st, 5),
			.mem_bytes = db_i64(st, 6),
			.membw_bytes_s = db_i64(st, 7),
			.uuid = text_col(st, 8) };
		if (d.dev != EV_UNSET && d.dev != last && p != NULL)
			fact_dev(p, &d);
		last = d.dev;
	}
	sqlite3_reset(st);
	return last != EV_UNSET;
}

/* True if a table maps the CUDA ordinals of the GPUs and each ordinal means one
 * GPU. Processes can see the same GPUs in different orders. */
static bool
has_ordinals(struct nsys *ns)
{
	static const char table[] = "TARGET_INFO_CUDA_DEVICE";
	static const char *const need[] = { "cudaId", "gpuId", NULL };

	return db_has_columns(ns->db, table, need) &&
	       db_has_column(ns->db, "TARGET_INFO_GPU", "id") &&
	       db_number(ns->db,
		   "SELECT count(*) FROM (SELECT gpuId FROM %s GROUP BY gpuId"
		   " HAVING min(cudaId) <> max(cudaId))",
		   table) == 0;
}

/* The table also lists adapters that cannot compute, with a capability of 0. */
static bool
dev_gpu(struct nsys *ns, const struct profile *p)
{
	static const char *const names[] = { "name", "computeMajor",
		"computeMinor", "smCount", "clockRate", "totalMemory",
		"memoryBandwidth", "uuid", NULL };
	static const char *const need[] = { "cuDevice", "computeMajor", NULL };
	char *cols;

	if (ns->devs_listed != NULL)
		return put_devs(ns->devs_listed, p);

	if (!db_has_columns(ns->db, "TARGET_INFO_GPU", need))
		return false;
	cols = db_cols(ns->db, "TARGET_INFO_GPU", names);
	ns->devs_listed = db_prepare(ns->db,
	    "SELECT %s AS dev, %s FROM TARGET_INFO_GPU g"
	    " WHERE computeMajor > 0 ORDER BY dev, rowid",
	    has_ordinals(ns)
		? "coalesce((SELECT min(cudaId) FROM"
		  " TARGET_INFO_CUDA_DEVICE c WHERE c.gpuId = g.id),"
		  " cuDevice)"
		: "cuDevice",
	    cols);
	free(cols);
	return put_devs(ns->devs_listed, p);
}

/* The table of 2020. Its clock is in kHz, its memory in MiB, and its bandwidth
 * is wrong, so it is not used. */
static bool
dev_cuda_gpu(struct nsys *ns, const struct profile *p)
{
	static const char *const names[] = { "deviceId", "name",
		"computeCapabilityMajor", "computeCapabilityMinor",
		"numMultiprocessors", NULL };
	static const char *const need[] = { "deviceId", "coreClockRate",
		"globalMemorySize", NULL };
	sqlite3_stmt *st;
	bool found;
	char *cols;

	if (!db_has_columns(ns->db, "TARGET_INFO_CUDA_GPU", need))
		return false;
	cols = db_cols(ns->db, "TARGET_INFO_CUDA_GPU", names);
	st = db_prepare(ns->db,
	    "SELECT %s, coreClockRate * 1000, globalMemorySize * 1048576, NULL,"
	    " NULL FROM TARGET_INFO_CUDA_GPU ORDER BY 1, rowid",
	    cols);
	found = put_devs(st, p);
	sqlite3_finalize(st);
	free(cols);
	return found;
}

bool
nsys_lists_devs(struct nsys *ns)
{
	return dev_gpu(ns, NULL) || dev_cuda_gpu(ns, NULL);
}

/* Names of facts and the queries that find them. */
static const struct {
	const char *fact, *table, *sql, *arg;
} facts[] = {
#define META(t) "SELECT value FROM " t " WHERE name = ?1"
#define ENV "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = ?1"
	{ "schema", "META_DATA_EXPORT", META("META_DATA_EXPORT"),
	    "EXPORT_SCHEMA_VERSION" },
	{ "schema", "EXPORT_META_DATA", META("EXPORT_META_DATA"),
	    "EXPORT_SCHEMA_VERSION" },
	{ "recorder", "META_DATA_EXPORT", META("META_DATA_EXPORT"),
	    "EXPORT_PRODUCT_VERSION" },
	{ "recorder", "EXPORT_META_DATA", META("EXPORT_META_DATA"),
	    "EXPORT_PRODUCT_VERSION" },
	/* dlp-record */
	{ "product", "META_DATA_EXPORT",
	    META("META_DATA_EXPORT") " AND value NOT LIKE '%Nsight%'",
	    "EXPORT_PRODUCT_NAME" },
	{ "markers", "META_DATA_CAPTURE", META("META_DATA_CAPTURE"),
	    "MARKERS" },
	{ "marker_ns", "META_DATA_CAPTURE", META("META_DATA_CAPTURE"),
	    "MARKER_NS" },
	{ "t0_ns", "TARGET_INFO_SESSION_START_TIME",
	    "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME", "" },
	{ "t0_utc", "TARGET_INFO_SESSION_START_TIME",
	    "SELECT utcTime FROM TARGET_INFO_SESSION_START_TIME", "" },
	{ "duration_ns", "ANALYSIS_DETAILS",
	    "SELECT duration FROM ANALYSIS_DETAILS", "" },
	{ "cpu", "TARGET_INFO_SYSTEM_ENV", ENV, "CpuDescription" },
	{ "n_cpu", "TARGET_INFO_SYSTEM_ENV", ENV, "CpuCores" },
	{ "os", "TARGET_INFO_SYSTEM_ENV", ENV, "OsDescription" },
	/* DLProf writes this table into the file */
	{ "framework", "SystemInfo", "SELECT framework FROM SystemInfo", "" },
	{ "cudnn", "SystemInfo", "SELECT cudnnVersion FROM SystemInfo", "" },
	{ "nsys_version", "SystemInfo", "SELECT nsysVersion FROM SystemInfo",
	    "" },
};

/* 5154304 is 515.43.04, 52510517 is 525.105.17; newer files have the
 * dots. Of CUDA, 11070 is 11.7. */
static void
put_version(struct nsys *ns, bool cuda)
{
	char *text = nsys_value(ns, "TARGET_INFO_SYSTEM_ENV", ENV,
	    cuda ? "CudaDriverVersion" : "NvDriverVersion");
	const char *name = cuda ? "cuda" : "driver";
	size_t n = text != NULL ? strlen(text) : 0;
	int64_t v = 0;

	if (n > 0 && !num_i64(text, n, &v))
		v = 0;
	if (cuda && v > 1000 && v < 1000000)
		fact_info(ns->prof, name, "%d.%d", (int)(v / 1000),
		    (int)(v % 1000 / 10));
	else if (!cuda && v > 0 && (n == 7 || n == 8))
		fact_info(ns->prof, name, "%.3s.%.*s.%s", text, (int)n - 5,
		    text + 3, text + n - 2);
	else if (n > 0)
		fact_info(ns->prof, name, "%s", text);
	free(text);
}

/* Records which NVTX reports nsys stats can make, and the time at which it ends
 * ranges that were never closed. */
static void
put_nvtx(struct nsys *ns)
{
	const struct {
		const char *fact;
		int64_t at;
	} ends[] = { { "nvtx_end_ns", ns->nvtx_end },
		{ "range_end_ns", ns->range_end },
		{ "push_end_ns", ns->push_end } };
	size_t i;

	if (!db_has_table(ns->db, "NVTX_EVENTS") ||
	    !db_has_table(ns->db, "CUPTI_ACTIVITY_KIND_RUNTIME"))
		fact_info(ns->prof, "nvtx", "none");
	for (i = 0; i < ARRAY_LEN(ends); i++)
		if (ends[i].at != EV_UNSET)
			fact_info(ns->prof, ends[i].fact, "%lld",
			    (long long)ends[i].at);
}

/* The caller frees the result. */
static uint64_t *
sorted_keys(const struct map *m)
{
	uint64_t *key = xcalloc(m->n + 1, sizeof(*key)), val;
	size_t it = 0, n = 0;

	while (n < m->n && map_next(m, &it, &key[n], &val))
		n++;
	qsort(key, n, sizeof(*key), array_by_i64);
	return key;
}

/* Names of threads that only NVTX has. */
static void
put_nvtx_threads(struct nsys *ns)
{
	uint64_t *gid = sorted_keys(&ns->threads), *name;
	size_t i;

	for (i = 0; i < ns->threads.n; i++) {
		name = map_get(&ns->threads, gid[i]);
		if (pid_used(ns->prof, gid_pid((int64_t)gid[i])))
			fact_thread(ns->prof, gid_pid((int64_t)gid[i]),
			    gid_tid((int64_t)gid[i]),
			    smap_str(&ns->domain_names, (uint32_t)*name, NULL),
			    EV_UNSET);
	}
	free(gid);
}

/* A thread can have many names. The one of the highest priority is used, and of
 * several the last; with --rows all are written, in the order of the names. */
static void
put_threads(struct nsys *ns)
{
	static const char table[] = "ThreadNames";
	static const char *const names[] = { "globalTid", "nameId", "priority",
		NULL };
	bool rows = ns->prof->run->out.rows;
	int64_t gid, last = EV_UNSET;
	struct buf b = { 0 };
	sqlite3_stmt *st;

	if (!db_has_column(ns->db, table, "nameId"))
		return;
	st = db_rows(ns->db, table, "globalTid", names,
	    rows ? "ORDER BY nameId, rowid"
	    : db_has_column(ns->db, table, "priority")
		? "ORDER BY globalTid, priority DESC, rowid DESC"
		: "ORDER BY globalTid, rowid DESC");
	while (db_next(&st)) {
		gid = db_i64(st, 0);
		if ((gid == last && !rows) || gid == EV_UNSET ||
		    !pid_used(ns->prof, gid_pid(gid)))
			continue;
		last = gid;
		buf_clear(&b);
		if (!nsys_string(ns, db_i64(st, 1), &b))
			continue;
		fact_thread(ns->prof, gid_pid(gid), gid_tid(gid), buf_str(&b),
		    db_i64(st, 2));
		map_del(&ns->threads, (uint64_t)gid);
	}
	buf_free(&b);
}

void
nsys_facts(void *ctx)
{
	struct nsys *ns = ctx;
	char *text;
	size_t i;
	static const char *const names[] = { "globalPid", "name", NULL };
	sqlite3_stmt *st;
	int64_t gid;
	struct dev_fact d = { 0, NULL, EV_UNSET, EV_UNSET, EV_UNSET, EV_UNSET,
		EV_UNSET, EV_UNSET, NULL };
	uint64_t *dev;

	for (i = 0; i < ARRAY_LEN(facts); i++) {
		text =
		    nsys_value(ns, facts[i].table, facts[i].sql, facts[i].arg);
		if (text != NULL && *text != '\0')
			fact_info(ns->prof, facts[i].fact, "%s", text);
		free(text);
	}
	put_version(ns, false);
	put_version(ns, true);
	if (ns->prof->run->out.rows)
		put_nvtx(ns);
	if (!dev_gpu(ns, ns->prof) && !dev_cuda_gpu(ns, ns->prof)) {
		/* No table of GPUs: list the devices that have kernels. */
		dev = sorted_keys(&ns->devs);
		for (i = 0; i < ns->devs.n; i++) {
			d.dev = (int64_t)dev[i];
			fact_dev(ns->prof, &d);
		}
		free(dev);
	}
	st = db_rows(ns->db, "PROCESSES", "globalPid", names, "ORDER BY rowid");
	while (db_next(&st)) {
		gid = db_i64(st, 0);
		if (gid != EV_UNSET && pid_used(ns->prof, gid_pid(gid)))
			fact_proc(ns->prof, gid_pid(gid), text_col(st, 1));
	}
	put_threads(ns);
	if (!ns->prof->run->out.rows)
		put_nvtx_threads(ns);
}
