/* Records of calls and GPU work, read. */
#ifndef DLP_DLDB_WORK_H
#define DLP_DLDB_WORK_H

#include "dldb.h"

enum kind { K_KERN, K_COPY, K_SET, K_SYNC, K_GRAPH, K_CALL, K_N };

struct work {
	enum kind kind;
	struct op *op; /* NULL: none */
	int64_t id, start, end, pid, tid, dev;
	int64_t inst;           /* 0: unset */
	bool has_api, own_call; /* a call is known; its duration, too */
	int64_t api_start, api_dur;
	int64_t iter; /* -1: unset */
	bool tc;
	uint32_t name; /* word: kernels */
	const struct rec *r;
};

/* Columns of a record type. */
struct work_cols {
	struct rec_col *id, *start, *dur, *pid, *tid, *dev, *op_id, *inst_id,
	    *api, *api_start, *api_dur, *iter, *tc, *name, *name_id, *grid,
	    *block, *bytes, *kind, *event;
};

extern struct work_cols work_cols[K_N];

/* Records of that kind come to fn. */
void work_on(struct stage *st, enum kind k, stage_fn *fn);

/* One of them; its op must have a record. */
void work_read(struct dldb *d, struct work *w, const struct rec *r);

/* When its call began and ended. GPU work that no call launched counts as
 * launched at its start. */
void work_api(const struct work *w, int64_t *start, int64_t *stop);

/* A column's text unescaped as a word. */
uint32_t work_word(
    struct dldb *d, const struct rec *r, const struct rec_col *c);

/* The number of its iteration; -1 for none. */
int64_t rec_iter(const struct rec *r, const struct rec_col *c);

#endif
