/*
 * The session, the model's configuration, what the last aggregation chose,
 * the devices, and the findings stored in DLProf's database. The names of
 * the user and the host stay where they are.
 */
#include "dldb_facts.h"

#include <stdlib.h>
#include <string.h>

#include "dldb_db.h"
#include "dldb_op.h"
#include "dldb_own.h"
#include "emit.h"
#include "emit_field.h"
#include "facts.h"
#include "run.h"
#include "schema.h"
#include "select.h"

#define LAST(t) t " WHERE aggr_id = (SELECT max(aggr_id) FROM " t ")"
#define SYSTEM "read_only_system_config ORDER BY id LIMIT 1"
#define MODEL "read_only_model_config ORDER BY id LIMIT 1"

enum kind { TEXT, NUMBER, FLAG, KEY /* empty: there is none */ };

/* fact, table and column that it needs, the rest of the query behind FROM */
static const struct {
	const char *fact, *table, *column, *from;
	enum kind kind;
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
	/* before the mode, by which dlp-iter knows whether there is a key */
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
put_fact(struct dldb *d, size_t i)
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
			fact_info(facts[i].fact, "%s", s);
	}
	sqlite3_finalize(st);
}

/* No column of DLProf's can be unset: 0 is what is not known. */
static int64_t
or_unset(sqlite3_stmt *st, int i)
{
	int64_t v = db_i64(st, i);

	return v != 0 ? v : EV_UNSET;
}

static void
put_devs(struct dldb *d)
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
		fact_dev(&f);
	}
	sqlite3_finalize(st);
	free(names);
}

static void
put_column(sqlite3_stmt *st, int i)
{
	const char *s = (const char *)sqlite3_column_text(st, i);

	out_text(s, s != NULL ? strlen(s) : 0);
}

/* They are told apart from those of dlp-advise by the word "stored". */
static void
put_findings(struct dldb *d)
{
	/* all of dlp-advise's columns: its findings follow these */
	static const char *const names[] = { "id", "judged", "problem",
		"recommendation", "value", "threshold", "threshold_by",
		"missing", "evidence", "unit", "by" };
	static struct dldb_type type = { "finding", names, 11, NULL };
	static const char *const cols[] = { "exp_sys_id", "problem",
		"recommendation", NULL };
	static const char table[] = "expert_systems_feedback";
	sqlite3_stmt *st;
	char *list;

	if (!select_type("finding") || !db_has_column(d->db, table, "aggr_id"))
		return;
	list = dldb_cols(d, table, cols);
	st = db_prepare(d->db,
	    "SELECT %s FROM " LAST("expert_systems_feedback") " ORDER BY rowid",
	    list);
	while (db_step(st)) {
		dldb_rec(&type);
		put_column(st, 0);
		emit_word("stored");
		put_column(st, 1);
		put_column(st, 2);
		out_unsets(6);
		emit_word("dlprof");
		emit_src(profile_cur());
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

/* Whether the fact stands in one of DLProf's tables, or is the reader's. What
 * no marker set is not told apart there. */
static bool
is_theirs(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (strcmp(facts[i].fact, name) == 0)
			return !is_setting(i);
	return strcmp(name, "dialect") == 0;
}

void
dldb_facts(struct dldb *d)
{
	bool own = dldb_own_facts(d, is_theirs);
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!own || !is_setting(i))
			put_fact(d, i);
	put_devs(d);
	put_findings(d);
}
