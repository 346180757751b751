/* What the files of dlp-dldb share. */
#pragma once

#include "dbwrite.h"
#include "map.h"
#include "num.h"
#include "stage.h"

enum db_table { /* those of dldb.sql */
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

/*
 * The interface between the two halves of the database. The raw half gets all
 * records as they pass. The aggregated half adds them up by op and is written
 * at the end. The two can be two runs of this command in one pipeline, with a
 * filter between them that selects the iterations.
 */

#define DOMAIN_ID INT64_C(1)
#define MAX_DEV 1024

struct db_halves {
	struct dbw db;
	sqlite3_stmt *find_text; /* NULL if not prepared */
	const char *path, *domain;
	bool raw, aggregate, tee, force;
	bool any;          /* a section has begun */
	bool whole;        /* the database is complete */
	struct smap words; /* value: id in the dictionary, 0 if unknown */
	struct smap infos; /* ##info: name -> number in words, from 1 */
	struct buf tmp;    /* of a text that is read */
	struct map strs;   /* id of a str record -> number in words */
	struct smap dims;  /* "x,y,z"; value: id of the grid_block */
	struct smap fixed; /* facts that --set gave */
	struct db_dev {    /* a GPU; its row has the number from 1 */
		int64_t dev, n_sm, cc_major, cc_minor;
		int64_t clock_hz, mem_bytes, membw_bytes_s; /* DBW_NULL */
		char *name;
	} dev[MAX_DEV];
	size_t n_dev;
	struct map op_at; /* id -> number in op, from 1 */
	struct db_op *op; /* in the order of their records */
	size_t n_ops, cap_ops;
	struct db_raw *raws;
	struct db_agg *agg;
	struct db_sums *sums;
	uint64_t n_no_op, n_graph, n_no_call;
};

/* db.c: the database, and texts */
void db_begin(struct db_halves *d); /* a new one */
void db_again(struct db_halves *d); /* the one that --raw has written */
/* For each index of the raw or the aggregated tables: drops it while rows are
 * added, or creates it after the rows. */
void db_indices(struct db_halves *d, bool aggregated, bool drop);

/* The number of a text, valid until the end. */
uint32_t db_word(struct db_halves *d, const char *s, size_t n);
/* The same for a column's text, unescaped; for "" if it is unset. */
uint32_t db_col_word(struct db_halves *d, const struct rec *r, int col);
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
	struct db_metric m[N_METRIC];
	struct kern_sum *kerns;
};

void ops_start(struct stage *st);

/* NULL if there was no such op record. Valid until the next op record. */
struct db_op *ops_find(const struct db_halves *d, int64_t id);

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
	const struct rec *r;
};

/* The number of its iteration; -1 if none. */
static inline int64_t
work_iter(const struct rec *r)
{
	int64_t v = rec_num_or(r, COL_iter, -1);

	return v >= 0 ? v : -1;
}

struct db_run { /* an inst record */
	struct db_op *op;
	int64_t id, start, dur, pid, tid, iter;
	int64_t v[N_METRIC];
	bool has[N_METRIC];
};

/* Also reads ranges, calls of the operating system and memory events, which
 * become rows of the tables dlp_*. */
void raw_start(struct db_halves *d, struct stage *st);
void raw_work(struct db_halves *d, const struct db_work *w);
void raw_run(struct db_halves *d, const struct db_run *run);
/* Called at the end: writes runs that work named and that never came. */
void raw_end(struct db_halves *d);

void facts_start(struct stage *st);
void facts_meta(struct db_halves *d, const struct rec *r);

/* "NAME=VALUE", which overrides ##info lines, or "NAME?=VALUE", which an ##info
 * line overrides; false if the text has neither form. */
bool facts_set(struct db_halves *d, const char *fact);

/* Called at the end: writes the rows. */
void facts_write(struct db_halves *d);

/*
 * The aggregated half: sums over the selected iterations, by op, kernel name
 * and op type.
 */
struct agg_sum { /* kernels of an op, or of all, in an iteration */
	int64_t op, iter, n, n_tc, ns, tc_ns;
};

/* The sums of the model summary: of ops, of names of kernels, of names of
 * calls. */
enum {
	CAT_ALL,
	CAT_ELIGIBLE,
	CAT_TC,
	CAT_OTHER,
	CAT_KERNS,
	CAT_KERNS_TC,
	CAT_KERNS_OTHER,
	CAT_MEMORY,
	CAT_N
};

struct db_totals {
	struct db_category {
		int64_t cpu, gpu, overhead, idle, count;
	} category[CAT_N];
	int64_t eligible_kern_ns; /* kernels in ops that are eligible */
};

void agg_start(struct db_halves *d);
/* True if work of that kind is added up there. */
bool agg_wants(enum db_kind kind);
void agg_work(struct db_halves *d, const struct db_work *w);
void agg_run(const struct db_run *u);
/* The kernels of an iteration. */
struct agg_sum agg_iter(const struct db_halves *d, int64_t iter);
void agg_totals(struct db_halves *d, struct db_totals *t);
/* A number rounded to six decimals, as DLProf stores it. */
double agg_round(double v);
/* Rows of metrics; returns the id. */
int64_t agg_put_metrics(
    struct db_halves *d, const struct db_metric m[N_METRIC]);
/* Writes op_nodes and the tables that refer to it, for this aggregation. */
void agg_write(struct db_halves *d, int64_t aggr);

/* Reads records of the stages before and keeps them until sums_write(), which
 * writes a row in aggregations and everything that refers to it. It only warns
 * if records that it needs are missing. */
void sums_start(struct db_halves *d, struct stage *st);
void sums_write(struct db_halves *d);
