/*
 * The dialect of nvprof and the Visual Profiler (*.nvvp, *.nvprof), database
 * versions 8 to 18. Names are mangled and API functions are numbers. Times
 * are absolute; the origin is PyProf's: the earliest start of any call,
 * kernel or marker. A value of the wrong type reads as unset.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "demangle.h"
#include "emit.h"
#include "num.h"
#include "nvprof.h"
#include "profile.h"
#include "schema.h"
#include "stage.h"

/* A string of the file, or the name of an API function; see dialect.string. */
static bool
nvprof_string(void *ctx, int64_t id, struct buf *out)
{
	struct nvprof *nv = ctx;
	const void *s;
	bool has = false;

	if (id < 0) {
		nvprof_api_name(id, out);
		return true;
	}
	if (nv->string == NULL)
		return false;
	sqlite3_bind_int64(nv->string, 1, id);
	if (db_step(nv->string) &&
	    (s = sqlite3_column_text(nv->string, 0)) != NULL) {
		buf_put(out, s, (size_t)sqlite3_column_bytes(nv->string, 0));
		has = true;
	}
	sqlite3_reset(nv->string);
	return has;
}

const char *
nvprof_domain(struct nvprof *nv, int64_t name_id)
{
	struct buf b = { NULL, 0, 0 };
	uint64_t *no;
	bool is_new;

	if (name_id <= 0)
		return "";
	no = map_put(&nv->domain, (uint64_t)name_id, &is_new);
	if (is_new) {
		if (!nvprof_string(nv, name_id, &b))
			buf_i64(&b, name_id);
		ARRAY_GROW(nv->domains, nv->n_domains, nv->cap_domains);
		nv->domains[nv->n_domains++] = xstrdup(buf_str(&b));
		*no = nv->n_domains;
		buf_free(&b);
	}
	return nv->domains[*no - 1];
}

int64_t
nvprof_num(sqlite3_value *v)
{
	if (sqlite3_value_type(v) != SQLITE_INTEGER)
		return EV_UNSET;
	return sqlite3_value_int64(v);
}

/* A string's id. Negative ids are not the file's: see nvprof_api_id(). */
int64_t
nvprof_name(sqlite3_value *v)
{
	int64_t n = nvprof_num(v);

	return n < 0 ? EV_UNSET : n;
}

bool
nvprof_times(struct nvprof *nv, const struct ev_source *s, sqlite3_value **col,
    struct event *ev)
{
	int64_t start = nvprof_num(col[0]), end = nvprof_num(col[1]);

	if (start == EV_UNSET) {
		source_bad_row(s);
		return false;
	}
	/* CUPTI writes 0 for a time that it could not record */
	if (start == 0) {
		nv->untimed++;
		ev->start = 0;
		ev->end = end == 0 ? 0 : EV_UNSET;
		return true;
	}
	ev->start = num_sub(start, nv->t0);
	if (end != EV_UNSET)
		ev->end = num_sub(end, nv->t0);
	return true;
}

static int64_t
le32(const unsigned char *s)
{
	return (int64_t)s[0] | (int64_t)s[1] << 8 | (int64_t)s[2] << 16 |
	       (int64_t)s[3] << 24;
}

void
nvprof_object(
    sqlite3_value *kind, sqlite3_value *id, int64_t *pid, int64_t *tid)
{
	const unsigned char *s;
	int64_t k = nvprof_num(kind);

	if (sqlite3_value_type(id) != SQLITE_BLOB ||
	    sqlite3_value_bytes(id) < 8 ||
	    (k != OBJECT_PROCESS && k != OBJECT_THREAD))
		return;
	s = sqlite3_value_blob(id);
	*pid = le32(s);
	if (k == OBJECT_THREAD)
		*tid = le32(s + 4);
}

/* Nsight's exports have numbers lower by one. */
const char *
nvprof_mem_kind(int64_t kind)
{
	static const char *const mem_kinds[] = { NULL, "pageable", "pinned",
		"device", "array", "managed", "device-static",
		"managed-static" };

	return NVPROF_PICK(mem_kinds, kind);
}

