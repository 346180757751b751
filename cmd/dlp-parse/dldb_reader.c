/*
 * DLProf's own database. It holds the result of correlation: ops, their runs,
 * and the calls and GPU work of each, so this dialect also writes op and inst
 * records. A row of GPU work includes its call. Of the aggregated half of the
 * database only the user's choices are read: key op, range, findings. The names
 * of the user and the host are never read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "dldb_reader.h"
#include "emit.h"
#include "out.h"
#include "profile.h"
#include "schema.h"
#include "selection.h"
#include "stage.h"

static int
find_name(char *const *v, int n, const char *s)
{
	int i;

	for (i = 0; i < n && strcmp(v[i], s) != 0; i++)
		;
	return i;
}

static void
note_missing(struct dldb_in *d, const char *table, const char *column)
{
	char *s;
	size_t n = strlen(table) + strlen(column) + 2;
	int i;

	s = xmalloc(n);
	snprintf(s, n, "%s%s%s", table, *column != '\0' ? "." : "", column);
	i = find_name((char *const *)d->missing, d->n_missing, s);
	if (i < d->n_missing || i == DLDB_MAX_MISSING)
		free(s);
	else
		d->missing[d->n_missing++] = s;
}

char *
dldb_cols(struct dldb_in *d, const char *table, const char *const *names)
{
	int i;

	if (!db_has_table(d->db, table)) {
		note_missing(d, table, "");
		return NULL;
	}
	for (i = 0; names[i] != NULL; i++)
		if (!db_has_column(d->db, table, names[i]))
			note_missing(d, table, names[i]);
	return db_cols(d->db, table, names);
}

bool
dldb_string(void *ctx, int64_t id, struct buf *out)
{
	struct dldb_in *d = ctx;
	bool has = false;
	const char *s;
	uint32_t n;

	if (d->string == NULL)
		return false;
	sqlite3_bind_int64(d->string, 1, id);
	if (db_step(d->string) &&
	    (s = db_text(sqlite3_column_value(d->string, 0), &n)) != NULL) {
		buf_put(out, s, n);
		has = true;
	}
	sqlite3_reset(d->string);
	return has;
}

#define LAST(t) t " WHERE aggr_id = (SELECT max(aggr_id) FROM " t ")"
#define SYSTEM "read_only_system_config ORDER BY id LIMIT 1"
#define MODEL "read_only_model_config ORDER BY id LIMIT 1"

enum fact_kind { TEXT, NUMBER, FLAG, KEY /* KEY: an empty text is unset */ };

/* fact, the table and column that it needs, the rest of the query after FROM */
static const struct {
	const char *fact, *table, *column, *from;
	enum fact_kind kind;
} facts[] = {
	{ "schema", "db_version", "current_version", "db_version", TEXT },
	{ "schema_original", "db_version", "original_version", "db_version",
	    TEXT },
#define SYS(f, c)                                                              \
	{                                                                      \
		f, "read_only_system_config", c, SYSTEM, TEXT                  \
	}
	SYS("dlprof_version", "dlprof_version"),
	SYS("dlprof_build", "dlprof_build"),
	SYS("nsys_version", "nsys_version"),
	SYS("n_gpu", "num_gpus"),
	SYS("cpu", "cpu_model"),
	SYS("driver", "driver_version"),
	SYS("framework", "framework"),
	SYS("cuda", "cuda_version"),
	SYS("cudnn", "cudnn_version"),
	SYS("profile_name", "profile_name"),
	/* must precede mode: by it dlp-iter knows whether there is a key */
	{ "key_op", "iteration_key", "key_node_id",
	    LAST("(SELECT aggr_id, (SELECT string FROM dictionary d WHERE"
		 " d.id = k.key_node_id) AS key_node_id FROM iteration_key"
		 " k)"),
	    KEY },
	SYS("mode", "mode_string"),
	SYS("command", "original_command"),
#define CONF(c, k)                                                             \
	{                                                                      \
		"model_" c, "read_only_model_config", c, MODEL, k              \
	}
	CONF("num_workers", NUMBER),
	CONF("pin_memory", FLAG),
	CONF("cudnn_benchmark_disabled", FLAG),
	CONF("detect_anomaly", FLAG),
	CONF("gradcheck", FLAG),
	CONF("gradgradcheck", FLAG),
	CONF("autograd_profile", FLAG),
	CONF("autograd_set_detect_anomaly", FLAG),
	CONF("emit_nvtx", FLAG),
	CONF("amp_enabled", FLAG),
#define CHOICE(f, c)                                                           \
	{                                                                      \
		f, "model_summary", c, LAST("model_summary"), NUMBER           \
	}
	CHOICE("n_iter", "iter_total"),
	CHOICE("n_iter_aggregated", "iter_aggregated"),
	CHOICE("iter_start", "iter_start"),
	CHOICE("iter_stop", "iter_stop"),
	{ "gpu_mem_total_bytes", "gpu_memories", "total",
	    "gpu_memories WHERE total > 0 ORDER BY id LIMIT 1", NUMBER },
	{ "gpu_mem_used_bytes", "gpu_memories", "used",
	    "gpu_memories WHERE total > 0 ORDER BY id LIMIT 1", NUMBER },
};

