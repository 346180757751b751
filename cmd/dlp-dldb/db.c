/*
 * Writes the database: its file, its rows, and the queries that read them back.
 * A new database is written under a temporary name and renamed when it is
 * complete, so that a run that fails leaves nothing. All failures are fatal.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "db.h"
#include "err.h"
#include "sqldb.h"

static bool db_try(struct db *db, const char *sql);

/*
 * The schema as data, and made. A column is NAME TYPE, or NAME TYPE>TABLE where
 * it is the id of a row there; every table has an id before those. The types:
 *
 *	i, t, r	integer, text, real; not NULL
 *	n	integer or NULL
 *	b, c	boolean; boolean that is checked
 *	u, d	integer, unique; integer, default 0
 *	w	text, unique
 *	g, G	text that DLProf declares as STRING, which SQLite would take
 *		for a number where it looks like one; G can be NULL
 *
 * The last tables, dlp_*, are not DLProf's: they hold what the reports need and
 * its tables have no place for.
 */

#define WORK "read_only_ops_id i op_instance i name_id i>dictionary "
#define API "api_start i api_stop i "
#define GPU API "gpu_start i gpu_stop i "
#define PLACE "device_id i process_id i thread_id i"
#define AGGR "aggr_id i>aggregations "
#define DOMAIN "domain_id i>read_only_domains "
#define OP "read_only_ops_id i>read_only_ops "
#define TOTALS "total_count i uses_tc_count i total_gpu_time i tc_gpu_time i"
#define SHARES(t)                                                              \
	"tc_duration" t "non_tc_duration" t "memory_duration" t                \
	"dataloader_duration" t "io_duration" t "cpu_duration" t               \
	"other_duration" t

