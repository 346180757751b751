/*
 * The database that is written. It has a temporary name next to the final one
 * and gets the final name when it is complete, so a run that fails leaves
 * nothing. All failures are fatal.
 *
 * Its tables, indices and views are those of DLProf 1.8.0, with the names and
 * columns that scripts use. Tables dlp_* hold the other data that dlp's reports
 * need.
 */
#ifndef DB_H
#define DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"
#include "num.h"
#include "stage.h"

enum db_table { /* in the order in which they are created */
	T_DICTIONARY,
	T_GRID_BLOCK,
	T_MODEL_INFO,
	T_GPU_INFOS,
	T_GPU_MEMORIES,
	T_SYSTEM_CONFIG,
	T_DB_VERSION,
	T_MODEL_CONFIG,
	T_DOMAINS,
	T_OPS,
	T_SUB_OPS,
	T_OP_INSTANCES,
	T_KERNELS,
	T_MEMSETS,
	T_MEMCPYS,
	T_CUDA_SYNCS,
	T_CUDA_CALLS,
	T_AGGREGATIONS,
	T_CATEGORY_SUMMARY,
	T_METRIC,
	T_NODE_TIME_METRICS,
	T_KERNEL_TIME_METRICS,
	T_EXPERT_SYSTEMS_FEEDBACK,
	T_ITERATION_KEY,
	T_ITERATION_LIST,
	T_ITERATION_AGGREGATION_LIST,
	T_MODEL_SUMMARY,
	T_DEVICE_GPU_UTILIZATIONS,
	T_OP_NODES,
	T_GROUP_OPS,
	T_KERNEL_SUMMARIES,
	T_KERNEL_ITERATION_NODE,
	T_KERNEL_ITERATION_STATS,
	T_KERNEL_SUMMARY_METRICS,
	T_MEMORY_SUMMARY_METRICS,
	T_OP_TYPE_METRICS,
	T_DLP_FACTS,
	T_DLP_DEVICES,
	T_DLP_OPS,
	T_DLP_RANGES,
	T_DLP_OS_CALLS,
	T_DLP_MEMORY,
	DB_TABLES
};

struct db_insert {          /* into one table */
	sqlite3_stmt *st;   /* one row; NULL if not prepared */
	sqlite3_stmt *many; /* for db_add(): many rows in one statement */
	int64_t *rows;      /* rows that wait */
	int n_rows, n_cols;
};

struct db {
	sqlite3 *sql;
	struct db_insert ins[DB_TABLES];
	sqlite3_stmt *find_text; /* NULL if not prepared */
	const char *path;
	char *temp; /* NULL: writes to path itself */
	bool force; /* path may be overwritten */
};

/* Creates a database. Fatal if path exists, unless force is set. */
void db_create(struct db *db, const char *path, bool force);
/* Opens an existing one and begins a transaction. */
void db_open(struct db *db, const char *path);
/* Writes all rows of db_add() so far, so that queries find them. */
void db_flush(struct db *db);
/* Commits and closes everything; path is the database from now on. */
void db_finish(struct db *db);
/* Closes it and removes what db_create() made. */
void db_drop(struct db *db);

void db_exec(struct db *db, const char *sql);

/* Adds a row. fmt has a letter per column after id: i int64_t, f double, t
 * const char * (NULL is ""), n nothing (NULL). id 0 means the next one; returns
 * the id. */
int64_t db_put(
    struct db *db, enum db_table t, int64_t id, const char *fmt, ...);

/* NULL, in a row of integers. */
#define DB_NULL INT64_MIN
/* Adds a row of n integers, id first (0: the next one), or DB_NULL, to a table
 * with many rows. Some rows wait, and are written together. */
