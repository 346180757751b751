/*
 * The data that dlp-flops holds. A kern record goes from flops_read.c by way of
 * flops_answer.c to flops_write.c.
 *
 * Everything hangs on struct flops. All but the options and run_counts is
 * forgotten when a section begins.
 */
#ifndef FLOPS_FLOPS_H
#define FLOPS_FLOPS_H

#include "flops_rules.h"
#include "side.h"
#include "stage.h"
#include "kern_work.h"

struct flops_op { /* texts are stored once each and live to the section's end */
	const struct flops_rule *rule;
	const char *mod, *name;
	const char *args, *shapes; /* JSON, or NULL */
	size_t mod_len, name_len, args_len, shapes_len;
	int64_t fwd_id;
	bool has_fwd, bprop;
	bool comm;      /* communication */
	int64_t group;  /* among so many GPUs; -1: not known */
	enum dtype dt;  /* of its first tensor; DT_NONE if unknown */
	int64_t for_id; /* the op that launched it; -1: unknown */
	bool sums_up; /* AccumulateGrad, which does not do its forward's work */
	bool bad;     /* its JSON has been counted as bad */
	/* Sizes of the backward's own inputs, the output's gradient first; a
	 * forward op gets those of its first backward. */
	const char *grad;
	size_t grad_len;
	const char *repr; /* the recurrent module as it prints itself, or
			   * NULL */
	bool waits;       /* its kernels are held until grad is known */
	bool given_up;    /* grad did not come in time */
};

/* A product inside an op, which the framework called, with its sizes. */
struct flops_prim {
	const struct flops_rule *rule; /* NULL if there is no rule */
	const char *name, *shapes;
	size_t name_len, shapes_len;
	bool bad; /* its JSON has been counted as bad */
	bool causal;
};

/* The op or product that a kernel belongs to. */
struct subject {
	struct flops_op *op;     /* NULL: only the kernel's name is known */
	struct flops_prim *prim; /* the product inside the op; NULL if none */
	uint32_t op_idx, prim_idx;
	const char *shape; /* of the product's result; NULL if unknown */
};

struct kern_told {       /* what the profile itself says of a kernel */
	enum tc tc;      /* or TC_UNKNOWN */
	bool uncaptured; /* of a graph that was captured before it */
};

struct flops_kern { /* a kern record; views live as long as the record */
	struct subject s;
	uint32_t name_idx;
	const struct kname *k;
	int64_t op_id, inst, sub, dur_ns, prim_id, prim_run;
	int64_t dev; /* result of state_place() */
	bool has_inst, has_seq;
	const char *grid;
	size_t ngrid;
	struct kern_told told;
};

/* The answer about a kernel name in an op. If the answer depends on PyProf's
 * number of the kernel in its sequence id, or on the grid, there is one for
 * each. */
struct flops_result {
	struct answer a;
	int64_t blocks;     /* of an element-wise kernel; 0: not looked up
			     * yet */
	const char *params; /* escaped; NULL if unset */
	size_t params_len;
	const char *prim; /* escaped; NULL if unset */
	size_t prim_len;
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
	struct map op_by_id;     /* id -> index + 1 */
	struct flops_op *ops;
	size_t nops, ops_cap;
	struct map prim_by_id; /* id -> index + 1 */
	struct flops_prim *prims;
	size_t nprims, prims_cap;
	struct map name_by_id;    /* name_id -> index + 1 */
	struct smap name_by_text; /* short names without an id */
	struct kname **names;
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

struct flops_cols { /* bound columns of the record types */
	struct {
		struct rec_col *id, *text;
	} str;
	struct {
		struct rec_col *dev, *cc, *name, *src;
	} dev;
	struct {
		struct rec_col *id, *mod, *op, *dir, *shapes, *args, *bwd, *fwd,
		    *text, *repr, *cause, *dtype, *group;
	} op;
	struct {
		struct rec_col *id, *op, *shapes, *causal;
	} prim;
	struct {
		struct rec_col *run, *shape;
	} result;
	struct {
		struct rec_col *op_id, *inst_id, *dir, *name_id, *brief, *sub,
		    *dev, *pid, *grid, *block, *seq, *dur, *tc, *tc_rule,
		    *prim_id, *prim_run, *altseq, *src, *captured;
	} kern;
	struct rec_col *inst_id;                     /* of inst */
	struct rec_col *copy_op, *set_op, *graph_op; /* op_id of these */
	struct rec_col *copy_dur, *set_dur, *graph_dur;
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