static const struct {
	const char *name, *cols; /* cols: see above */
} tables[DB_TABLES] = {
	[T_DICTIONARY] = { "dictionary", "string w" },
	[T_GRID_BLOCK] = { "read_only_grid_block", "x i y i z i" },
	[T_MODEL_INFO] = { "read_only_model_info",
	    DOMAIN "domain_name g profile_name g" },
	[T_GPU_INFOS] = { "read_only_gpu_infos",
	    "device_id u gpu_name t"
	    " compute_capability_major i"
	    " compute_capability_minor i sm_count i" },
	[T_GPU_MEMORIES] = { "gpu_memories", "total i used i" },
	[T_SYSTEM_CONFIG] = { "read_only_system_config",
	    "is_valid c num_gpus t cpu_model t driver_version t framework t"
	    " cuda_version t cudnn_version t nsys_version t dlprof_version t"
	    " dlprof_build t profile_name t mode_enum i mode_string t"
	    " original_command t" },
	[T_DB_VERSION] = { "db_version",
	    "current_version t original_version t" },
	[T_MODEL_CONFIG] = { "read_only_model_config",
	    "num_workers i pin_memory b cudnn_benchmark_disabled b"
	    " detect_anomaly b gradcheck b gradgradcheck b autograd_profile b"
	    " autograd_set_detect_anomaly b emit_nvtx b amp_enabled b" },
	[T_DOMAINS] = { "read_only_domains", "domain_name_id i>dictionary" },
	[T_OPS] = { "read_only_ops",
	    DOMAIN "op_id_id i>dictionary op_id g op_name g"
		   " op_type_id i>dictionary device_id i>dictionary"
		   " tc_support_status i data_type_id i>dictionary"
		   " data_format_id i>dictionary"
		   " output_format_id i>dictionary"
		   " parameters_format_id i>dictionary"
		   " direction_id i>dictionary stack_trace G" },
	[T_SUB_OPS] = { "read_only_sub_ops",
	    "op_id i>read_only_ops start_time i stop_time i" },
	[T_OP_INSTANCES] = { "read_only_op_instances",
	    OP "cpu_start i cpu_stop i process_id i thread_id i"
	       " input_names_id i>dictionary input_shapes_id i>dictionary"
	       " output_names_id i>dictionary output_shapes_id i>dictionary"
	       " parameters_id i>dictionary" },
	[T_KERNELS] = { "read_only_kernels",
	    WORK "long_name_id i>dictionary uses_tc c " GPU
		 "grid_id i>read_only_grid_block"
		 " block_id i>read_only_grid_block " PLACE },
	[T_MEMSETS] = { "read_only_memsets", WORK GPU "num_bytes i " PLACE },
	[T_MEMCPYS] = { "read_only_memcpys",
	    WORK GPU "num_bytes i copy_kind i " PLACE },
	[T_CUDA_SYNCS] = { "read_only_cuda_syncs",
	    WORK GPU "sync_type i event_id i " PLACE },
	[T_CUDA_CALLS] = { "read_only_cuda_calls",
	    WORK API "process_id i thread_id i" },
	[T_AGGREGATIONS] = { "aggregations",
	    "server_user_name t server_host_name t"
	    " start_timestamp i end_timestamp d" },
	[T_CATEGORY_SUMMARY] = { "category_summary",
	    "cpu_time i gpu_time i cpu_overhead i gpu_idle i count i" },
	[T_METRIC] = { "metric", "count i max i min i sum i avg r" },
	[T_NODE_TIME_METRICS] = { "node_time_metrics",
	    "cpu_time_metric_id i>metric gpu_time_metric_id i>metric"
	    " api_time_metric_id i>metric cpu_overhead_time_metric_id i>metric"
	    " gpu_idle_time_metric_id i>metric" },
	[T_KERNEL_TIME_METRICS] = { "kernel_time_metrics",
	    "api_time_metric_id i>metric gpu_time_metric_id i>metric" },
	[T_EXPERT_SYSTEMS_FEEDBACK] = { "expert_systems_feedback",
	    "aggr_id i exp_sys_id t problem t recommendation t"
	    " javascript_function t javascript_args t" },
	[T_ITERATION_KEY] = { "iteration_key",
	    "aggr_id u>aggregations key_node_id i>dictionary" },
	[T_ITERATION_LIST] = { "iteration_list",
	    AGGR "iter_value i start_time i stop_time i" },
	[T_ITERATION_AGGREGATION_LIST] = { "iteration_aggregation_list",
	    AGGR "iter_value i gpu_utilization r " SHARES(" i ") },
	[T_MODEL_SUMMARY] = { "model_summary", AGGR DOMAIN
	    "is_custom_domain c wall_time i nodes_total_id i>category_summary"
	    " nodes_tc_eligible_id i>category_summary"
	    " nodes_using_tc_id i>category_summary"
	    " nodes_other_id i>category_summary gpu_utilization r"
	    " tc_utilization r " SHARES(
		"_pct r ") "avg_iteration_time r iteration_time_std_dev r "
			   "iter_total i"
			   " iter_aggregated i iter_start i iter_stop i"
			   " key_node_id i>dictionary" },
	[T_DEVICE_GPU_UTILIZATIONS] = { "device_gpu_utilizations",
	    "aggr_id i " DOMAIN "gpu_info_id i>read_only_gpu_infos"
	    " gpu_utilization r" },
	[T_OP_NODES] = { "op_nodes",
	    AGGR OP "node_time_metrics_id i>node_time_metrics"
		    " kernel_time_metrics_id i>kernel_time_metrics"
		    " num_calls i kernel_calls i tc_eligible c using_tc c"
		    " is_bad_data_type c" },
	[T_GROUP_OPS] = { "group_ops", AGGR DOMAIN
	    "row_type i group_op_full_id_id i>dictionary"
	    " group_op_full_name_id i>dictionary level i num_op_instances i"
	    " num_supported_leaf_ops i num_tc_leaf_ops i"
	    " group_op_time_metrics_id i>node_time_metrics" },
	[T_KERNEL_SUMMARIES] = { "kernel_summaries",
	    AGGR DOMAIN OP "kernel_name_id i>dictionary"
			   " api_time_metric_id i>metric"
			   " gpu_time_metric_id i>metric uses_tc c" },
	[T_KERNEL_ITERATION_NODE] = { "kernel_iteration_node", AGGR DOMAIN OP
	    "read_only_kernel_id i>read_only_kernels iter_value i " TOTALS },
	[T_KERNEL_ITERATION_STATS] = { "kernel_iteration_stats",
	    AGGR DOMAIN "iter_value i " TOTALS },
	[T_KERNEL_SUMMARY_METRICS] = { "kernel_summary_metrics",
	    AGGR DOMAIN "kernels_total_id i>category_summary"
			" kernels_using_tc_id i>category_summary"
			" kernels_non_tc_id i>category_summary" },
	[T_MEMORY_SUMMARY_METRICS] = { "memory_summary_metrics",
	    AGGR DOMAIN "memory_time_id i>category_summary" },
	[T_OP_TYPE_METRICS] = { "op_type_metrics",
	    "aggr_id i " DOMAIN "op_node_type_id i>dictionary"
	    " op_type_metrics_id i>node_time_metrics num_nodes i num_calls i" },
	[T_DLP_FACTS] = { "dlp_facts", "name w value t" },
	[T_DLP_DEVICES] = { "dlp_devices",
	    "device_id i clock_hz n mem_bytes n membw_bytes_s n" },
	[T_DLP_OPS] = { "dlp_ops", "marker_id i>dictionary" },
	[T_DLP_RANGES] = { "dlp_ranges",
	    "start_time i stop_time n process_id n thread_id n"
	    " end_thread_id n domain_id i>dictionary"
	    " mode_id i>dictionary text_id i>dictionary"
	    " level n layer_id i>dictionary" },
	[T_DLP_OS_CALLS] = { "dlp_os_calls",
	    "start_time i stop_time n process_id n thread_id n"
	    " name_id i>dictionary" },
	[T_DLP_MEMORY] = { "dlp_memory",
	    "time i process_id n device_id n op_id i>dictionary"
	    " num_bytes n address n kind_id i>dictionary"
	    " pool_address n pool_bytes n" },
};

