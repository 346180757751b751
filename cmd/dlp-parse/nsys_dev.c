/*
 * The GPUs of Nsight Systems' files. Which table lists them, and in what
 * units, depends on the version.
 */
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "nsys_dev.h"
#include "nsys_row.h"
#include "schema.h"

typedef void dev_fn(const struct dev_fact *d);

/* Columns: dev, name, major, minor, SMs, clock, memory, bandwidth, uuid. One
 * record per device, if put is not NULL; true if there is any. */
static bool
put_devs(sqlite3_stmt *st, dev_fn *put)
{
	struct dev_fact d;
	int64_t last = EV_UNSET;

	while (db_step(st)) {
		memset(&d, 0, sizeof(d));
		d.dev = db_i64(st, 0);
		d.name = nsys_text(st, 1);
		d.cc_major = db_i64(st, 2);
		d.cc_minor = db_i64(st, 3);
		d.n_sm = db_i64(st, 4);
		d.clock_hz = db_i64(st, 5);
		d.mem_bytes = db_i64(st, 6);
		d.membw_bytes_s = db_i64(st, 7);
		d.uuid = nsys_text(st, 8);
		if (d.dev != EV_UNSET && d.dev != last && put != NULL)
			put(&d);
		last = d.dev;
	}
	sqlite3_finalize(st);
	return last != EV_UNSET;
}

/* Whether there is a table of the GPUs' CUDA ordinals that tells one of each:
 * processes can see the same GPUs in another order. */
static bool
has_ordinals(struct nsys *ns)
{
	static const char table[] = "TARGET_INFO_CUDA_DEVICE";
	sqlite3_stmt *st;
	bool one;

	if (!db_has_column(ns->db, table, "cudaId") ||
	    !db_has_column(ns->db, table, "gpuId") ||
	    !db_has_column(ns->db, "TARGET_INFO_GPU", "id"))
		return false;
	st = db_prepare(ns->db,
	    "SELECT gpuId FROM %s GROUP BY gpuId"
	    " HAVING min(cudaId) <> max(cudaId)",
	    table);
	one = !db_step(st);
	sqlite3_finalize(st);
	return one;
}

/* Adapters that cannot compute are listed with a capability of 0. */
static bool
dev_gpu(struct nsys *ns, dev_fn *put)
{
	static const char *const names[] = { "name", "computeMajor",
		"computeMinor", "smCount", "clockRate", "totalMemory",
		"memoryBandwidth", "uuid", NULL };
	sqlite3_stmt *st;
	bool found;
	char *cols;

	if (!db_has_column(ns->db, "TARGET_INFO_GPU", "cuDevice") ||
	    !db_has_column(ns->db, "TARGET_INFO_GPU", "computeMajor"))
		return false;
	cols = db_cols(ns->db, "TARGET_INFO_GPU", names);
	st = db_prepare(ns->db,
	    "SELECT %s AS dev, %s FROM TARGET_INFO_GPU g"
	    " WHERE computeMajor > 0 ORDER BY dev, rowid",
	    has_ordinals(ns)
		? "coalesce((SELECT min(cudaId) FROM"
		  " TARGET_INFO_CUDA_DEVICE c WHERE c.gpuId = g.id),"
		  " cuDevice)"
		: "cuDevice",
	    cols);
	found = put_devs(st, put);
	free(cols);
	return found;
}

/* The table of 2020; its clock is in kHz, its memory in MiB, its bandwidth
 * is wrong. */
static bool
dev_cuda_gpu(struct nsys *ns, dev_fn *put)
{
	static const char *const names[] = { "deviceId", "name",
		"computeCapabilityMajor", "computeCapabilityMinor",
		"numMultiprocessors", NULL };
	sqlite3_stmt *st;
	bool found;
	char *cols;

	if (!db_has_column(ns->db, "TARGET_INFO_CUDA_GPU", names[0]) ||
	    !db_has_column(ns->db, "TARGET_INFO_CUDA_GPU", "coreClockRate") ||
	    !db_has_column(ns->db, "TARGET_INFO_CUDA_GPU", "globalMemorySize"))
		return false;
	cols = db_cols(ns->db, "TARGET_INFO_CUDA_GPU", names);
	st = db_prepare(ns->db,
	    "SELECT %s, coreClockRate * 1000, globalMemorySize * 1048576, NULL,"
	    " NULL FROM TARGET_INFO_CUDA_GPU ORDER BY 1, rowid",
	    cols);
	found = put_devs(st, put);
	free(cols);
	return found;
}

bool
nsys_lists_devs(struct nsys *ns)
{
	return dev_gpu(ns, NULL) || dev_cuda_gpu(ns, NULL);
}

bool
nsys_put_devs(struct nsys *ns)
{
	return dev_gpu(ns, fact_dev) || dev_cuda_gpu(ns, fact_dev);
}
