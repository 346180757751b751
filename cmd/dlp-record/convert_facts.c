/*
 * The facts of the session: the machine, its GPUs, processes, threads, and what
 * wrote the file. The names of the host and the user are not among them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "cli.h"
#include "convert.h"
#include "num.h"

#define MAX_GPU 64

/* The key's rest, if s begins with the key and '='; its length in *n. */
static const char *
value_of(const char *s, size_t len, const char *key, size_t *n)
{
	size_t k = strlen(key);

	if (len <= k || memcmp(s, key, k) != 0 || s[k] != '=')
		return NULL;
	*n = len - k - 1;
	return s + k + 1;
}

static void
fact_number(const char *s, size_t len, const char *key, int64_t *to)
{
	size_t n;
	const char *v = value_of(s, len, key, &n);
	int64_t x;

	if (v != NULL && num_i64(v, n, &x))
		*to = x;
}

void
conv_fact(struct conv *c, struct conv_proc *p, const char *s, size_t n)
{
	const char *v, *eq = memchr(s, '=', n);
	size_t len;

	if (eq == NULL)
		return;
	fact_number(s, n, "pid", &p->pid);
	fact_number(s, n, "start", &p->start);
	fact_number(s, n, "stop", &p->stop);
	v = value_of(s, n, "process", &len);
	if (v != NULL) {
		free(p->name);
		p->name = xmemdup(v, len);
	}
	v = value_of(s, n, "cupti_clock", &len);
	if (v != NULL)
		p->real_clock = len == 4 && memcmp(v, "real", 4) == 0;
	v = value_of(s, n, "cupti", &len);
	if (v != NULL)
		c->has_cuda = true;
	/* the first process's word counts */
	len = (size_t)(eq - s);
	if (len < 3 || (memcmp(s, "gpu", 3) != 0 && memcmp(s, "cud", 3) != 0))
		return;
	if (map_get(&c->said, smap_put(&c->own, s, len, NULL)) == NULL)
		*map_put(&c->said, smap_put(&c->own, s, len, NULL), NULL) =
		    smap_put(&c->own, eq + 1, n - len - 1, NULL);
}

/* A fact of the driver, such as gpu0.name; NULL if it is unknown. */
static const char *
said(const struct conv *c, const char *key)
{
	uint32_t id = smap_find(&c->own, key, strlen(key));
	const uint64_t *v;

	if (id == SMAP_NONE)
		return NULL;
	v = map_get(&c->said, id);
	return v != NULL ? smap_str(&c->own, (uint32_t)*v, NULL) : NULL;
}

static const char *
gpu_text(struct conv *c, int gpu, const char *key)
{
	buf_clear(&c->buf);
	buf_printf(&c->buf, "gpu%d.%s", gpu, key);
	return said(c, buf_str(&c->buf));
}

const char *
conv_gpu_uuid(struct conv *c, int gpu)
{
	return gpu_text(c, gpu, "uuid");
}

static int64_t
gpu_number(struct conv *c, int gpu, const char *key)
{
	const char *s = gpu_text(c, gpu, key);
	int64_t v;

	return s != NULL && num_i64(s, strlen(s), &v) ? v : DBW_NULL;
}

/* An attribute of the driver, by its number, times a factor. */
static int64_t
attribute(struct conv *c, int gpu, int number, int64_t factor)
{
	char key[16];
	int64_t v;

	(void)snprintf(key, sizeof(key), "a%d", number);
	v = gpu_number(c, gpu, key);
	return v != DBW_NULL ? v * factor : v;
}

/* Two transfers in each cycle of the memory's clock, which is in kHz. */
static int64_t
bandwidth(struct conv *c, int gpu)
{
	int64_t clock = attribute(c, gpu, 36, 1000);
	int64_t width = attribute(c, gpu, 37, 1);

	if (clock == DBW_NULL || width == DBW_NULL)
		return DBW_NULL;
	return clock * 2 * (width / 8);
}

/* The attributes in the order of the last columns. */
static void
gpu_limits(struct conv *c, int gpu)
{
	static const int numbers[] = { 12, 8, 97, 81, 82, 10, 40 };
	static const int sizes[] = { 106, 1, 2, 3, 4, 5, 6, 7, 75, 76, 75, 76 };
	int64_t warp = attribute(c, gpu, 10, 1);
	int64_t threads = attribute(c, gpu, 39, 1);
	struct dbw *db = &c->db;
	size_t i;

	DBW_INTS(db, attribute(c, gpu, 9, 1) /* constantMemory */, DBW_NULL);
	for (i = 0; i < ARRAY_LEN(numbers); i++)
		DBW_INTS(db, attribute(c, gpu, numbers[i], 1));
	DBW_INTS(db, warp > 0 && threads > 0 ? threads / warp : DBW_NULL);
	for (i = 0; i < ARRAY_LEN(sizes); i++)
		DBW_INTS(db, attribute(c, gpu, sizes[i], 1));
}

