/*
 * Rules. Each judges the facts of a section, or of a file of it, and gives a
 * verdict. advise.tab has their thresholds and texts, advise.c the list of
 * their judges.
 */
#pragma once

#include "advise_facts.h"
#include "wording.h"

/* Called for each file of a section when that ends. */
typedef void advise_done(void *arg, struct facts *f);

/* Turns records into facts: one table, in advise_read.c, lists the record types
 * that are read and their columns. Binds the table, and sets the stage's
 * callbacks and its ctx. Findings are written in done. all_devices, even:
 * as in struct facts. The caller gives the result to advise_read_free() after
 * the stage has run. */
struct advise_reader *advise_read(struct stage *st, bool all_devices, bool even,
    advise_done *done, void *arg);
void advise_read_free(struct advise_reader *g);

/*
 * advise_use.c: what the program has in use.
 */

struct use_kernel { /* of a kernel in the steps that does not communicate */
	struct mview name, op, layer, phase, family, dtype;
	bool graph;  /* a node of a CUDA graph */
	bool halves; /* the first two inputs of its op have the same sizes */
	bool scores; /* its op has the shape of attention's scores */
	bool fused;  /* of a fused optimizer, by its full name */
	int64_t dur;
};

void use_add(struct facts *f, const struct use_kernel *k);

/* What differs from step to step of most steps: the sizes of the same kernels,
 * or the kernels that run. */
enum use_vary { VARY_NO, VARY_SIZES, VARY_KERNELS };

void use_add_step(
    struct facts *f, const struct rec *r, bool graph, int64_t dur);
enum use_vary use_varies(const struct facts *f);

enum use_state { USE_UNKNOWN, USE_NO, USE_YES };

/* Of USE_COMPILED, ...; its name. */
enum use_state use_of(const struct facts *f, int which);
const char *use_name(int which);

struct advise_verdict {
	const char *id; /* of the rule */
	double limit;   /* the threshold */
	enum { V_NO, V_YES, V_UNJUDGED } judged;
	struct buf value;    /* escaped text */
	const char *missing; /* V_UNJUDGED: the missing input */
	bool gains;          /* the ceiling is known */
	bool first;          /* the others are doubtful until it is fixed */
	bool of_kernels;     /* it is time of kernels: where the GPU idles, a
			      * step does not wait for them */
	int64_t ceiling;     /* the time of GPUs that it concerns, which is the
			      * most that can be gained */
	struct values let;   /* what the judge says, for the texts */
	/* escaped text, by advise.tab; evidence begins with what the judge has
	 * put there */
	struct buf evidence, problem, advice;
	struct buf where;  /* the records that show it: a filter, as
			    * dlp-advise(1) defines it */
	struct buf fix;    /* the change of whatif records that mends it */
	struct buf within; /* a rule that includes this rule's time: if both
			    * fire, that one leads; empty if none */
};

typedef void advise_judge(const struct facts *f, struct advise_verdict *v);

struct advise_rule {
	const char *id;
	advise_judge *judge;
	advise_judge *dlprof_judge; /* with --dlprof; NULL: the same */
	/* by advise.tab: */
	int version;       /* rises when the rule judges differently */
	bool dlprof;       /* one of DLProf's detectors */
	double limit;      /* the threshold, unless --rule sets another */
	const char *unit;  /* of the threshold; NULL if there is none */
	bool limit_dlprof; /* the threshold is DLProf's own */
	const char *help;  /* one line: when it fires */
};

/* The rule of that name. */
const struct advise_rule *advise_rule(const char *id);

/* advise_text.c: fills n rules, which are in the order of the file. */
void advise_texts_read(struct advise_rule *r, size_t n);
void advise_texts_free(void);

/* Writes the texts of a verdict. */
void advise_texts_put(const struct advise_rule *r, const struct facts *f,
    struct advise_verdict *v);

