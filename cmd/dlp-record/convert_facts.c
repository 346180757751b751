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
#include "mview.h"
#include "num.h"

/* A line key=value of a process. */
void
conv_fact(struct conv *c, struct conv_proc *p, const char *s, size_t n)
{
	const char *eq = memchr(s, '=', n);
	struct mview key, v;
	int64_t x;

	if (eq == NULL)
		return;
	key = mv(s, eq);
	v = mv(eq + 1, s + n);
	if (num_i64(v.s, v.n, &x)) {
		if (mv_eq(key, "pid"))
			p->pid = x;
		else if (mv_eq(key, "start"))
			p->start = x;
		else if (mv_eq(key, "stop"))
			p->stop = x;
	}
	if (mv_eq(key, "process")) {
		free(p->name);
		p->name = xmemdup(v.s, v.n);
	} else if (mv_eq(key, "cupti_clock"))
		p->real_clock = mv_eq(v, "real");
	else if (mv_eq(key, "end"))
		p->ended = true;
	else if (mv_eq(key, "cupti"))
		c->has_cuda = p->cuda = true;
	/* the first process's word counts */
	if ((mv_starts(key, "gpu") || mv_starts(key, "cud")) &&
	    map_get(&c->said, smap_put(&c->own, s, key.n, NULL)) == NULL)
		*map_put(&c->said, smap_put(&c->own, s, key.n, NULL), NULL) =
		    smap_put(&c->own, v.s, v.n, NULL);
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

const char *
conv_gpu_text(struct conv *c, int gpu, const char *key)
{
	buf_clear(&c->buf);
	buf_printf(&c->buf, "gpu%d.%s", gpu, key);
	return said(c, buf_str(&c->buf));
}

static int64_t
gpu_number(struct conv *c, int gpu, const char *key)
{
	const char *s = conv_gpu_text(c, gpu, key);
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

static void
gpu_row(struct conv *c, int gpu)
{
	static const int numbers[] = { 12, 8, 97, 81, 82, 10, 40 };
	static const int sizes[] = { 106, 1, 2, 3, 4, 5, 6, 7, 75, 76, 75, 76 };
	int64_t integrated = attribute(c, gpu, 18, 1);
	int64_t clock = attribute(c, gpu, 36, 1000);
	int64_t width = attribute(c, gpu, 37, 1);
	int64_t warp = attribute(c, gpu, 10, 1);
	int64_t threads = attribute(c, gpu, 39, 1);
	struct dbw *db = &c->db;
	size_t i;

	dbw_begin(db, RT_GPU);
	DBW_INTS(db, CONV_VM, gpu);
	dbw_str(db, conv_gpu_text(c, gpu, "name"));
	dbw_str(db, conv_gpu_text(c, gpu, "bus"));
	DBW_INTS(db, integrated != DBW_NULL ? integrated == 0 : DBW_NULL,
	    attribute(c, gpu, 38, 1), gpu_number(c, gpu, "memory"),
	    /* two transfers in each cycle of the memory's clock */
	    clock == DBW_NULL || width == DBW_NULL ? DBW_NULL
						   : clock * 2 * (width / 8),
	    attribute(c, gpu, 13, 1000), attribute(c, gpu, 16, 1), DBW_NULL);
	dbw_str(db, conv_gpu_text(c, gpu, "uuid"));
	DBW_INTS(db, DBW_NULL, DBW_NULL, gpu, DBW_NULL, DBW_NULL, DBW_NULL,
	    DBW_NULL, attribute(c, gpu, 9, 1) /* constantMemory */, DBW_NULL);
	/* the attributes in the order of the last columns */
	for (i = 0; i < ARRAY_LEN(numbers); i++)
		DBW_INTS(db, attribute(c, gpu, numbers[i], 1));
	DBW_INTS(db, warp > 0 && threads > 0 ? threads / warp : DBW_NULL);
	for (i = 0; i < ARRAY_LEN(sizes); i++)
		DBW_INTS(db, attribute(c, gpu, sizes[i], 1));
	dbw_end(db);
}

/* Each with the names of its threads, in the order of their numbers. */
static void
process_rows(struct conv *c)
{
	struct conv_proc *p;
	uint64_t *tid;
	size_t n, i;

	for (p = c->proc; p < c->proc + c->dir.n; p++) {
		c->count[CONV_CUT] += p->cuda && !p->ended &&
				      p->off == DBW_NULL && c->live == NULL;
		dbw_put(&c->db, RT_PROCESSES, conv_gpid(p), "it", p->pid,
		    p->name != NULL ? p->name : "process");
		tid = conv_sorted(&p->tasks, true, &n);
		for (i = 0; i < n; i++)
			DBW_ROW(&c->db, RT_THREADS,
			    conv_known(c, &p->tasks, tid[i], ""),
			    20 /* the usual priority */,
			    conv_gtid(p, (uint32_t)tid[i]));
		free(tid);
		conv_schemas(c, p);
	}
}

static void
env_row(struct conv *c, const char *name, int64_t number, const char *value)
{
	if (value != NULL && *value != '\0')
		dbw_put(&c->db, RT_ENV, CONV_VM, "ttit", "local", name, number,
		    value);
}

/* The machine: what dlp-record stored when it started, and the driver's word.
 */
static void
env_rows(struct conv *c)
{
	static const struct {
		const char *name, *key;
		int64_t number;
	} rows[] = { { "CpuCores", "cpus", 1 }, { "CpuDescription", "cpu", 13 },
		{ "NvDriverVersion", "driver", 205 },
		{ "OsDescription", "os", 605 } };
	size_t i;
	char *s;

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		s = rspool_session(&c->dir, rows[i].key);
		env_row(c, rows[i].name, rows[i].number, s);
		free(s);
	}
	env_row(c, "CudaDriverVersion", 611, said(c, "cuda_driver"));
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

/* By the clock of the first process that has told the time. */
static void
start_row(struct conv *c)
{
	const struct conv_proc *p = c->proc, *end = c->proc + c->dir.n;
	static const char form[] = "%Y-%m-%dT%H:%M:%S";
	char utc[64], local[64]; /* both are bound until the row is written */
	struct tm tm;
	int64_t ns;
	time_t t;

	while (p < end && p->n_clocks == 0)
		p++;
	if (p == end)
		return;
	ns = p->real[0] + (c->t0 - p->mono[0]);
	t = (time_t)(ns / 1000000000);
	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(utc, sizeof(utc), form, &tm) == 0)
		return;
	dbw_begin(&c->db, RT_STARTED);
	DBW_INTS(&c->db, ns);
	dbw_str(&c->db, utc);
	if (localtime_r(&t, &tm) != NULL &&
	    strftime(local, sizeof(local), form, &tm) > 0)
		dbw_str(&c->db, local);
	dbw_end(&c->db);
}

void
conv_facts(struct conv *c)
{
	const char *text;
	uint32_t i;
	size_t n;
	const struct conv_proc *p;
	int gpu, j;
	int64_t stop, t;
	struct dbw *db;

	for (gpu = 0; gpu < CONV_GPUS; gpu++) {
		if (conv_gpu_text(c, gpu, "name") == NULL)
			continue;
		gpu_row(c, gpu);
		for (p = c->proc; p < c->proc + c->dir.n; p++)
			DBW_ROW(&c->db, RT_DEVICE, gpu, gpu, p->pid);
	}
	process_rows(c);
	env_rows(c);
	start_row(c);
	/* From time 0 to the end of what was recorded, or to the last record.
	 */
	stop = DBW_NULL;
	for (p = c->proc; p < c->proc + c->dir.n; p++) {
		t = p->off != DBW_NULL ? p->off : p->stop;
		if (t > stop)
			stop = t;
	}
	if (stop == DBW_NULL)
		stop = c->last != DBW_NULL ? c->last : c->t0;
	if (stop < c->t0)
		stop = c->t0;
	DBW_ROW(&c->db, RT_DETAILS, CONV_VM, stop - c->t0, c->t0, stop);
	conv_power(c);
	/* What was left out or changed: a line of the diagnostics for each. */
	db = &c->db;
	for (j = 0; j < CONV_COUNTERS; j++) {
		if (c->count[j] == 0)
			continue;
		buf_clear(&c->buf);
		buf_printf(&c->buf, "%s: %llu", conv_counts[j].name,
		    (unsigned long long)c->count[j]);
		dbw_begin(db, RT_DIAGNOSTIC);
		DBW_INTS(db, 0, 1, 3 /* by the conversion */,
		    j == CONV_CLIPPED || j == CONV_RELEASED ? 1 : 2);
		dbw_text(db, c->buf.s, c->buf.len);
		dbw_end(db);
	}
	export_rows(c);
	for (i = 0; i < c->text.n; i++) {
		text = smap_str(&c->text, i, &n);
		dbw_begin(&c->db, RT_STRINGS);
		DBW_INTS(&c->db, (int64_t)i + 1);
		dbw_text(&c->db, text, n);
		dbw_end(&c->db);
	}
}