static void
gpu_row(struct conv *c, int gpu)
{
	int64_t integrated = attribute(c, gpu, 18, 1);
	struct dbw *db = &c->db;

	dbw_begin(db, RT_GPU);
	DBW_INTS(db, CONV_VM, gpu);
	dbw_str(db, gpu_text(c, gpu, "name"));
	dbw_str(db, gpu_text(c, gpu, "bus"));
	DBW_INTS(db, integrated != DBW_NULL ? integrated == 0 : DBW_NULL,
	    attribute(c, gpu, 38, 1), gpu_number(c, gpu, "memory"),
	    bandwidth(c, gpu), attribute(c, gpu, 13, 1000),
	    attribute(c, gpu, 16, 1), DBW_NULL);
	dbw_str(db, gpu_text(c, gpu, "uuid"));
	dbw_nulls(db, 2);
	DBW_INTS(db, gpu);
	dbw_nulls(db, 4);
	gpu_limits(c, gpu);
	dbw_end(db);
}

static void
gpu_rows(struct conv *c)
{
	const struct conv_proc *p;
	int gpu;

	for (gpu = 0; gpu < MAX_GPU; gpu++) {
		if (gpu_text(c, gpu, "name") == NULL)
			continue;
		gpu_row(c, gpu);
		for (p = c->proc; p < c->proc + c->dir.n; p++) {
			dbw_begin(&c->db, RT_DEVICE);
			DBW_INTS(&c->db, gpu, gpu, p->pid);
			dbw_end(&c->db);
		}
	}
}

static int
by_key(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* The names of threads, in the order of their numbers. */
static void
thread_rows(struct conv *c, const struct conv_proc *p)
{
	uint64_t *key = xcalloc(p->tasks.n + 1, sizeof(*key)), val;
	size_t it = 0, n = 0, i;

	while (n < p->tasks.n && map_next(&p->tasks, &it, &key[n], &val))
		n++;
	qsort(key, n, sizeof(*key), by_key);
	for (i = 0; i < n; i++) {
		dbw_begin(&c->db, RT_THREADS);
		DBW_INTS(&c->db, conv_known(c, &p->tasks, key[i], ""),
		    20 /* the usual priority */,
		    conv_gtid(p, (uint32_t)key[i]));
		dbw_end(&c->db);
	}
	free(key);
}

static void
process_rows(struct conv *c)
{
	struct conv_proc *p;

	for (p = c->proc; p < c->proc + c->dir.n; p++) {
		dbw_begin(&c->db, RT_PROCESSES);
		DBW_INTS(&c->db, conv_gpid(p), p->pid);
		dbw_str(&c->db, p->name != NULL ? p->name : "process");
		dbw_end(&c->db);
		thread_rows(c, p);
		conv_schemas(c, p);
	}
}

static void
env_row(struct conv *c, const char *name, int number, const char *value)
{
	struct dbw *db = &c->db;

	if (value == NULL || *value == '\0')
		return;
	dbw_begin(db, RT_ENV);
	DBW_INTS(db, CONV_VM);
	dbw_str(db, "local");
	dbw_str(db, name);
	DBW_INTS(db, number);
	dbw_str(db, value);
	dbw_end(db);
}

/* A fact that dlp-record stored when it started. */
static void
env_session(struct conv *c, const char *name, int number, const char *key)
{
	char *s = rspool_session(&c->dir, key);

	env_row(c, name, number, s);
	free(s);
}

static void
name_row(struct conv *c, enum rec_table t, const char *name, const char *value)
{
	dbw_begin(&c->db, t);
	dbw_str(&c->db, name);
	dbw_str(&c->db, value);
	dbw_end(&c->db);
}

static void
export_rows(struct conv *c)
{
	static const char *const rows[][2] = {
		{ "EXPORT_PRODUCT_NAME", "dlp-record" },
		{ "EXPORT_PRODUCT_VERSION", DLP_VERSION },
		{ "EXPORT_SCHEMA_VERSION", "3.24.0" },
		{ "EXPORT_SCHEMA_VERSION_MAJOR", "3" },
		{ "EXPORT_SCHEMA_VERSION_MINOR", "24" },
		{ "EXPORT_SCHEMA_VERSION_MICRO", "0" },
	};
	static const char *const session[][2] = { { "capture", "CAPTURE" },
		{ "markers", "MARKERS" } };
	size_t i;
	char *s;

	for (i = 0; i < ARRAY_LEN(rows); i++)
		name_row(c, RT_EXPORT, rows[i][0], rows[i][1]);
	for (i = 0; i < ARRAY_LEN(session); i++) {
		s = rspool_session(&c->dir, session[i][0]);
		if (s != NULL)
			name_row(c, RT_CAPTURE, session[i][1], s);
		free(s);
	}
	if (c->markers) {
		buf_clear(&c->buf);
		buf_i64(&c->buf, c->marker_ns);
		name_row(c, RT_CAPTURE, "MARKER_NS", buf_str(&c->buf));
	}
}

static int64_t
real_of(const struct conv *c, int64_t t)
{
	const struct conv_proc *p;

	for (p = c->proc; p < c->proc + c->dir.n; p++)
		if (p->n_clocks > 0)
			return p->real[0] + (t - p->mono[0]);
	return DBW_NULL;
}

static void
start_row(struct conv *c)
{
	int64_t ns = real_of(c, c->t0);
	char text[64];
	struct tm tm;
	time_t t;

	if (ns == DBW_NULL)
		return;
	t = (time_t)(ns / 1000000000);
	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		return;
	dbw_begin(&c->db, RT_STARTED);
	DBW_INTS(&c->db, ns);
	dbw_str(&c->db, text);
	if (localtime_r(&t, &tm) != NULL &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) > 0)
		dbw_str(&c->db, text);
	dbw_end(&c->db);
}