/* The next word of the columns; *p moves on and *n is its length. NULL at the
 * end. */
static const char *
table_word(const char **p, int *n)
{
	const char *s = *p + strspn(*p, " ");

	*n = (int)strcspn(s, " ");
	*p = s + *n;
	return *n > 0 ? s : NULL;
}

/* db_schema.c */
static const char *
db_table_name(enum db_table t)
{
	return tables[t].name;
}

/* including id */
static int
db_table_cols(enum db_table t)
{
	const char *p = tables[t].cols;
	int n, cols = 1;

	for (; table_word(&p, &n) != NULL; cols++)
		table_word(&p, &n);
	return cols;
}

static const struct {
	char code;
	const char *sql;
} types[] = {
	{ 'i', "INTEGER NOT NULL" },
	{ 't', "TEXT NOT NULL" },
	{ 'r', "REAL NOT NULL" },
	{ 'g', "TEXT NOT NULL" },
	{ 'G', "TEXT" },
	{ 'n', "INTEGER" },
	{ 'b', "BOOLEAN NOT NULL" },
	{ 'c', "BOOLEAN NOT NULL CHECK (\"%s\" IN (0, 1))" },
	{ 'u', "INTEGER NOT NULL UNIQUE" },
	{ 'w', "TEXT NOT NULL UNIQUE" },
	{ 'd', "INTEGER NOT NULL DEFAULT 0" },
};

static const char *
type_sql(char code)
{
	size_t i;

	for (i = 0; types[i].code != code; i++)
		if (i + 1 == ARRAY_LEN(types))
			die("no column type %c", code);
	return types[i].sql;
}

static void
put_col(struct buf *b, const char *name, int n, const char *type, int tn)
{
	const char *sql = type_sql(type[0]), *mark = strstr(sql, "%s");

	buf_printf(b, ", %.*s ", n, name);
	if (mark == NULL)
		buf_puts(b, sql);
	else
		buf_printf(
		    b, "%.*s%.*s%s", (int)(mark - sql), sql, n, name, mark + 2);
	if (tn > 2)
		buf_printf(b,
		    " REFERENCES %.*s(id) ON UPDATE CASCADE ON DELETE CASCADE",
		    tn - 2, type + 2);
}

void
ddl_tables(struct db *db)
{
	struct buf b = { 0 };
	const char *p, *name, *type;
	int n, tn;
	size_t i;

	for (i = 0; i < DB_TABLES; i++) {
		buf_clear(&b);
		buf_printf(&b, "CREATE TABLE %s (id INTEGER PRIMARY KEY",
		    tables[i].name);
		p = tables[i].cols;
		while ((name = table_word(&p, &n)) != NULL) {
			type = table_word(&p, &tn);
			put_col(&b, name, n, type, tn);
		}
		buf_putc(&b, ')');
		db_exec(db, buf_str(&b));
	}
	buf_free(&b);
}