	struct flops_cols cols;
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

/* flops_read.c */

/* Sets the callbacks of the record types; sets st->ctx to fl. */
void read_attach(struct stage *st, struct flops *fl);

/* A section begins: forgets the facts, the answers, the kernels that wait. */
void state_forget(struct flops *fl);
void answer_forget(struct flops *fl);
void hold_forget(struct flops *fl);

/* Stores a text: the same text always gives the same pointer, valid to the
 * section's end. */
const char *state_keep(struct flops *fl, const char *s, size_t n);

/* The number of a place's file. */
size_t state_file(int64_t place);

/* The facts of a device. */
struct tc_device state_device(const struct flops *fl, int64_t place);

/* The op of an id, with its number in *idx; NULL if there is none. Valid until
 * the next new one. */
struct flops_op *state_op(const struct flops *fl, int64_t id, uint32_t *idx);

/* Marks parts of a run, and of a product's run in it (0: none), as counted;
 * returns the parts that were counted before; bits by role. The newest
 * STATE_RUNS runs are remembered. */
unsigned state_mark(
    struct flops *fl, int64_t inst, int64_t prim_run, unsigned bits);

/* The work of a kernel in its op. sub < 0: the kernel has no number in its
 * sequence id. Valid until the next call. */
const struct flops_result *answer_of(struct flops *fl, const struct subject *s,
    const struct kname *k, uint32_t name_idx, int64_t sub, const char *grid,
    size_t ngrid);

/* Writes the lines that are held; values that are still unknown stay unset. */
void hold_drain(struct stage *st);

/* flops_write.c */

/* Appends the legend with our columns at its end; the records that follow have
 * the same columns. */
void rest_legend(struct rest *x, struct buf *b, const struct rec *r);

/* Appends a record's line, without our columns. */
void rest_put(const struct rest *x, struct buf *b, const struct rec *r);

/* The same, with text in place of column col of the input, unless text is NULL.
 */
void rest_put_as(const struct rest *x, struct buf *b, const struct rec *r,
    int col, const char *text);

/* The part that this kernel has in its run, given the run's kernels so far.
 * prim_run: the run of a product inside the op; 0 if none. */
enum role write_role(struct flops *fl, const struct answer *a, bool has_inst,
    int64_t inst, int64_t prim_run);

/* Appends the columns to out_buf, without the line's end. dev: result of
 * state_place(). */
void write_columns(struct flops *fl, const struct flops_result *res,
    const struct kname *k, enum role role, int64_t dev, struct kern_told told);

/* Counts for the notes and the summary; dur_ns: of the kernel. */
void write_count(struct flops *fl, const struct flops_result *res,
    const struct kname *k, int64_t dev, int64_t dur_ns, enum tc given);

/* Writes the notes of a section that ends. */
void write_notes(struct flops *fl);

/* Called after the run: prints a line on standard error if there are kernels
 * whose work should be counted but is unknown. */
void write_summary(const struct flops *fl);
void write_graphs(const struct flops *fl);

/* compiled.c */

/* What the kernel is inside its op, and the estimates. */
void compiled_fill(struct flops *fl, struct flops_result *res,
    const struct subject *s, const struct kname *k);

/* The same of a copy or set; kind is the name of one without an op. */
void compiled_put_prim(
    struct buf *b, const struct flops_op *op, const char *kind);

#endif
