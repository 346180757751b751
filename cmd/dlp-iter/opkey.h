/* Key ops: which ops are meant, and their runs. */
#ifndef ITER_OPKEY_H
#define ITER_OPKEY_H

#include "key.h"
#include "plan.h"

enum op_level {   /* the best level that matches anything is taken */
	OP_RANGE, /* not an op: a range that cuts */
	OP_ID,
	OP_NAME,
	OP_KEY,
	OP_TYPE_N, /* DLProf's form: CONV2D_1 */
	OP_NAME_NORM,
	OP_TEXT,
	OP_TYPE,
	OP_RANGE_LAST, /* a range, where ops are preferred */
	OP_LEVELS
};

struct opkey {
	struct map ops;  /* op id -> level * 2 + (is bprop), + 1 */
	struct map devs; /* run of a key op -> device + 1 */
	struct smap types;
	struct keyinst {
		int64_t stop;
		int64_t dev; /* -1: unknown */
		uint32_t src, proc;
		uint8_t level;
		bool bprop;
	} * v;
	size_t n, cap;
};

struct op_names {
	const char *name, *key, *text, *type, *dir, *dl_id;
};

void opkey_op(
    struct opkey *o, struct key *k, int64_t id, const struct op_names *s);
bool opkey_has(const struct opkey *o, int64_t op_id);
void opkey_gpu(struct opkey *o, int64_t op_id, int64_t inst, int64_t dev);
void opkey_inst(struct opkey *o, int64_t op_id, int64_t inst, uint32_t src,
    uint32_t proc, int64_t stop);
void opkey_range(struct opkey *o, uint32_t src, uint32_t proc, int64_t stop,
    bool last); /* last: an op of that name is preferred */

/* Makes the cuts of a file; false if no run of a key op was seen there. */
bool opkey_cuts(struct opkey *o, uint32_t src, struct plan *p);
void opkey_clear(struct opkey *o);

#endif
