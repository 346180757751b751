/* What an nvprof database says about the session: devices, names. */
#include <stdlib.h>

#include "facts.h"
#include "nvprof_facts.h"
#include "nvprof_row.h"
#include "schema.h"

static int64_t
times_1000(int64_t v)
{
	int64_t r;

	return v == EV_UNSET || __builtin_mul_overflow(v, 1000, &r) ? EV_UNSET
								    : r;
}

/* 16 bytes in groups of 4-2-2-2-6, as nvidia-smi writes them. */
static const char *
uuid(sqlite3_stmt *st, int i, struct buf *b)
{
	const unsigned char *s = sqlite3_column_blob(st, i);
	int k;

	if (sqlite3_column_type(st, i) != SQLITE_BLOB ||
	    sqlite3_column_bytes(st, i) != 16)
		return NULL;
	buf_clear(b);
	for (k = 0; k < 16; k++)
		buf_printf(b,
		    k == 4 || k == 6 || k == 8 || k == 10 ? "-%02x" : "%02x",
		    s[k]);
	return buf_str(b);
}

static void
devices(struct nvprof *nv)
{
	static const char table[] = NVPROF_TABLE("DEVICE");
	static const char *const names[] = { "id", "name",
		"computeCapabilityMajor", "computeCapabilityMinor",
		"numMultiprocessors", "coreClockRate", "globalMemorySize",
		"globalMemoryBandwidth", "uuid", NULL };
	struct buf name = { NULL, 0, 0 }, id = { NULL, 0, 0 };
	struct dev_fact d;
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_table(nv->db, table))
		return;
	cols = db_cols(nv->db, table, names);
	st = db_prepare(nv->db, "SELECT %s FROM %s ORDER BY 1", cols, table);
	while (db_step(st)) {
		buf_clear(&name);
		d.dev = nvprof_col(st, 0);
		d.name = nvprof_col(st, 1) >= 0 &&
				 nvprof_string(nv, nvprof_col(st, 1), &name)
			     ? buf_str(&name)
			     : NULL;
		d.cc_major = nvprof_col(st, 2);
		d.cc_minor = nvprof_col(st, 3);
		d.n_sm = nvprof_col(st, 4);
		d.clock_hz = times_1000(nvprof_col(st, 5)); /* from kHz */
		d.mem_bytes = nvprof_col(st, 6);
		d.membw_bytes_s = times_1000(nvprof_col(st, 7)); /* from kB/s */
		d.uuid = uuid(st, 8, &id);
		fact_dev(&d);
	}
	sqlite3_finalize(st);
	free(cols);
	buf_free(&name);
	buf_free(&id);
}

/* Names of processes and threads; the id is as in a marker. */
static void
given_names(struct nvprof *nv)
{
	static const char table[] = NVPROF_TABLE("NAME");
	static const char *const names[] = { "objectKind", "objectId", "name",
		NULL };
	struct buf b = { NULL, 0, 0 };
	int64_t pid, tid;
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_table(nv->db, table))
		return;
	cols = db_cols(nv->db, table, names);
	st = db_prepare(nv->db, "SELECT %s FROM %s", cols, table);
	while (db_step(st)) {
		buf_clear(&b);
		if (nvprof_col(st, 2) < 0 ||
		    !nvprof_string(nv, nvprof_col(st, 2), &b))
			continue;
		pid = tid = EV_UNSET;
		nvprof_object(sqlite3_column_value(st, 0),
		    sqlite3_column_value(st, 1), &pid, &tid);
		if (tid != EV_UNSET)
			fact_thread(pid, tid, buf_str(&b), EV_UNSET);
		else if (pid != EV_UNSET)
			fact_proc(pid, buf_str(&b));
	}
	sqlite3_finalize(st);
	free(cols);
	buf_free(&b);
}

void
nvprof_facts(void *ctx)
{
	struct nvprof *nv = ctx;
	int64_t version = EV_UNSET;
	sqlite3_stmt *st;

	if (db_has_table(nv->db, "Version") &&
	    db_has_column(nv->db, "Version", "version")) {
		st = db_prepare(nv->db, "SELECT version FROM Version");
		if (db_step(st))
			version = nvprof_col(st, 0);
		sqlite3_finalize(st);
	}
	if (version != EV_UNSET)
		fact_info("schema", "%lld", (long long)version);
	fact_info("t0_ns", "%lld", (long long)nv->t0);
	devices(nv);
	given_names(nv);
}