/* Indices that are named unique_TABLE. */
static const struct {
	bool aggregated;
	const char *table, *cols;
} indices[] = {
	{ false, "read_only_ops", "domain_id, op_id_id" },
	{ false, "read_only_kernels",
	    "api_start, gpu_start, thread_id, read_only_ops_id" },
	{ true, "iteration_list", "aggr_id, iter_value" },
	{ true, "model_summary", "aggr_id, domain_id" },
	{ true, "device_gpu_utilizations", "aggr_id, domain_id, gpu_info_id" },
	{ true, "group_ops",
	    "aggr_id, domain_id, group_op_full_id_id,"
	    " group_op_full_name_id" },
	{ true, "kernel_summaries",
	    "aggr_id, domain_id, read_only_ops_id, kernel_name_id" },
	{ true, "kernel_iteration_node",
	    "aggr_id, domain_id, read_only_ops_id, read_only_kernel_id,"
	    " iter_value" },
	{ true, "kernel_iteration_stats", "aggr_id, domain_id, iter_value" },
	{ true, "kernel_summary_metrics", "aggr_id, domain_id" },
	{ true, "memory_summary_metrics", "aggr_id, domain_id" },
	{ true, "op_type_metrics", "aggr_id, domain_id, op_node_type_id" },
};

static void
drop_index(struct db *db, size_t i)
{
	struct buf b = { 0 };

	buf_printf(&b, "DROP INDEX IF EXISTS unique_%s", indices[i].table);
	db_exec(db, buf_str(&b));
	buf_free(&b);
}

/* Two kernels of one call can start at the same time. Then DLProf's index
 * cannot be unique. */
static void
make_index(struct db *db, size_t i)
{
	struct buf b = { 0 };
	int k;

	for (k = 0; k < 2; k++) {
		buf_clear(&b);
		buf_printf(&b, "CREATE %s INDEX unique_%s ON %s(%s)",
		    k == 0 ? "UNIQUE" : "", indices[i].table, indices[i].table,
		    indices[i].cols);
		if (db_try(db, buf_str(&b)))
			break;
	}
	buf_free(&b);
}

void
ddl_no_indices(struct db *db)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(indices); i++)
		if (indices[i].aggregated)
			drop_index(db, i);
}

void
ddl_indices(struct db *db, bool aggregated)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(indices); i++)
		if (indices[i].aggregated == aggregated)
			make_index(db, i);
}

/* The file and its rows. */

/* The file to remove if the process ends early. One per process, because a
 * signal handler has no argument. */
static char *volatile doomed;

static void
remove_temp(void)
{
	if (doomed != NULL)
		unlink(doomed);
	doomed = NULL;
}

/* The signal then ends the process as if it had no handler. */
static void
on_signal(int sig)
{
	if (doomed != NULL)
		unlink(doomed);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Removes temp when the process ends, unless `doomed` is NULL by then. A signal
 * that is ignored, as under nohup, stays ignored. */
static void
clean_up_later(char *temp)
{
	static const int sigs[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	struct sigaction sa, old;
	size_t i;

	doomed = temp;
	atexit(remove_temp);
	for (i = 0; i < ARRAY_LEN(sigs); i++) {
		memset(&sa, 0, sizeof(sa));
		sa.sa_handler = on_signal;
		sigemptyset(&sa.sa_mask);
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	}
}

static void
open_file(struct db *db, const char *file)
{
	if (sqldb_write(&db->sql, file) != SQLITE_OK)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
	db_exec(db, "PRAGMA locking_mode = EXCLUSIVE");
	db_exec(db, "PRAGMA ignore_check_constraints = ON");
	db_exec(db, "PRAGMA cache_size = -65536");
}

/* A new file that is incomplete is removed, so it needs no protection against a
 * crash. */
static void
be_careless(struct db *db)
{
	db_exec(db, "PRAGMA journal_mode = MEMORY");
	db_exec(db, "PRAGMA synchronous = OFF");
}

/* Creates an empty file in the folder of path and returns its name. mkstemp()
 * makes it private; it then gets the mode that a new file usually has. umask()
 * returns the mask only if it sets one. */
static char *
temp_beside(const char *path)
{
	struct buf b = { 0 };
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	buf_printf(&b, "%s.XXXXXX", path);
	buf_putc(&b, '\0');
	fd = mkstemp(b.s);
	if (fd < 0)
		die_errno("%s", path);
	if (fchmod(fd, 0666 & ~mask) != 0) {
		err = errno;
		unlink(b.s);
		errno = err;
		die_errno("%s", b.s);
	}
	close(fd);
	return b.s;
}

void
db_create(struct db *db, const char *path, bool force)
{
	struct stat st;

	memset(db, 0, sizeof(*db));
	db->path = path;
	db->force = force;
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			die("%s: not a regular file", path);
		if (!force)
			die("%s: exists already; -f writes over it", path);
	} else if (errno != ENOENT)
		die_errno("%s", path);
	db->temp = temp_beside(path);
	clean_up_later(db->temp);
	open_file(db, db->temp);
	be_careless(db);
	db_exec(db, "BEGIN");
}

void
db_open(struct db *db, const char *path)
{
	memset(db, 0, sizeof(*db));
	db->path = path;
	open_file(db, path);
	db_exec(db, "BEGIN");
}

/* Frees the rows that wait (without writing them) and all statements. */
static void
close_inserts(struct db *db)
{
	sqlite3_stmt *st;
	size_t i;

	for (i = 0; i < DB_TABLES; i++)
		free(db->ins[i].rows);
	memset(db->ins, 0, sizeof(db->ins));
	db->find_text = NULL;
	while ((st = sqlite3_next_stmt(db->sql, NULL)) != NULL)
		sqlite3_finalize(st);
}

/* Ends the process with the database's message. */
static void
db_fail(const struct db *db)
{
	die("%s: %s", db->path, sqlite3_errmsg(db->sql));
}

/* Without -f the name must still be free: another process may have taken it
 * since db_create() looked. */
static void
claim(const struct db *db)
{
	int fd;

	if (db->force)
		return;
	fd = open(db->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST)
		die("%s: exists already; -f writes over it", db->path);
	if (fd < 0)
		die_errno("%s", db->path);
	close(fd);
}

void
db_finish(struct db *db)
{
	db_exec(db, "COMMIT");
	close_inserts(db);
	if (sqlite3_close(db->sql) != SQLITE_OK)
		db_fail(db);
	db->sql = NULL;
	if (db->temp == NULL)
		return;
	claim(db);
	if (rename(db->temp, db->path) != 0)
		die_errno("%s", db->path);
	doomed = NULL;
	free(db->temp);
	db->temp = NULL;
}

void
db_drop(struct db *db)
{
	close_inserts(db);
	sqlite3_close(db->sql);
	db->sql = NULL;
	remove_temp();
	free(db->temp);
	db->temp = NULL;
}

void
db_exec(struct db *db, const char *sql)
{
	if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) != SQLITE_OK)
		db_fail(db);
}

