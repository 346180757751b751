/*
 * The data that dlp-flops holds. A kern record goes from flops_read.c by way of
 * flops_answer.c to flops_write.c, perhaps after a while in flops_hold.c.
 *
 * Everything hangs on struct flops. All but the options and run_counts is
 * forgotten when a section begins.
 */
#pragma once

#include "flops_rules.h"
#include "side.h"
#include "stage.h"
#include "kern_work.h"

/* An op, or a product inside an op, which the framework called. Texts are
 * stored once each and live to the section's end; s is NULL if unset. */
struct flops_op {
	const struct flops_rule *rule;
	struct mview mod, name;
	struct mview args, shapes; /* JSON */
	struct mview types;        /* of the sizes, if they differ */
	bool bad;                  /* its JSON has been counted as bad */
	bool causal;               /* of a product */
	/* the rest is of ops alone */
	int64_t fwd_id;
	bool has_fwd, bprop;
	bool comm;      /* communication */
	int64_t group;  /* among so many GPUs; -1: not known */
	enum dtype dt;  /* of its first tensor; DT_NONE if unknown */
	int64_t for_id; /* the op that launched it; -1: unknown */
	bool sums_up; /* AccumulateGrad, which does not do its forward's work */
	/* Sizes of the backward's own inputs, the output's gradient first; a
	 * forward op gets those of its first backward. */
	struct mview grad;
	const char *repr; /* the recurrent module as it prints itself, or
			   * NULL */
	bool waits;       /* its kernels are held until grad is known */
	bool given_up;    /* grad did not come in time */
};

struct flops_ops {
	struct map by_id; /* id -> number in v + 1 */
	struct flops_op *v;
	size_t n, cap;
};

struct flops_kern { /* a kern record; grid lives as long as the record */
	struct flops_op *op;   /* NULL: only the kernel's name is known */
	struct flops_op *prim; /* the product inside the op; NULL if none */
	uint32_t name_idx;
	const char *shape; /* of the product's result; NULL if unknown */
	const struct kname *name;
	int64_t op_id, prim_id;
	int64_t inst, prim_run; /* prim_run is 0 if there is none */
	int64_t sub, dur_ns;
	int64_t dev; /* result of facts_place() */
	struct mview grid;
	bool has_inst, has_seq;
	/* what the profile itself says */
	enum tc tc;      /* or TC_UNKNOWN */
	bool uncaptured; /* of a graph that was captured before it */
};

/* The answer about a kernel name in an op. If the answer depends on PyProf's
 * number of the kernel in its sequence id, or on the grid, there is one for
 * each. */
struct flops_result {
	struct answer a;
	int64_t blocks;      /* of an element-wise kernel; 0: not looked up
			      * yet */
	struct mview params; /* escaped */
	struct mview prim;   /* escaped */
	const struct side_fact *fact; /* of a compiler's file; or NULL */
	int64_t est_flop, est_bytes;  /* -1: unset */
	bool has_op, sized; /* the op is known; and its arguments are */
	unsigned shape;     /* result of tc_shape() */
};

/* A line without the columns that dlp-flops adds: if the stream went through
 * dlp-flops before, those columns are computed again and come last. */
struct rest {
	const char *const *names; /* the added columns */
	int n;
	bool *ours; /* by column of the input: it is one of the added columns */
	bool some;  /* the input has at least one of them */
};

struct flops_facts {             /* by the ids of the stream */
	struct smap texts;       /* all stored strings */
	struct map str_by_id;    /* id -> number in texts, + 1 */
	struct smap files;       /* texts of src */
	struct map dev_by_place; /* -> cc; bit 32 is set if it has no Tensor
				  * Cores */
	bool any_cc;             /* the compute capability of a device is
				  * known */
	struct flops_ops ops, prims;
	struct map name_by_id;    /* name_id -> index + 1 */
	struct smap name_by_text; /* short names without an id */
	struct kname **names;
	struct store name_mem;
	size_t nnames, names_cap;
	struct smap cell_by_seq; /* file, process, seq -> which product of a
				  * cell */
};

#define STATE_RUNS (1 << 16) /* number of newest runs to remember */

struct flops_runs {
	struct { /* of ops: the parts counted, a bit per role */
		int64_t inst, prim_run; /* inst + 1; 0 if empty */
		unsigned bits;
	} marks[STATE_RUNS];
	struct {             /* of products: size of the result */
		int64_t run; /* + 1 */
		const char *shape;
	} results[STATE_RUNS];
	bool any; /* is in one of them: small files need not touch all */
};

struct flops_answers {        /* found once and stored */
	struct map by_key;    /* op, name, sub class -> index + 1 */
	struct map by_grid;   /* index, blocks of the grid -> index + 1 */
	struct smap contexts; /* op, product, shape of its result */
	struct flops_result **v;
	size_t n, cap;
	struct store mem;
	struct flops_result once;                 /* an answer that is not
						   * stored */
	struct op_args args, grad, own, own_grad; /* scratch: arguments of the
						     op and of the product */
	struct buf grid, params, esc;             /* scratch */
};

struct flops_hold {
	bool on;         /* lines go to text and not to the output */
	struct buf text; /* lines, with gaps where kernels wait for columns */
	size_t nlines, nrecords;
	struct held_kern *kern;
	size_t nkern, cap;
	size_t due;          /* number of ops, products and runs that kernels
			      * wait for */
	struct map due_runs; /* of products, by prim_run */
	struct map shared_by_inst; /* -> number in shared, + 1 */
	struct shared_run *shared;
	size_t nshared, shared_cap;
	struct buf line; /* scratch */
};

