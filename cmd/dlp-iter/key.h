/*
 * What a key is: the text of a step range (key.c), an op (opkey.c), or without
 * -k the frameworks' own step ranges (key.c).
 */
#ifndef ITER_KEY_H
#define ITER_KEY_H

#include "buf.h"
#include "iteration.h"

enum { STEP_RANGE = 1, STEP_CUT = 2 };

/* Appends text with its numbers dropped: "iteration 0" is "iteration". */
void key_norm(struct buf *b, const char *s, size_t n);

struct key {
	const char *arg; /* -k; NULL: none */
	bool exact, cut;
	bool by_name; /* ops by their name or DLProf's id alone */
	struct buf norm, tmp, text;
};

void key_init(struct key *k, const char *arg, bool exact, bool cut);

/* Whether a range's text is the key: 0, STEP_RANGE or STEP_CUT. */
int key_range(struct key *k, const char *s, size_t n);

/* The length of a range's text without what emit_nvtx puts behind it. */
size_t key_trim(const char *s, size_t n);

/* The row of a text in the table of the frameworks' own step ranges, or -1. */
int key_own(struct key *k, const char *s, size_t n);
int key_own_count(void);
bool key_own_cuts(int row);
const char *key_own_text(int row);

/* Percent of the profile's time that a step range must cover to be taken
 * without being asked for. */
#define OWN_PCT 80

/* Numbered step ranges that are taken if they hold most of the GPU work. */
#define OWN_STEPS 3

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
	struct map ops;    /* op id -> level * 2 + (is bprop), + 1 */
	struct map devs;   /* run of a key op -> device + 1 */
	struct smap types; /* upper-cased; how many ops have it */
	struct buf up;     /* an op's type and number */
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
bool opkey_cuts(struct opkey *o, uint32_t src, struct layout *p);
void opkey_clear(struct opkey *o);

struct own {
	struct own_range {
		int64_t lo, hi;
		uint32_t lane, text;
		int row; /* of the table in key.c */
	} * v;
	size_t n, cap;
	struct own_row {
		int64_t lo, hi; /* the newest ranges that touch, as one */
		uint64_t n, n_numbered;
		double gpu_ns; /* of the work launched in its ranges */
	} * row;               /* as many as the table has; NULL: none yet */
	double gpu_ns;         /* of all work */
};

/* A range, whose text is interned in the plan if it is one of them. */
void own_add(struct own *o, struct key *k, struct layout *p, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi);

/* GPU work of ns, which t places. It comes in launch order, ranges before what
 * they hold. */
void own_work(struct own *o, int64_t t, int64_t ns);

/* The row that makes the iterations: the first whose ranges cover OWN_PCT of
 * the profile's time, or, of at least OWN_STEPS numbered ones, hold more than
 * half of the GPU work; -1: none. */
int own_best(const struct own *o, const struct iter_extent *e);

void own_free(struct own *o);

/* Makes iterations of a file of the best row that covers enough; its number, or
 * -1 if there is none. */
int own_take(const struct own *o, const struct iter_extent *e, struct opkey *op,
    uint32_t src, struct layout *p);

#endif