struct ev_source *
nvprof_source(struct nvprof *nv, enum ev_kind kind, const char *table,
    row_fn *row, const char *const *cols)
{
	struct ev_source *s;

	if (!db_has_table(nv->db, table) ||
	    !db_has_column(nv->db, table, "start"))
		return NULL;
	s = source_add(&nv->prof->sources, kind, table, row);
	s->from = xstrdup(table);
	s->cols = db_cols(nv->db, table, cols);
	s->start = xstrdup("start");
	s->end = db_col(nv->db, table, "end");
	return s;
}

/* Column i as an integer, as nvprof_num() reads it. */
static int64_t
nvprof_col(sqlite3_stmt *st, int i)
{
	return nvprof_num(sqlite3_column_value(st, i));
}

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
nvprof_devices(struct nvprof *nv)
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
		fact_dev(nv->prof, &d);
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
			fact_thread(nv->prof, pid, tid, buf_str(&b), EV_UNSET);
		else if (pid != EV_UNSET)
			fact_proc(nv->prof, pid, buf_str(&b));
	}
	sqlite3_finalize(st);
	free(cols);
	buf_free(&b);
}

static void
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
		fact_info(nv->prof, "schema", "%lld", (long long)version);
	fact_info(nv->prof, "t0_ns", "%lld", (long long)nv->t0);
	nvprof_devices(nv);
	given_names(nv);
}

/* Tables whose rows are left out, and the note that counts them; the first
 * table is left out only if there is a timeline. */
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
nvprof_probe(sqlite3 *db)
{
	static const char *const any[] = { "Version", NVPROF_TABLE("RUNTIME"),
		NVPROF_TABLE("CONCURRENT_KERNEL"), NVPROF_TABLE("KERNEL"),
		NVPROF_TABLE("MARKER") };
	size_t i;

	/* Only this dialect has a table of this name. */
	if (!db_has_table(db, "StringTable"))
		return db_has_table(db, NVPROF_TABLE("CONCURRENT_KERNEL"));
	for (i = 0; i < ARRAY_LEN(any); i++)
		if (db_has_table(db, any[i]))
			return true;
	return false;
}

static int64_t
nvprof_origin(sqlite3 *db)
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

	for (i = 0; i < ARRAY_LEN(all); i++) {
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
nvprof_open(struct profile *p)
{
	sqlite3 *db = p->db;
	struct nvprof *nv = xcalloc(1, sizeof(*nv));

	nv->prof = p;
	nv->db = db;
	if (db_has_column(db, "StringTable", "_id_") &&
	    db_has_column(db, "StringTable", "value"))
		nv->string = db_prepare(
		    db, "SELECT value FROM StringTable WHERE _id_ = ?1");
	nv->t0 = nvprof_origin(db);
	read_contexts(nv);
	nvprof_add_rows(nv);
	return nv;
}

static void
nvprof_close(void *ctx)
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

static bool
nvprof_kernel(void *ctx, int64_t id, struct buf *out)
{
	struct nvprof *nv = ctx;
	struct buf b = { NULL, 0, 0 };
	bool has = nvprof_string(ctx, id, &b);

	/* A text with a NUL inside is not a mangled name. */
	if (has && strlen(buf_str(&b)) == b.len)
		(nv->prof->run->old_names ? demangle_old : demangle)(b.s, out);
	else
		buf_put(out, b.s, b.len);
	buf_free(&b);
	return has;
}

static void
nvprof_notes(void *ctx)
{
	struct nvprof *nv = ctx;
	size_t from = nv->has_timeline ? 0 : 1;

	stage_note("untimed_rows", nv->untimed);
	db_note_rows(nv->db, left_out + from, ARRAY_LEN(left_out) - from);
}

const struct dialect dialect_nvprof = {
	.name = "nvprof",
	.probe = nvprof_probe,
	.open = nvprof_open,
	.close = nvprof_close,
	.facts = nvprof_facts,
	.string = nvprof_string,
	.kernel = nvprof_kernel,
	.notes = nvprof_notes,
};