/* false if a constraint fails */
static bool
db_try(struct db *db, const char *sql)
{
	int rc = sqlite3_exec(db->sql, sql, NULL, NULL, NULL);

	if (rc != SQLITE_OK && rc != SQLITE_CONSTRAINT)
		db_fail(db);
	return rc == SQLITE_OK;
}

int64_t
db_int(struct db *db, const char *sql, int64_t def)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db->sql, sql, -1, &st, NULL) != SQLITE_OK)
		db_fail(db);
	if (sqlite3_step(st) == SQLITE_ROW &&
	    sqlite3_column_type(st, 0) != SQLITE_NULL)
		def = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return def;
}

/* An INSERT of this many rows; its parameters are their columns in order. */
static sqlite3_stmt *
prepare(struct db *db, enum db_table t, int rows)
{
	struct buf b = { 0 };
	sqlite3_stmt *st;
	int n;

	buf_printf(&b, "INSERT INTO %s VALUES ", db_table_name(t));
	while (rows-- > 0) {
		buf_puts(&b, "(?");
		for (n = db_table_cols(t); n > 1; n--)
			buf_puts(&b, ",?");
		buf_puts(&b, rows > 0 ? ")," : ")");
	}
	if (sqlite3_prepare_v3(db->sql, buf_str(&b), -1,
		SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK)
		db_fail(db);
	buf_free(&b);
	return st;
}

/* The table's inserts, with the statement for one row prepared. */
static struct db_insert *
insert_of(struct db *db, enum db_table t)
{
	struct db_insert *in = &db->ins[t];

	if (in->st == NULL)
		in->st = prepare(db, t, 1);
	return in;
}

/* Adds the bound row; false if a constraint does not allow it. */
static bool
try_step(struct db *db, sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	if (rc != SQLITE_DONE && rc != SQLITE_CONSTRAINT)
		db_fail(db);
	return rc == SQLITE_DONE;
}

static void
step_row(struct db *db, sqlite3_stmt *st)
{
	if (!try_step(db, st))
		db_fail(db);
}

/* For id 0 SQLite chooses the next one. */
static void
bind_id(struct db_insert *in, int64_t id)
{
	if (id != 0)
		sqlite3_bind_int64(in->st, 1, id);
	else
		sqlite3_bind_null(in->st, 1);
}

int64_t
db_put(struct db *db, enum db_table t, int64_t id, const char *fmt, ...)
{
	struct db_insert *in = insert_of(db, t);
	const char *s;
	va_list ap;
	int i;

	bind_id(in, id);
	va_start(ap, fmt);
	for (i = 2; *fmt != '\0'; fmt++, i++) {
		if (*fmt == 'i') {
			sqlite3_bind_int64(in->st, i, va_arg(ap, int64_t));
		} else if (*fmt == 'f') {
			sqlite3_bind_double(in->st, i, va_arg(ap, double));
		} else if (*fmt == 't') {
			s = va_arg(ap, const char *);
			sqlite3_bind_text(
			    in->st, i, s != NULL ? s : "", -1, SQLITE_STATIC);
		} else
			sqlite3_bind_null(in->st, i);
	}
	va_end(ap);
	step_row(db, in->st);
	return sqlite3_last_insert_rowid(db->sql);
}

/* The id of a text that the dictionary already has: its texts are unique, so
 * adding one again fails. */
static int64_t
find_text(struct db *db, const char *s, size_t n)
{
	int64_t id = 0;

	if (db->find_text == NULL &&
	    sqlite3_prepare_v2(db->sql,
		"SELECT id FROM dictionary WHERE string = ?1", -1,
		&db->find_text, NULL) != SQLITE_OK)
		db_fail(db);
	sqlite3_bind_text(db->find_text, 1, s, (int)n, SQLITE_STATIC);
	if (sqlite3_step(db->find_text) == SQLITE_ROW)
		id = sqlite3_column_int64(db->find_text, 0);
	sqlite3_reset(db->find_text);
	if (id == 0)
		die("%s: dictionary: %s", db->path, sqlite3_errmsg(db->sql));
	return id;
}

int64_t
db_put_text(struct db *db, const char *s, size_t n)
{
	struct db_insert *in = insert_of(db, T_DICTIONARY);

	bind_id(in, 0);
	sqlite3_bind_text(in->st, 2, s, (int)n, SQLITE_STATIC);
	if (!try_step(db, in->st))
		return find_text(db, s, n);
	return sqlite3_last_insert_rowid(db->sql);
}

#define MANY 32 /* rows in one INSERT: more are not faster */

static void
many_open(struct db *db, struct db_insert *in, enum db_table t, int n)
{
	in->n_cols = db_table_cols(t);
	if (in->n_cols != n)
		die("%s: %d columns", db_table_name(t), n);
	in->many = prepare(db, t, MANY);
	in->rows = xcalloc(MANY, (size_t)n * sizeof(*in->rows));
}

/* Binds n of the rows that wait, from row `from`. The first column is the id; 0
 * lets SQLite choose it. */
static void
bind_rows(const struct db_insert *in, sqlite3_stmt *st, int from, int n)
{
	const int64_t *v = in->rows + (size_t)from * (size_t)in->n_cols;
	int i, k;

	for (i = 0; i < n * in->n_cols; i += in->n_cols) {
		if (v[i] != 0)
			sqlite3_bind_int64(st, i + 1, v[i]);
		else
			sqlite3_bind_null(st, i + 1);
		for (k = 1; k < in->n_cols; k++)
			if (v[i + k] != DB_NULL)
				sqlite3_bind_int64(st, i + k + 1, v[i + k]);
			else
				sqlite3_bind_null(st, i + k + 1);
	}
}

static void
flush_rows(struct db *db, enum db_table t)
{
	struct db_insert *in = &db->ins[t];
	int i;

	if (in->n_rows == MANY) {
		bind_rows(in, in->many, 0, MANY);
		step_row(db, in->many);
	} else {
		for (i = 0; i < in->n_rows; i++) {
			bind_rows(in, insert_of(db, t)->st, i, 1);
			step_row(db, in->st);
		}
	}
	in->n_rows = 0;
}

void
db_add(struct db *db, enum db_table t, const int64_t *row, int n)
{
	struct db_insert *in = &db->ins[t];

	if (in->many == NULL)
		many_open(db, in, t, n);
	memcpy(in->rows + (size_t)in->n_rows * (size_t)n, row,
	    (size_t)n * sizeof(*row));
	if (++in->n_rows == MANY)
		flush_rows(db, t);
}

void
db_flush(struct db *db)
{
	int t;

	for (t = 0; t < DB_TABLES; t++)
		flush_rows(db, (enum db_table)t);
}
