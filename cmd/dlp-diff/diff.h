/*
 * The data that dlp-diff compares: a row per op, kernel, layer, ..., with its
 * time in each step of each side. A side is one run or several, with their
 * steps and the selection of steps that count. The parts of the command, in
 *order:
 *
 *	read_stream()    records into rows and steps	diff_read.c
 *	side_trim()      which steps count		diff_read.c
 *	compare()        two sides, or			diff_compare.c
 *	join_print()     many sides, a column each	diff_join.c
 */
#pragma once

#include "map.h"
#include "steps.h"

enum { TC_YES = 1, TC_NO = 2, TC_UNKNOWN = 4 };

struct diff_cell { /* a row in a step */
	int64_t ns, flop;
	uint32_t step;
	uint32_t n : 28, tc : 3, has_flop : 1;
};

struct diff_cells {
	struct diff_cell *v; /* in the order of the steps */
	size_t n, cap;
};

struct diff_row {
	uint32_t key;                     /* number of its key */
	uint32_t name, dir, shapes, type; /* texts; SMAP_NONE if unset */
	struct diff_cells *side;
	size_t n_side;
};

struct diff_rows {
	struct smap keys, texts;
	struct diff_row *v;
	size_t cap;
};

struct diff_step {
	uint32_t run;
	int64_t iter;
	/* if has is set; of a run without steps, from its first GPU work to its
	 * last */
	int64_t ns, gpu_ns, n_kern;
	int64_t load_ns, alloc_ns; /* calls that load code, that allocate */
	int64_t n_range,
	    n_carried; /* work whose op is by ranges, carried over */
	bool has;      /* its iter record was read */
	bool timed;    /* the times of ops on the CPU are known */
	bool slowed;   /* by ranges of ops, which other steps do not have; or it
			* has no times of ops on the CPU, which others have */
	bool used;
	uint32_t pos; /* its number among the selected steps */
};

struct diff_run {   /* a file of a section, with iterations of its own */
	char *key;  /* the key of its steps; NULL: it is one piece */
	char *name; /* escaped name of the file; NULL: that of the side */
	int64_t n, from, to; /* number of steps; the selected ones */
};

struct diff_side {
	char *name;       /* escaped */
	size_t n_section; /* sections */
	size_t n_open;    /* sections without an end */
	bool left_out;    /* left out of the join */
	bool by_cmd;      /* its name comes from ##cmd */
	struct diff_run *run;
	size_t n_run;
	struct diff_step *step;
	size_t n, cap, n_used;
	struct map at;    /* run and iteration -> step */
	uint64_t outside; /* GPU work in no step */
	bool cut;         /* it has steps, and is not one piece */
	struct smap info; /* facts, "cuda 13.0", in which sides can differ */
};

enum diff_by {
	BY_OP,
	BY_KERNEL,
	BY_TYPE,
	BY_PRIM,
	BY_LAYER,
	BY_PHASE,
	BY_ITER
};

struct diff_model {
	enum diff_by by;
	bool cpu; /* time of ops on the CPU, not of their work on the GPU */
	struct diff_rows rows;
	struct diff_row all, tc; /* everything; kernels with Tensor Cores */
	struct diff_side *side;
	size_t n_side;
	bool complete; /* every section had its end */
};

/* The unit of comparison: "step", or "run" if no side has steps. */
const char *model_unit(const struct diff_model *m);

/* Writes a text of the rows as a field: unset if id is SMAP_NONE. */
void model_put_text(const struct diff_model *m, uint32_t id);

struct diff_trim {        /* the selection of steps */
	bool all;         /* all steps, not only the even ones */
	int64_t from, to; /* or these; to < 0 if unset */
};

/* Selects steps in each run. */
void side_trim(struct diff_side *s, const struct diff_trim *how);

/* Prints a line on standard error: which steps are selected, and why. */
void side_say(
    const struct diff_side *s, const char *label, const struct diff_trim *how);

struct diff_sum {    /* statistics over the selected steps of a side and its
		      * rows */
	bool ran;    /* they have cells */
	bool any;    /* with times */
	double mean; /* of the time, per step */
	double var;  /* variance of a sample, if n > 1 */
	size_t n;    /* steps */
	double calls, flop;
	bool has_flop;
	unsigned tc;
};

/* The mean and variance of v[0..n). */
void sum_values(struct diff_sum *s, const double *v, size_t n);

/* The sums of rows[0..n) together. */
void sum_rows(struct diff_sum *s, const struct diff_side *side, size_t side_no,
    struct diff_row *const *rows, size_t n);

/*
 * Reads a stream. Its sections are runs of side number `first`; if one_each,
 * section i is side first + i. If n_first > 0, section n_first and later ones
 * are side first + 1. by_src: each file of a section (column src) is a side of
 * its own.
 */
void read_stream(struct diff_model *m, const char *path, size_t first,
    size_t n_first, bool one_each, bool by_src);

struct diff_how {     /* two sides are compared */
	bool cells;   /* write diffcell records, too */
	size_t limit; /* number of rows; 0: all */
	double noise; /* the smallest change that counts, as a fraction */
	bool gate;    /* exit 1 if the step is slower by more than: */
	double fail_over;
};

/* Reports on standard error the facts (driver, framework, ...) in which the
 * two sides differ. */
void compare_facts(const struct diff_side *s);

/* Writes the comparison of sides 0 and 1, which are trimmed; returns the exit
 * status. */
int compare(struct diff_model *m, const struct diff_how *how);

/* Writes a mean per step, rounded to that many decimals; a whole number has
 * none. has: it is set. */
void model_put_mean(bool has, double v, int decimals);

enum diff_value { V_GPU, V_CPU, V_N, V_FLOP };

/* Writes join records: the n rows with the largest values (0: all). */
void join_print(const struct diff_model *m, enum diff_value v, size_t n);
