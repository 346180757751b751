/*
 * Rules. Each judges the facts of a section, or of a file of it, and gives a
 * verdict. A rule is defined in one place, below its judge: DLProf's in
 * advise_dlprof.c, ours in advise_own.c. A new rule must be added to the list
 * below, too.
 */
#ifndef ADVISE_H
#define ADVISE_H

#include "advise_facts.h"
#include "stage.h"
#include "workrec.h"

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
	bool scores; /* its op has the shape of attention's scores */
	bool fused;  /* of a fused optimizer, by its full name */
	int64_t dur;
};

void use_add(struct facts *f, const struct use_kernel *k);

enum use_state { USE_UNKNOWN, USE_NO, USE_YES };

/* Of USE_COMPILED, ...; its name. */
enum use_state use_of(const struct facts *f, int which);
const char *use_name(int which);

/* How to launch less: a sentence without a capital and without an end. */
const char *use_launch_advice(const struct facts *f);

/* All rules, in the order of the list: first DLProf's, in the order of its
 * report. */
#define ADVISE_RULES(X)                                                        \
	X(amp)                                                                 \
	X(underutilized)                                                       \
	X(imbalanced)                                                          \
	X(dataloader)                                                          \
	X(bad_range)                                                           \
	X(no_iterations)                                                       \
	X(cudnn_benchmark)                                                     \
	X(batch_size)                                                          \
	X(slow_api)                                                            \
	X(no_emit_nvtx)                                                        \
	X(bad_shape)                                                           \
	X(no_fusion)                                                           \
	X(unused_gpus)                                                         \
	X(sync_calls)                                                          \
	X(idle_after_sync)                                                     \
	X(launch_bound)                                                        \
	X(reduce_overhead)                                                     \
	X(exposed_comm)                                                        \
	X(rank_wait)                                                           \
	X(fsdp_prefetch)                                                       \
	X(tc_unused)                                                           \
	X(tc_fp32)                                                             \
	X(tc_unaligned)                                                        \
	X(pageable_copies)                                                     \
	X(alloc_calls)                                                         \
	X(few_blocks)                                                          \
	X(channels_last)                                                       \
	X(fused_optimizer)                                                     \
	X(sdpa)                                                                \
	X(loss_chain)                                                          \
	X(pointwise_chain)                                                     \
	X(loader_workers)                                                      \
	X(memory_full)                                                         \
	X(graph_level)                                                         \
	X(no_op)                                                               \
	X(profiler_cost)                                                       \
	X(marker_cost)                                                         \
	X(lazy_loading)                                                        \
	X(slow_steps)                                                          \
	X(one_off)                                                             \
	X(lost_events)

struct advise_verdict {
	enum { V_NO, V_YES, V_UNJUDGED } judged;
	struct buf problem, advice, value, evidence; /* escaped text */
	struct buf where;    /* the records that show it: a filter, as
			      * dlp-advise(1) defines it */
	const char *missing; /* V_UNJUDGED: the missing input */
	bool gains;          /* the ceiling is known */
	int64_t ceiling;     /* the time of GPUs that it concerns, which is the
			      * most that can be gained */
	const char *within;  /* a rule that includes this rule's time: if
			      * both fire, that one leads; NULL if none */
};

typedef void advise_judge(
    const struct facts *f, double limit, struct advise_verdict *v);

struct advise_rule {
	const char *id;
	int version;       /* rises when the rule judges differently */
	bool dlprof;       /* one of DLProf's detectors */
	double limit;      /* the threshold, unless --rule sets another */
	const char *unit;  /* of the threshold; NULL if there is none */
	bool limit_dlprof; /* the threshold is DLProf's own */
	const char *help;  /* one line: when it fires */
	advise_judge *judge;
	advise_judge *dlprof_judge; /* with --dlprof; NULL: the same */
};

struct advise_finding { /* a rule, judged */
	const struct advise_rule *rule;
	size_t at;    /* its place among the rules */
	double limit; /* the threshold, and whose it is */
	bool limit_dlprof;
	struct advise_verdict v;
	const char *part_of; /* the finding that it is a part of; NULL if
			      * none */
	bool little;         /* what can be gained is no place to begin */
};

/* advise_put.c: findings, and what is in use, as records of the stream; not the
 * latter with --dlprof. The caller frees it after the stage has run. */
struct advise_put;
struct advise_put *advise_put_open(void);
void advise_put(struct advise_put *p, const struct facts *f,
    const struct advise_finding *j, size_t n, bool dlprof);
void advise_put_free(struct advise_put *p);

/* advise_json.c: appends the object of a file; writes all n of them. */
void advise_json(struct buf *b, const struct facts *f,
    const struct advise_finding *j, size_t n);
void advise_json_end(struct buf *b, size_t n);

/* The first and the last step that was judged; false if there are none. */
bool advise_steps(const struct facts *f, int64_t *from, int64_t *to);

#define ADVISE_DECLARE(name) extern const struct advise_rule rule_##name;
ADVISE_RULES(ADVISE_DECLARE)

/* The input to judge by is missing. */
void verdict_unjudged(struct advise_verdict *v, const char *missing);
/* As that, where records of times are missing; a .dict has no times at all. */
void verdict_untimed(
    const struct facts *f, struct advise_verdict *v, const char *records);

/* The most that can be gained: ns of the GPUs' time in the steps. */
void verdict_gain(struct advise_verdict *v, int64_t ns);

/* Where to look: VIEW, and KEY, VALUE of each further pair of arguments. The
 * value is escaped text. */
#define verdict_where(v, ...)                                                  \
	verdict_put_where((v), (const char *const[]){ __VA_ARGS__, NULL })
void verdict_put_where(struct advise_verdict *v, const char *const word[]);

/* "yes" if value is above limit, otherwise "no"; stores the value with one
 * decimal. */
bool verdict_above(struct advise_verdict *v, double value, double limit);

/* Each returns true, and the verdict "unjudged", if the profile has no steps
 * (so that work in steps cannot be separated from work that the program does
 * once), no GPU, or no GPU work. */
bool verdict_no_steps(const struct facts *f, struct advise_verdict *v);
bool verdict_no_devices(const struct facts *f, struct advise_verdict *v);
bool verdict_no_work(const struct facts *f, struct advise_verdict *v);

/* Not judged without records of memory. */
void verdict_no_memory(const struct facts *f, struct advise_verdict *v);

/* The framework, by DLProf's mode or by the ops. */
bool is_pytorch(const struct facts *f);

/* Parts of DLProf's detectors that both judges use. ids: of devices. */
void say_unused_gpus(struct advise_verdict *v, const char *ids);
bool amp_is_unknown(const struct facts *f, struct advise_verdict *v);
bool batch_is_unknown(const struct facts *f, struct advise_verdict *v);
void say_load_advice(struct advise_verdict *v);
advise_judge judge_free_memory;

/* advise_compat.c: with --dlprof. */
advise_judge dlprof_amp, dlprof_underutilized, dlprof_dataloader,
    dlprof_batch_size;

#endif
