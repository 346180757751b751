/*
 * From spools to the database. The first pass (convert_read.c) goes through the
 * records of each process: it stores what rows refer to, pairs the ends of NVTX
 * ranges with their beginnings (convert_nvtx.c), and gives what has a time to a
 * sort. The second (convert_rows.c) writes the rows of each table in the order
 * of their times.
 */
#pragma once

#include "map.h"
#include "dbwrite.h"
#include "rspool_read.h"
#include "xsort.h"

#define CONV_SORT_BYTES ((size_t)64 << 20) /* in memory */
#define CONV_GPUS 64
#define CONV_VM ((int64_t)1 << 48) /* the machine, in nsys' ids */

enum rec_table { /* those of nsys.sql */
	RT_STRINGS,
	RT_CAPTURE,
	RT_EXPORT,
	RT_ENV,
	RT_STARTED,
	RT_DETAILS,
	RT_DIAGNOSTIC,
	RT_NVTX,
	RT_SCHEMAS,
	RT_ENTRIES,
	RT_ENUMS,
	RT_ENUM_ENTRIES,
	RT_KERNEL,
	RT_MEMCPY,
	RT_MEMSET,
	RT_CALLS,
	RT_SYNC,
	RT_CUDA_EVENT,
	RT_GRAPH_TRACE,
	RT_NODES,
	RT_GRAPHS,
	RT_MEMORY,
	RT_POOLS,
	RT_OVERHEAD,
	RT_PROCESSES,
	RT_THREADS,
	RT_GPU,
	RT_DEVICE,
	RT_NVTX_DEVICE,
	RT_NVTX_STREAM,
	RT_CONTEXT,
	RT_STREAM,
	RT_SERIES, /* our own */
	RT_TABLES
};

struct conv_proc { /* a file: a process, or one of its programs */
	const struct rspool_file *file;
	uint32_t no; /* its number */
	int64_t pid;
	int64_t start, stop; /* DBW_NULL: unknown */
	int64_t on, off;     /* what was recorded; DBW_NULL: never, no end */
	bool real_clock;     /* CUPTI's times are of the real-time clock */
	bool cuda, ended;    /* CUPTI was there; its records were asked for */
	int64_t mono[2], real[2]; /* both clocks, first and last */
	int n_clocks;
	char *name;
	struct map names;    /* of kernels: number to text */
	struct map calls;    /* runtime and cbid to text */
	struct map strings;  /* registered strings to text */
	struct map tasks;    /* thread to its name */
	struct map graphs;   /* executable graph to graph */
	struct map ends;     /* start/end range to the place of its end */
	struct map end_tids; /* and to the thread */
	struct map live;     /* allocations before the recording, by address */
	struct store_at {
		uint64_t *at;
		size_t n, cap;
	} schemas;          /* places of schemas and their fields */
	struct map covered; /* thread to the end of a call; RSPOOL_COVERS */
};

enum conv_counter {
	CONV_UNTIMED,
	CONV_CLIPPED,
	CONV_DROPPED,
	CONV_LOST,
	CONV_BAD,
	CONV_DAMAGED,
	CONV_RELEASED,
	CONV_CUT,
	CONV_COUNTERS
};

/* What was left out or changed: its name, as the library counts it and the
 * diagnostics show it, and what the user is told; NULL: nothing. */
extern const struct conv_count {
	const char *name, *what;
} conv_counts[CONV_COUNTERS];

struct conv_stack { /* ranges that are open on a thread */
	struct conv_open {
		uint32_t domain;
		uint64_t at;
		int64_t t;
	} * open;
	size_t n, cap;
};

struct conv_ref {      /* where a row comes from */
	uint32_t proc; /* its number */
	uint32_t tid;  /* the thread of the record */
	uint64_t at;   /* the record's place in the file */
	int64_t start, end;
	uint32_t end_tid; /* NVTX: the thread of the end */
	uint32_t table;
};

struct conv {
	struct conv_live *live; /* NULL: the recording is complete */
	struct rspool_dir dir;
	struct dbw db;
	struct conv_proc *proc; /* one per file */
	int64_t t0;             /* time 0 of the database */
	int64_t duration;       /* of the session: --duration; 0: none */
	struct smap text;       /* StringIds: the id less 1 */
	struct smap own;        /* texts that are not written */
	struct smap warned;     /* notes that were printed */
	struct map kernel;      /* mangled text to demangled and short */
	struct map said;        /* facts of a device that are written */
	struct xsort gpu;       /* work by stream, then start */
	struct xsort rows;      /* rows by table, then start */
	struct buf buf;
	uint64_t count[CONV_COUNTERS];
	int64_t last;      /* time of rows; DBW_NULL: none */
	bool markers;      /* the session had --markers */
	int64_t marker_ns; /* what they cost, as a guess */
	bool has_window;   /* some process recorded */
	bool has_cuda;     /* some process used it */
};