struct advise_finding { /* a rule, judged */
	const struct advise_rule *rule;
	size_t at;         /* its place among the rules */
	bool limit_dlprof; /* the threshold is DLProf's */
	struct advise_verdict v;
	const char *part_of; /* the finding that it is a part of; NULL if
			      * none */
	bool little;         /* what can be gained is no place to begin */
	bool waits;          /* for a rank that is late */
	bool replayed;       /* fixed_ns is by a replay, not by the ceiling */
	int64_t fixed_ns;    /* a step if that is mended */
	int64_t gain;        /* ns of a step, or -1: not known */
};

/* advise_put.c: findings, and what is in use, as records of the stream; not the
 * latter with --dlprof. The caller frees it after the stage has run. */
struct advise_put;
struct advise_put *advise_put_open(void);
void advise_put(struct advise_put *p, const struct facts *f,
    const struct advise_finding *j, size_t n, bool dlprof);

/* advise_json.c: appends the object of a file; writes all n of them. */
void advise_json(struct buf *b, const struct facts *f,
    const struct advise_finding *j, size_t n);
void advise_json_end(struct buf *b, size_t n);

/* The first and the last step that was judged; false if there are none. */
bool advise_steps(const struct facts *f, int64_t *from, int64_t *to);

/* The input to judge by is missing. */
void verdict_unjudged(struct advise_verdict *v, const char *missing);

/* The same if it is so, which is the result; and where records of times are
 * missing: a .dict has no times at all. */
bool verdict_lacks(struct advise_verdict *v, bool lacks, const char *missing);
bool verdict_lacks_times(const struct facts *f, struct advise_verdict *v,
    bool lacks, const char *records);

/* The most that can be gained: ns of the GPUs' time in the steps. */
void verdict_gain(struct advise_verdict *v, int64_t ns);

/* A value that the texts name, empty; its name alone is a condition of theirs.
 */
struct buf *verdict_let(struct advise_verdict *v, const char *name);

/* Fires if value is above the limit; stores it with one decimal. */
bool verdict_above(struct advise_verdict *v, double value);
void verdict_number(struct advise_verdict *v, uint64_t n);

/* The same of the share of that time, which is the gain, in the devices' time
 * or in the kernels'. */
void verdict_share(const struct facts *f, int64_t ns, struct advise_verdict *v);
void verdict_kernels(
    const struct facts *f, int64_t ns, struct advise_verdict *v);

/* Each returns true, and the verdict "unjudged", if the profile has no steps
 * (so that work in steps cannot be separated from work that the program does
 * once), no GPU, or no GPU work. */
bool verdict_no_steps(const struct facts *f, struct advise_verdict *v);
bool verdict_no_devices(const struct facts *f, struct advise_verdict *v);
bool verdict_no_work(const struct facts *f, struct advise_verdict *v);

/* Not judged without records of memory. */
void verdict_no_memory(const struct facts *f, struct advise_verdict *v);

/* DLProf's in advise_dlprof.c, with --dlprof as it judged; ours. */
advise_judge judge_amp, judge_underutilized, judge_imbalanced, judge_dataloader,
    judge_bad_range, judge_no_iterations, judge_cudnn_benchmark,
    judge_batch_size, judge_slow_api, judge_no_emit_nvtx, judge_bad_shape,
    judge_no_fusion;
advise_judge dlprof_amp, dlprof_underutilized, dlprof_imbalanced,
    dlprof_dataloader, dlprof_bad_range, dlprof_batch_size, dlprof_no_emit_nvtx;
advise_judge judge_unused_gpus, judge_sync_calls, judge_idle_after_sync,
    judge_launch_bound, judge_reduce_overhead, judge_exposed_comm,
    judge_rank_wait, judge_fsdp_prefetch, judge_tc_unused, judge_tc_fp32,
    judge_tc_unaligned, judge_pageable_copies, judge_alloc_calls,
    judge_few_blocks, judge_channels_last, judge_fused_optimizer, judge_sdpa,
    judge_loss_chain, judge_pointwise_chain, judge_loader_workers,
    judge_memory_full, judge_graph_level, judge_no_op, judge_profiler_cost,
    judge_marker_cost, judge_lazy_loading, judge_slow_steps, judge_one_off,
    judge_lost_events, judge_recompute, judge_kv_cache, judge_recompiles,
    judge_cudnn_plans, judge_graph_breaks, judge_fragmented, judge_slow_size;