/* The coverage account: kernels and their time. */
enum { COV_ALL, COV_OP, COV_SHAPES, COV_FLOP, COV_TC, COV_N };

struct flops_counts { /* become ##note lines */
	uint64_t bad_args, overflow, no_size, tc_unknown;
	struct {
		uint64_t n;
		int64_t ns;
	} cover[COV_N];
};

struct flops_run_counts { /* of all sections; reported at the end */
	uint64_t no_size; /* kernels */
	double no_size_ns, ns;
	/* without dlp-correlate, which says it otherwise: */
	uint64_t graphs;           /* runs that were recorded as a whole */
	double graph_ns, other_ns; /* other: copies and sets */
};

struct flops {
	/* options */
	struct flops_rules rules;
	struct kname_rules names;
	int64_t ranks; /* GPUs of a collective; -1: unknown */
	struct side side;
	int64_t n_rank; /* rank records of the section */
	int64_t group;  /* GPUs of each collective, as recorded; 0: unknown,
			 * -1: files differ */

	struct rest kern_rest, copy_rest, set_rest, graph_rest;
	bool quiet;
	bool no_ops_said; /* the warning that kern records have no op_id was
			   * printed */

	struct flops_facts facts;
	struct flops_runs runs;
	struct flops_answers answers;
	struct flops_hold hold;
	struct tc_seen *seen; /* by file */
	size_t nseen;
	struct flops_counts counts;
	struct flops_run_counts run_counts;
	struct buf tmp, line; /* scratch of the record callbacks */
};

/* flops_facts.c: the facts of a section, by the ids of the stream */

/* A section begins: forgets them. */
void facts_forget(struct flops *fl);

/* Stores a text: the same text always gives the same pointer, valid to the
 * section's end. s NULL: unset. */
struct mview facts_keep(struct flops *fl, const char *s, size_t n);

/* The place of a device, which includes its file because devices of different
 * files have the same numbers. src: escaped; s is NULL if the stream names no
 * file. dev < 0 if unknown. */
int64_t facts_place(struct flops *fl, struct mview src, int64_t dev);

/* A new op, all zero, of this id; and the op of an id, or NULL. Both are valid
 * until the next new one. */
struct flops_op *ops_new(struct flops_ops *ops, int64_t id);
struct flops_op *ops_find(const struct flops_ops *ops, int64_t id);

/* The facts about a kernel's name, by the id of its full name; by its short
 * name if the id is unknown. *idx counts from 0. */
const struct kname *facts_name(
    struct flops *fl, const int64_t *id, struct mview brief, uint32_t *idx);

/* Sets k's op, product and the shape of the product's result, by their ids. */
void facts_subject(const struct flops *fl, struct flops_kern *k);

/* Marks parts of a run, and of a product's run in it (0: none), as counted;
 * returns the parts that were counted before; bits by role. The newest
 * STATE_RUNS runs are remembered. */
unsigned facts_mark(
    struct flops *fl, int64_t inst, int64_t prim_run, unsigned bits);

/* flops_read.c */

/* Sets the callbacks of the record types; sets st->ctx to fl. */
void read_attach(struct stage *st, struct flops *fl);

/* flops_hold.c: holds kernels until their numbers are known. Their records, and
 * all records after them, are held back in order. */

/* A section begins. */
void hold_forget(struct flops *fl);

/* True if the kernel was held, because the size of its op's result, or the
 * other kernels of its run, are not known yet. */
bool hold_size(
    struct stage *st, const struct rec *r, const struct flops_kern *k);
bool hold_share(struct stage *st, const struct rec *r,
    const struct flops_kern *k, const struct flops_result *res);

/* Writes a finished line, given without its end, or holds it if others wait. */
void hold_line(struct stage *st, const struct buf *line, bool is_record);

/* These bring what kernels wait for: a backward's op, whose text is the
 * framework's name of it, or NULL; the size of a product's result, as JSON that
 * is stored; the end of a run. */
void hold_op(struct stage *st, const struct flops_op *op, const char *text);
void hold_result(struct stage *st, int64_t prim_run, const char *shape);
void hold_closed(struct stage *st, int64_t inst);

/* Writes the lines that are held; values that are still unknown stay unset. */
void hold_drain(struct stage *st);

/* flops_answer.c */

void answer_forget(struct flops *fl);

/* The work of a kernel in its op. Valid until the next call. */
const struct flops_result *answer_of(
    struct flops *fl, const struct flops_kern *k);

/* flops_write.c */

/* Appends the legend with our columns at its end; the records that follow have
 * the same columns. */
void rest_legend(struct rest *x, struct buf *b, const struct rec *r);

/* Appends a record's line, without our columns. dir: its column dir, if that is
 * not NULL. */
void rest_put(
    const struct rest *x, struct buf *b, const struct rec *r, const char *dir);

/* Counts a kernel for the notes and the summary, and appends its columns to
 * out_buf, without the line's end. share: its part of the work that the kernels
 * of a run share; NULL if it shares none. */
void write_kern(struct flops *fl, const struct flops_result *res,
    const struct flops_kern *k, const int64_t *share);

/* Writes the notes of a section that ends. */
void write_notes(struct flops *fl);

/* Called after the run: prints a line on standard error if there are kernels
 * whose work should be counted but is unknown, or graphs as a whole. */
void write_summary(const struct flops *fl);
void write_graphs(const struct flops *fl);

/* compiled.c */

/* What the kernel is inside its op, and the estimates. */
void compiled_fill(
    struct flops *fl, struct flops_result *res, const struct flops_kern *k);

/* Appends the op's name; kind, if there is none. */
void compiled_put_op(
    struct buf *b, const struct flops_op *op, const char *kind);