void db_add(struct db *db, enum db_table t, const int64_t *row, int n);
#define DB_ADD(db, t, ...)                                                     \
	db_add(db, t, (const int64_t[]){ __VA_ARGS__ },                        \
	    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
/* The id of a text in the dictionary, to which it is added if necessary. */
int64_t db_put_text(struct db *db, const char *s, size_t n);

/* The first value of a query's first row; def if there is no row. */
int64_t db_int(struct db *db, const char *sql, int64_t def);

void ddl_tables(struct db *db);

void ddl_views(struct db *db); /* db_views.c */

/* Drops the indices of the aggregated tables while rows are added. */
void ddl_no_indices(struct db *db);

/* Creates the indices, after the rows. If the rows do not allow a unique index,
 * it is not unique. */
void ddl_indices(struct db *db, bool aggregated);

/*
 * The interface between the two halves of the database. The raw half gets all
 * records as they pass. The aggregated half adds them up by op and is written
 * at the end. The two can be two runs of this command in one pipeline, with a
 * filter between them that selects the iterations.
 */

#define DOMAIN_ID INT64_C(1)

struct db_halves {
	struct db db;
	const char *path, *domain;
	bool raw, aggregate, tee, force;
	size_t memory;     /* -S */
	bool any;          /* a section has begun */
	bool open, whole;  /* a database is open, and complete */
	struct smap words; /* value: id in the dictionary, 0 if unknown */
	struct smap infos; /* ##info: name -> number in words, from 1 */
	struct buf tmp;    /* of a text that is read */
	struct map strs;   /* id of a str record -> number in words */
	struct smap dims;  /* "x,y,z"; value: id of the grid_block */
	struct db_facts *facts;
	struct db_ops *ops;
	struct db_raw *raws;
	struct db_agg *agg;
	struct db_sums *sums;
	uint64_t n_no_op, n_graph, n_no_call;
};

/* The number of a text, valid until the end. */
uint32_t db_word(struct db_halves *d, const char *s, size_t n);
/* The same for a column's text, unescaped; for "" if it is unset. */
uint32_t db_col_word(
    struct db_halves *d, const struct rec *r, const struct rec_col *c);
/* The text of a number. The other: its id in the dictionary, to which it is
 * added if necessary. */
const char *db_word_text(const struct db_halves *d, uint32_t w);
int64_t db_word_id(struct db_halves *d, uint32_t w);
/* The id of a text that does not occur again, so that nothing is cached. */
int64_t db_text_id(struct db_halves *d, const char *s, size_t n);
int64_t db_str_id(struct db_halves *d, const char *s);

/* The value of an ##info line; NULL if there was none. */
const char *facts_get(const struct db_halves *d, const char *name);
int64_t facts_int(const struct db_halves *d, const char *name, int64_t def);

#define N_METRIC 5
enum { M_CPU, M_GPU, M_API, M_OVERHEAD, M_IDLE };

struct db_metric { /* n is 0 if there is no value yet */
	int64_t n, sum, min, max;
};

static inline void
metric_add(struct db_metric *m, int64_t v)
{
	if (m->n == 0 || v < m->min)
		m->min = v;
	if (m->n == 0 || v > m->max)
		m->max = v;
	m->sum = num_add(m->sum, v);
	m->n++;
}

void metric_merge(struct db_metric *m, const struct db_metric *of);

struct kern_sum { /* the launches of one kernel name in an op */
	struct kern_sum *next;
	uint32_t name;  /* word */
	bool tc, no_tc; /* some launch used Tensor Cores; some did not */
	struct db_metric api, gpu;
	int64_t tc_api, tc_gpu; /* sums of launches that used Tensor Cores */
};

struct db_op {
	int64_t id;
	uint32_t type;   /* word */
	uint32_t n_runs; /* raw half: numbers given */
	uint32_t dtype;  /* word */
	bool eligible, unassociated;
	int64_t names_id, shapes_id, out_id, out_names_id; /* raw half */
	/* aggregated half */
	int64_t n_calls, n_kern;
	bool used_tc;
	struct db_metric *m; /* N_METRIC; NULL if there is none, or only one
			      * run's v */
	int64_t v[N_METRIC];
	uint32_t has; /* bits of the members of v that are set */
	struct kern_sum *kerns;
};

void ops_start(struct db_halves *d, struct stage *st);
void ops_free(struct db_halves *d);

/* NULL if there was no such op record. Valid until the next op record. */
struct db_op *ops_find(const struct db_halves *d, int64_t id);
size_t ops_count(const struct db_halves *d);
struct db_op *ops_nth(const struct db_halves *d, size_t i);

/* A metric of an op's runs. */
struct db_metric ops_metric(const struct db_op *op, int i);

enum db_kind { K_KERN, K_COPY, K_SET, K_SYNC, K_GRAPH, K_CALL, K_N };

struct db_work {
	enum db_kind kind;
	struct db_op *op; /* NULL if there is none */
	int64_t id, start, end, pid, tid, dev;
	int64_t inst;           /* 0 if unset */
	bool has_api, own_call; /* a call is known; its duration is, too */
	int64_t api_start, api_dur;
	int64_t iter; /* -1 if unset */
	bool tc;
	uint32_t name; /* word: kernels */
	const struct db_cols *cols;
	const struct rec *r;
};

struct db_cols { /* of a type of work */
	enum db_kind kind;
	struct rec_col *id, *start, *dur, *pid, *tid, *dev, *op_id, *inst_id,
	    *api, *api_start, *api_dur, *iter, *tc, *name, *name_id, *grid,
	    *block, *bytes, *copy_kind, *event;
};

/* The number of its iteration; -1 if none. */
static inline int64_t
work_iter(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) && v >= 0 ? v : -1;
}