static void
put_fact(struct dldb_in *d, size_t i)
{
	sqlite3_stmt *st;
	const char *s;

	if (!db_has_column(d->db, facts[i].table, facts[i].column) ||
	    (strcmp(facts[i].fact, "key_op") == 0 && d->string == NULL))
		return;
	st = db_prepare(
	    d->db, "SELECT %s FROM %s", facts[i].column, facts[i].from);
	if (db_step(st)) {
		s = (const char *)sqlite3_column_text(st, 0);
		if (s != NULL && facts[i].kind == FLAG)
			s = strcmp(s, "0") == 0 ? "false" : "true";
		if (s != NULL && (*s != '\0' || facts[i].kind == KEY))
			fact_info(d->prof, facts[i].fact, "%s", s);
	}
	sqlite3_finalize(st);
}

/* No column of DLProf's can be NULL: 0 means unknown. */
static int64_t
or_unset(sqlite3_stmt *st, int i)
{
	int64_t v = db_i64(st, i);

	return v != 0 ? v : EV_UNSET;
}

static void
put_devs(struct dldb_in *d)
{
	static const char *const cols[] = { "device_id", "gpu_name",
		"compute_capability_major", "compute_capability_minor",
		"sm_count", NULL };
	struct dev_fact f = { 0 };
	sqlite3_stmt *st;
	char *names;

	names = dldb_cols(d, "read_only_gpu_infos", cols);
	if (names == NULL)
		return;
	st = db_prepare(d->db,
	    "SELECT %s FROM read_only_gpu_infos ORDER BY device_id", names);
	while (db_step(st)) {
		f.dev = db_i64(st, 0);
		f.name = (const char *)sqlite3_column_text(st, 1);
		if (f.name != NULL && *f.name == '\0')
			f.name = NULL;
		f.cc_major = or_unset(st, 2);
		f.cc_minor = f.cc_major != EV_UNSET ? db_i64(st, 3) : EV_UNSET;
		f.n_sm = or_unset(st, 4);
		f.clock_hz = f.mem_bytes = f.membw_bytes_s = EV_UNSET;
		dldb_own_dev(d, &f);
		fact_dev(d->prof, &f);
	}
	sqlite3_finalize(st);
	free(names);
}

static void
put_text_column(sqlite3_stmt *st, int i)
{
	const char *s = (const char *)sqlite3_column_text(st, i);

	out_text(s, s != NULL ? strlen(s) : 0);
}

/* The word "stored" distinguishes them from findings of dlp-advise. */
static void
put_findings(struct dldb_in *d)
{
	/* dlp-advise's columns, because its findings may follow these */
	static const char *const names[] = { "id", "judged", "problem",
		"recommendation", "value", "threshold", "threshold_by",
		"missing", "evidence", "unit", "by" };
	struct profile *p = d->prof;
	static const char *const cols[] = { "exp_sys_id", "problem",
		"recommendation", NULL };
	static const char table[] = "expert_systems_feedback";
	sqlite3_stmt *st;
	char *list;

	if (!select_type(&p->run->sel, "finding") ||
	    !db_has_column(d->db, table, "aggr_id"))
		return;
	list = dldb_cols(d, table, cols);
	st = db_prepare(d->db,
	    "SELECT %s FROM " LAST("expert_systems_feedback") " ORDER BY rowid",
	    list);
	while (db_step(st)) {
		dldb_rec(d, &p->run->out.finding_type, "finding", names,
		    (int)ARRAY_LEN(names));
		put_text_column(st, 0);
		emit_word("stored");
		put_text_column(st, 1);
		put_text_column(st, 2);
		out_unsets(6);
		emit_word("dlprof");
		emit_src(p);
		out_end();
	}
	sqlite3_finalize(st);
	free(list);
}