/* From time 0 to the end of what was recorded, or to the last record. */
static void
details_row(struct conv *c)
{
	const struct conv_proc *p;
	int64_t stop = DBW_NULL, t;

	for (p = c->proc; p < c->proc + c->dir.n; p++) {
		t = p->off != DBW_NULL ? p->off : p->stop;
		if (t > stop)
			stop = t;
	}
	if (stop == DBW_NULL)
		stop = c->last != DBW_NULL ? c->last : c->t0;
	if (stop < c->t0)
		stop = c->t0;
	dbw_begin(&c->db, RT_DETAILS);
	DBW_INTS(&c->db, CONV_VM, stop - c->t0, c->t0, stop);
	dbw_end(&c->db);
}

/* What was left out or changed: a line of the diagnostics for each. */
static void
count_rows(struct conv *c)
{
	static const char *const name[CONV_COUNTERS] = {
		[CONV_UNTIMED] = "gpu_untimed",
		[CONV_CLIPPED] = "ends_clipped",
		[CONV_DROPPED] = "cupti_dropped",
		[CONV_LOST] = "records_lost",
		[CONV_BAD] = "cupti_records_bad",
		[CONV_DAMAGED] = "spool_damaged",
		[CONV_RELEASED] = "released_before",
	};
	struct dbw *db = &c->db;
	int i;

	for (i = 0; i < CONV_COUNTERS; i++) {
		if (c->count[i] == 0)
			continue;
		buf_clear(&c->buf);
		buf_printf(&c->buf, "%s: %llu", name[i],
		    (unsigned long long)c->count[i]);
		dbw_begin(db, RT_DIAGNOSTIC);
		DBW_INTS(db, 0, 1, 3 /* by the conversion */,
		    i == CONV_CLIPPED || i == CONV_RELEASED ? 1 : 2);
		dbw_text(db, c->buf.s, c->buf.len);
		dbw_end(db);
	}
}

static void
string_rows(struct conv *c)
{
	uint32_t i;
	size_t n;
	const char *s;

	for (i = 0; i < c->text.n; i++) {
		s = smap_str(&c->text, i, &n);
		dbw_begin(&c->db, RT_STRINGS);
		DBW_INTS(&c->db, (int64_t)i + 1);
		dbw_text(&c->db, s, n);
		dbw_end(&c->db);
	}
}

void
conv_facts(struct conv *c)
{
	gpu_rows(c);
	process_rows(c);
	env_session(c, "CpuCores", 1, "cpus");
	env_session(c, "CpuDescription", 13, "cpu");
	env_session(c, "NvDriverVersion", 205, "driver");
	env_session(c, "OsDescription", 605, "os");
	env_row(c, "CudaDriverVersion", 611, said(c, "cuda_driver"));
	start_row(c);
	details_row(c);
	conv_power(c);
	count_rows(c);
	export_rows(c);
	string_rows(c);
}