struct db_run { /* an inst record */
	struct db_op *op;
	int64_t id, start, dur, pid, tid, iter;
	int64_t v[5]; /* metrics by enum of ops.h */
	bool has[5];
};

/* Also reads ranges, calls of the operating system and memory events, which
 * become rows of the tables dlp_*. */
void raw_start(struct db_halves *d, struct stage *st);
void raw_work(struct db_halves *d, const struct db_work *w);
void raw_run(struct db_halves *d, const struct db_run *run);
/* Called at the end: writes runs that work named and that never came. */
void raw_end(struct db_halves *d);
void raw_free(struct db_halves *d);

struct db_facts *facts_new(void);
void facts_start(struct db_halves *d, struct stage *st);
void facts_meta(struct db_halves *d, const struct rec *r);

/* "NAME=VALUE", which overrides ##info lines, or "NAME?=VALUE", which an ##info
 * line overrides; false if the text has neither form. */
bool facts_set(struct db_halves *d, const char *fact);

/* Called at the end: writes the rows. */
void facts_write(struct db_halves *d);

/* The GPUs: their number, and the i-th one's device number. */
size_t facts_ndev(const struct db_halves *d);
int64_t facts_dev(const struct db_halves *d, size_t i);
/* The id of its row. */
int64_t facts_gpu_id(const struct db_halves *d, int64_t dev);

/* Stores how an op was recognised; for the raw half. */
void own_op(struct db_halves *d, int64_t op_id, const char *by, size_t n);

/* A device; numbers can be DB_NULL. */
struct db_dev {
	int64_t dev, clock_hz, mem_bytes, membw_bytes_s;
};
void own_dev(struct db_halves *d, const struct db_dev *dev);

/* Bytes; 0 if there were no memory events. */
int64_t own_mem_peak(struct db_halves *d, int64_t dev);

/* Called at the end: writes the ##info lines, except those of dlp-iter. */
void own_facts(struct db_halves *d);

/*
 * The aggregated half: sums over the selected iterations, by op, kernel name
 * and op type.
 */
void agg_start(struct db_halves *d);
void agg_free(struct db_halves *d);
/* True if work of that kind is added up there. */
bool agg_wants(enum db_kind kind);
void agg_work(struct db_halves *d, const struct db_work *w);
void agg_run(struct db_halves *d, const struct db_run *u);

/* Reads records of the stages before and keeps them until sums_write(), which
 * writes a row in aggregations and everything that refers to it. False, with a
 * warning, if records that it needs are missing. */
void sums_start(struct db_halves *d, struct stage *st);
void sums_free(struct db_halves *d);
bool sums_write(struct db_halves *d);

#endif
