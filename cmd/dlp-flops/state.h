/*
 * What dlp-flops keeps of a section: devices, kernel names, ops, and runs.
 * All of it is forgotten when a section begins.
 */
#ifndef FLOPS_STATE_H
#define FLOPS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules.h"

struct op { /* texts are kept once each and live to the section's end */
	const struct rule *rule;
	const char *mod, *name;
	const char *args, *shapes; /* JSON, or NULL */
	size_t mod_len, name_len, args_len, shapes_len;
	int64_t fwd_id;
	bool has_fwd, bprop;
	bool sums_up; /* AccumulateGrad: not the work of its forward */
	bool bad;     /* its JSON was counted as bad already */
	/* Sizes of the backward's own inputs, the output's gradient first; a
	 * forward op gets those of its first backward. */
	const char *grad;
	size_t grad_len;
	const char *repr; /* what a recurrent module says of itself, or NULL */
	bool waits;       /* a convolution; its kernels are held for them */
	bool given_up;    /* it did not come in time */
};

/* The coverage account: kernels and their time. */
enum { COV_ALL, COV_OP, COV_SHAPES, COV_FLOP, COV_TC, COV_N };

struct share {
	uint64_t n;
	int64_t ns;
};

/* A product inside ops: what the framework called, with its sizes. */
struct prim {
	const struct rule *rule; /* NULL: none that counts */
	const char *name, *shapes;
	size_t name_len, shapes_len;
	bool bad; /* its JSON was counted as bad already */
};

struct counts { /* become ##note lines */
	uint64_t bad_args, overflow, no_size, tc_unknown;
	struct share cover[COV_N];
};

extern struct counts counts;

/* Of all sections; said at the end. */
struct run_counts {
	uint64_t no_size; /* kernels */
	double no_size_ns, ns;
};

extern struct run_counts run_counts;

void state_forget(void);

/* A string by its id; kept. */
void state_str(int64_t id, const char *s, size_t n);

/* A device's compute capability times ten; 0 if unknown. */
/* A device of a file, and the number of the file: those of other files have
 * the same numbers. src: escaped; NULL: the stream names none. dev < 0: not
 * known. */
int64_t state_place(const char *src, size_t n, int64_t dev);
size_t state_file(int64_t place);

void state_dev(int64_t place, int cc, bool no_tensor_cores);
int state_cc(int64_t place, bool *none);
bool state_any_cc(void); /* it is known of a device */

/* Interns a text: the same pointer for the same text. */
const char *state_keep(const char *s, size_t n);

/* A new op, all zero, and the op of an id: its number in *idx; NULL if
 * there is none. */
struct op *state_op_new(int64_t id);
struct op *state_op(int64_t id, uint32_t *idx);

/* The same of products. */
struct prim *state_prim_new(int64_t id);
struct prim *state_prim(int64_t id, uint32_t *idx);

/* The size of the result of a product's run, JSON and kept; NULL: not known.
 * The newest 2^16 are remembered. */
void state_result(int64_t run, const char *shape);
const char *state_result_of(int64_t run);

/* Calls fn for every op. */
void state_ops(void (*fn)(struct op *op));

/* The facts about a kernel's name, by the id of its full name; by its short
 * name if has_id is false or the id is unknown. Numbers from 0. */
const struct kname *state_name(
    bool has_id, int64_t id, const char *brief, size_t n, uint32_t *idx);

/* Marks work bits of a run, and of a product's run in it (0: none), as counted
 * and returns those that were before. Remembers the last 2^16 runs. */
unsigned state_mark(int64_t inst, int64_t prim_run, unsigned bits);

#endif
