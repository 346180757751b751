/*
 * PyProf's rules: what it printed of a kernel whose op it knew. They are
 * kept as they were, mistakes and all; dlp-flops has the right ones.
 *
 * There were two sets: that of 2019, with which the published tables were
 * made, and the last one, of 2021.
 */
#ifndef PYPROF_RULE_H
#define PYPROF_RULE_H

#include "arg.h"
#include "buf.h"
#include "pynum.h"

struct call { /* a kernel and the op that launched it */
	const struct marker *m;
	const char *name; /* of the kernel: PyProf's short one */
	bool bwd;
	int64_t sub;
	int64_t grid[3];
	bool last; /* the rules of 2021 */
};

struct result {
	struct pynum flops, bytes;
	const char *tc; /* "1", "0" or "-" */
	const char *op; /* NULL: the marker's */
	struct buf params;
};

/* False where PyProf stopped with an error. */
typedef bool rule_fn(const struct call *c, struct result *r);

rule_fn rule_linear, rule_cell, rule_conv, rule_pointwise, rule_convert,
    rule_matmul, rule_embedding, rule_sum, rule_mean, rule_norm, rule_dropout,
    rule_cat, rule_reshape, rule_masked_scatter, rule_gather, rule_nonzero,
    rule_index_select, rule_masked_select, rule_addmm, rule_mm, rule_bmm,
    rule_softmax, rule_log_softmax, rule_mse_loss, rule_adam, rule_batch_norm,
    rule_randperm, rule_copy, rule_clone, rule_contiguous, rule_any,
    rule_activation, rule_one_zero, rule_fill, rule_full, rule_other;

/* The rule of an op, by the names in the kernel's lists of modules and ops. */
rule_fn *rule_find(struct mview mod, struct mview op, bool last);

/* What the rules share. */

bool name_has(const struct call *c, const char *word);
bool name_has_any(const struct call *c, const char *const *words);
const char *tc_gemm(const struct call *c); /* "1" or "0", by the name */
bool tc_known(const struct call *c);       /* PyProf's list of names */

/* The arguments without a name, at most max; how many there are. */
int unnamed(const struct call *c, const struct arg **v, int max);
const struct arg *named(const struct call *c, const char *name);

/* Whether there is such an argument and it is a tensor of a known type. */
bool is_tensor(const struct arg *a);

/* Parts of the parameters: "KEY=VALUE,"; of a type its word and a comma. */
void put_int(struct result *r, const char *key, int64_t v);
void put_shape(struct result *r, const char *key, const struct shape *s);
void shape_put(struct buf *b, const struct shape *s, const char *ends);
bool put_type(struct result *r, struct mview dtype);
void tensor_put(struct buf *b, const struct shape *s, struct mview dtype);

/* "T=SHAPE,TYPE," of a tensor, and its numbers: FLOPs and bytes per
 * element. */
bool plain(
    struct result *r, const struct arg *a, int64_t flops_per, int64_t tensors);

bool one_of(struct mview v, const char *const *list); /* ends with NULL */

#endif