static bool
is_setting(size_t i)
{
	return strcmp(facts[i].table, "read_only_model_config") == 0;
}

/* True if the fact is read from one of DLProf's tables or set by the reader.
 * The tables do not show which facts no marker set. */
static bool
is_theirs(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (strcmp(facts[i].fact, name) == 0)
			return !is_setting(i);
	return strcmp(name, "dialect") == 0;
}

static void
dldb_facts(void *ctx)
{
	struct dldb_in *d = ctx;
	bool own = dldb_own_facts(d, is_theirs);
	size_t i;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (!own || !is_setting(i))
			put_fact(d, i);
	put_devs(d);
	put_findings(d);
}

static int
dldb_probe(sqlite3 *db)
{
	static const char *const own[] = { "read_only_ops",
		"read_only_op_instances", "db_version", "dictionary" };
	int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(own); i++)
		n += db_has_table(db, own[i]);
	return n < 2 ? 0 : n;
}

static int64_t
id_of(struct dldb_in *d, const char *text)
{
	sqlite3_stmt *st;
	int64_t id = EV_UNSET;

	st = db_prepare(d->db, "SELECT id FROM dictionary WHERE string = ?1");
	sqlite3_bind_text(st, 1, text, -1, SQLITE_STATIC);
	if (db_step(st))
		id = db_i64(st, 0);
	sqlite3_finalize(st);
	return id;
}

static void
open_dictionary(struct dldb_in *d)
{
	static const char *const cols[] = { "id", "string", NULL };

	d->empty = d->graph = EV_UNSET;
	free(dldb_cols(d, "dictionary", cols));
	if (!db_has_column(d->db, "dictionary", "id") ||
	    !db_has_column(d->db, "dictionary", "string"))
		return;
	d->string =
	    db_prepare(d->db, "SELECT string FROM dictionary WHERE id = ?1");
	d->empty = id_of(d, "");
	d->graph = id_of(d, GRAPH_NAME);
}

static void
say_missing(const struct dldb_in *d)
{
	struct buf b = { 0 };
	int i;

	if (d->n_missing == 0)
		return;
	for (i = 0; i < d->n_missing; i++) {
		buf_puts(&b, i > 0 ? ", " : "");
		buf_puts(&b, d->missing[i]);
	}
	warn("%s: an older database of DLProf, or not a whole one: it lacks"
	     " %.900s",
	    db_path(), buf_str(&b));
	buf_free(&b);
}

static void *
dldb_open(struct profile *p)
{
	struct dldb_in *d = xcalloc(1, sizeof(*d));

	d->prof = p;
	d->db = p->db;
	open_dictionary(d);
	dldb_ops_open(d);
	dldb_rows(d);
	dldb_own_rows(d);
	say_missing(d);
	return d;
}

static void
dldb_close(void *ctx)
{
	struct dldb_in *d = ctx;
	int i;

	dldb_ops_close(d);
	dldb_own_close(d);
	sqlite3_finalize(d->string);
	for (i = 0; i < d->n_missing; i++)
		free((void *)d->missing[i]);
	free(d);
}

static void
dldb_notes(void *ctx)
{
	struct dldb_in *d = ctx;

	stage_note("missing_columns", (uint64_t)d->n_missing);
	stage_note("work_outside_run", d->stray);
}

const struct dialect dialect_dldb = {
	.name = "dldb",
	.probe = dldb_probe,
	.strings = "dictionary",
	.open = dldb_open,
	.close = dldb_close,
	.facts = dldb_facts,
	.string = dldb_string,
	.notes = dldb_notes,
	.run = dldb_run,
	.run_end = dldb_run_end,
	.work = dldb_work,
};
