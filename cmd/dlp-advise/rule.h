/*
 * A rule judges the facts of a section. What it says is a verdict; the rules
 * are a table, in rules.c. What fired is written first, the largest share of
 * the time first, of equals the later rule, which is the more special; what
 * another finding is about too comes behind these; then the rest in the table's
 * order, in which all stands for DLProf.
 */
#ifndef ADVISE_RULE_H
#define ADVISE_RULE_H

#include "facts.h"

struct verdict {
	enum { V_NO, V_YES, V_UNJUDGED } judged;
	struct buf problem, advice, value, evidence; /* escaped text */
	const char *missing; /* the input without which it cannot tell */
	double share;        /* percent of the GPUs' time that it is about, at
				most what can be gained; below 0: none */
	const char *within;  /* the rule that is about this time too and leads
				where both fire; NULL: none */
};

struct rule {
	const char *id;
	bool dlprof;       /* one of DLProf's detectors */
	double limit;      /* the threshold */
	const char *unit;  /* what it is of; NULL: there is no threshold */
	bool limit_dlprof; /* the threshold is DLProf's own */
	void (*judge)(const struct facts *f, double limit, struct verdict *v);
	const char *help; /* one line: when it fires */
};

extern struct rule rules[]; /* ends with id NULL; limits can be set */

/* For judges: rule.c. What it takes to tell is missing. */
void unjudged(struct verdict *v, const char *missing);

/* "yes" if value lies above limit, else "no"; puts the value, one decimal. */
bool above(struct verdict *v, double value, double limit);

/* Calls, or copies, per iteration. */
double per_iter(const struct facts *f, uint64_t n);

/* Without steps it cannot be told from what the program does once: true, and
 * not judged. */
bool no_steps(const struct facts *f, struct verdict *v);

/* "1 op", "2 ops"; escaped. */
void put_count(struct buf *b, uint64_t n, const char *what);

#define JUDGE(name)                                                            \
	void name(const struct facts *f, double limit, struct verdict *v)

/* dlprof_op.c, dlprof_gpu.c, dlprof_iter.c */
JUDGE(amp);
JUDGE(underutilized);
JUDGE(unused_gpus);
JUDGE(imbalanced);
JUDGE(dataloader);
JUDGE(no_iterations);
JUDGE(bad_range);
JUDGE(cudnn_benchmark);
JUDGE(batch_size);
JUDGE(slow_api);
JUDGE(no_emit_nvtx);
JUDGE(bad_shape);
JUDGE(no_fusion);

/* own.c, own_tc.c */
JUDGE(sync_calls);
JUDGE(alloc_calls);
JUDGE(pageable_copies);
JUDGE(launch_bound);
JUDGE(few_blocks);
JUDGE(loader_workers);
JUDGE(exposed_comm);
JUDGE(memory_full);
JUDGE(tc_fp32);
JUDGE(tc_unaligned);
JUDGE(tc_unused);
JUDGE(graph_level);
JUDGE(no_op);
JUDGE(profiler_cost);
JUDGE(lazy_loading);
JUDGE(lost_events);

#endif