/* Reads the folder and writes the database path. What was lost is said in one
 * line each. Fatal if the folder is no recording. */
void conv_run(const char *folder, const char *path, bool force);

/*
 * A recording that goes on (convert_live.c). Each step reads what has been
 * written since the last one and writes a database of what happened up to a
 * moment, at which no range is open that is shorter than CONV_WAIT.
 */
#define CONV_WAIT ((int64_t)10 * 1000000000)

struct conv *conv_live_begin(void);
/* False if there is nothing to write yet. lag: what happened so long ago has
 * left the program's buffers. last: the program has ended. */
bool conv_live_step(struct conv *c, const char *folder, const char *path,
    int64_t lag, bool last);
void conv_live_end(struct conv *c, const char *folder);

/* Rows wait for their step. */
bool conv_holds(const struct conv *c);
void conv_hold(struct conv *c, enum rec_table t, struct conv_ref *ref);
/* A start/end range without its end yet: true if the end can still come. */
bool conv_wait_end(
    struct conv *c, struct conv_proc *p, uint32_t tid, uint64_t at);
/* The ranges that are open on a thread. */
struct conv_stack *conv_live_stack(
    struct conv *c, const struct conv_proc *p, uint32_t tid);

/* convert.c */
void conv_begin(
    struct conv *c, const char *path, bool force); /* the database */
void conv_end(struct conv *c); /* its rows, after conv_read() */

void conv_say(struct conv *c, const char *folder); /* what was lost */

/* conv_base.c */
void conv_procs(struct conv *c, size_t known); /* those from number known on */
void conv_session(struct conv *c);
void conv_finish(struct conv *c);
/* The record of a row. */
const void *conv_rec(const struct conv *c, const struct conv_ref *ref);
/* The number of a text in StringIds. */
int64_t conv_text(struct conv *c, const char *s, size_t n);
/* The text of a number in one of a process's maps, as a number in StringIds;
 * `otherwise` if it has none. */
int64_t conv_known(
    struct conv *c, const struct map *m, uint64_t key, const char *otherwise);
/* A row of a table, at a time; it is written when all are sorted. */
void conv_put(struct conv *c, enum rec_table t, struct conv_ref *ref);
/* A record of CUPTI's goes to the sort it belongs to. */
void conv_event(struct conv *c, struct conv_ref *ref);
bool conv_is_gpu(const struct conv_ref *ref);
/* Its correlation id, its node of a graph; 0 if it has none. */
uint32_t conv_corr(const struct conv *c, const struct conv_ref *ref);
uint64_t conv_node(const struct conv *c, const struct conv_ref *ref);
/* The keys of a map, or its values, in their order; the caller frees them. */
uint64_t *conv_sorted(const struct map *m, bool keys, size_t *n);
int64_t conv_gpid(const struct conv_proc *p);
int64_t conv_gtid(const struct conv_proc *p, uint32_t tid);
/* A time of CUPTI's on NVTX's clock. */
int64_t conv_time(const struct conv_proc *p, int64_t t);

/* convert_read.c: the first pass */
void conv_read(struct conv *c);
/* For a row of conv_hold(): into the sort it belongs to. */
void conv_again(struct conv *c, struct conv_ref *ref);

/* 0 means that there is none. */
static inline int64_t
or_null(uint64_t v)
{
	return v != 0 ? (int64_t)v : DBW_NULL;
}

/* convert_nvtx.c */
void conv_nvtx(struct conv *c, struct conv_proc *p, struct conv_stack *s,
    uint32_t tid, uint64_t at, const struct rspool_rec *r);
void conv_start(struct conv *c, struct conv_proc *p, uint32_t tid, uint64_t at,
    const struct rspool_nvtx_event *r);
void conv_end_thread(
    struct conv *c, struct conv_proc *p, struct conv_stack *s, uint32_t tid);
void conv_nvtx_row(struct conv *c, const struct conv_ref *ref);
void conv_schemas(struct conv *c, struct conv_proc *p);

/* convert_rows.c: the second pass */
void conv_gpu(struct conv *c); /* cuts wrong ends */
void conv_rows(struct conv *c);

/* convert_names.c: the demangled and the short name of a kernel, as numbers in
 * StringIds */
void conv_kernel_name(
    struct conv *c, int64_t mangled, int64_t *demangled, int64_t *brief);

/* convert_facts.c */
void conv_facts(struct conv *c);
/* What was recorded of a GPU by the program's number; NULL if it is unknown. */
const char *conv_gpu_text(struct conv *c, int gpu, const char *key);

/* convert_power.c */
void conv_power(struct conv *c);
/* A line of the first pass: key=value. */
void conv_fact(struct conv *c, struct conv_proc *p, const char *s, size_t n);
