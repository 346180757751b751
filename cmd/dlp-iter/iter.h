/*
 * dlp-iter's insides. A record becomes an item: its line and the few times
 * that place it. Items are worked on at once where the iterations are known
 * as they begin (step ranges), or wait in a spool until the key is known.
 */
#ifndef DLP_ITER_H
#define DLP_ITER_H

#include "ivl.h"
#include "map.h"
#include "stage.h"

enum what {
	IT_PASS,      /* a line that is passed on as it is */
	IT_LEGEND,    /* a legend that gets the column */
	IT_REC,       /* a record at a time, in launch order */
	IT_KERN,      /* a kernel */
	IT_GPU,       /* other work on the GPU */
	IT_INST,      /* a run of an op: comes when it closes */
	IT_LATE,      /* other records that come when something closes */
	IT_RANGEKERN, /* goes with the kernel before it */
};

#define NO_TIME INT64_MIN

struct item {
	uint32_t len;      /* bytes of the line */
	uint32_t iter_off; /* the place of its iter field; len: none yet */
	uint32_t iter_len;
	uint32_t lane;
	enum what what;
	bool has_gpu;
	int64_t t;      /* the time that places it, or NO_TIME */
	int64_t now;    /* its place in launch order, or NO_TIME */
	int64_t lo, hi; /* on the GPU, if has_gpu */
};

/* Items in order, in memory and then in an unlinked file in TMPDIR. */
struct spool {
	struct buf b;
	int fd;        /* the file; -1: none yet */
	uint64_t size; /* bytes in the file */
};

void spool_put(struct spool *s, const struct item *m, const char *line);

/* Calls fn for each item, in order, and empties the spool. */
void spool_play(struct spool *s,
    void (*fn)(void *ctx, const struct item *m, const char *line), void *ctx);

/* A thread of a process of a source, and its step ranges. */
struct lane {
	uint32_t proc;
	struct span {
		int64_t lo, hi;
		uint32_t n; /* the iteration */
	} * v;              /* ascending, disjoint */
	size_t nv, cap;
};

struct proc {
	uint32_t *lane; /* its lanes that have step ranges */
	size_t n, cap;
};

struct step { /* an iteration made of step ranges */
	int64_t lo, hi;
	struct ivl cpu;
	uint32_t text;
};

/* Iterations: from step ranges, from cuts, or one. */
struct plan {
	enum { PLAN_ONE, PLAN_STEPS, PLAN_CUTS } kind;
	struct smap lanes, procs, texts;
	struct lane *lane;
	struct proc *proc;
	struct proc all; /* all lanes that have step ranges */
	struct step *step;
	size_t nstep, step_cap;
	int64_t *cut; /* ascending; iteration n begins at cut[n - 1] */
	size_t ncut, cut_cap;
	uint64_t nested; /* step ranges inside of step ranges */
};

#define OPEN_ITERS 8 /* iterations that are open at the same time */

uint32_t plan_lane(
    struct plan *p, const char *src, size_t nsrc, int64_t pid, int64_t tid);
void plan_step(
    struct plan *p, uint32_t lane, int64_t lo, int64_t hi, uint32_t text);
void plan_cut(struct plan *p, int64_t t);
void plan_cuts_done(struct plan *p);

/* The iteration of time t on a lane, or -1. */
int64_t plan_where(const struct plan *p, uint32_t lane, int64_t t);

/* When iteration n begins; false if there is none yet. */
bool plan_begin(const struct plan *p, size_t n, int64_t *lo);
size_t plan_count(const struct plan *p);
void plan_clear(struct plan *p);

/* What an iteration adds up to. */
struct acc {
	bool has_gpu;
	int64_t gpu_lo, gpu_hi;
	struct ivl gpu;   /* the newest part of the union */
	int64_t gpu_done; /* length of the part before it, up to */
	int64_t done_hi;  /* this time */
	int64_t kern_ns;
	uint64_t n_kern, n_op;
};

struct line { /* an iter record */
	int64_t iter, start, dur, gpu_lo, gpu_hi, gpu, step, kern_ns;
	uint64_t n_kern, n_op;
	bool has_cpu, has_dur, has_gpu, has_step;
	const char *key;
};

struct accs {
	struct acc *v; /* of iterations base, base + 1, ... */
	size_t base, n, cap;
	uint64_t late; /* came when their iteration was written */
};

void acc_add(struct accs *a, size_t n, const struct item *m);
struct acc *acc_at(struct accs *a, size_t n); /* NULL: written already */
void acc_drop(struct accs *a);                /* the first one */
int64_t acc_gpu_ns(const struct acc *c);
void acc_clear(struct accs *a);

/* The key. */
enum { STEP_RANGE = 1, STEP_CUT = 2 };

/* Appends text with its numbers dropped: "iteration 0" is "iteration". */
void key_norm(struct buf *b, const char *s, size_t n);

struct key {
	const char *arg; /* -k; NULL: none */
	bool exact, cut;
	struct buf norm, tmp, text;
};

void key_init(struct key *k, const char *arg, bool exact, bool cut);

/* Whether a range's text is the key: 0, STEP_RANGE or STEP_CUT. */
int key_range(struct key *k, const char *s, size_t n);

/* The length of a range's text without what emit_nvtx puts behind it. */
size_t key_trim(const char *s, size_t n);

/* Which row of the table of frameworks' own step ranges a text is, or -1. */
int key_own(struct key *k, const char *s, size_t n);
int key_own_count(void);
bool key_own_cuts(int row);
const char *key_own_text(int row);

/* Key ops: which ops are meant, and their runs. */
enum op_level {   /* the best level that matches anything is taken */
	OP_RANGE, /* not an op: a range that cuts */
	OP_ID,
	OP_NAME,
	OP_KEY,
	OP_TYPE_N, /* DLProf's form: CONV2D_1 */
	OP_NAME_NORM,
	OP_TEXT,
	OP_TYPE,
	OP_LEVELS
};

struct opkey {
	struct map ops;  /* op id -> level * 2 + (is bprop), + 1 */
	struct map devs; /* run of a key op -> device + 1 */
	struct smap types;
	struct keyinst {
		int64_t stop;
		int64_t dev; /* -1: unknown */
		uint32_t proc;
		uint8_t level;
		bool bprop;
	} * v;
	size_t n, cap;
};

struct op_names {
	const char *name, *key, *text, *type, *dir;
};

void opkey_op(
    struct opkey *o, struct key *k, int64_t id, const struct op_names *s);
bool opkey_has(const struct opkey *o, int64_t op_id);
void opkey_gpu(struct opkey *o, int64_t op_id, int64_t inst, int64_t dev);
void opkey_inst(
    struct opkey *o, int64_t op_id, int64_t inst, uint32_t proc, int64_t stop);
void opkey_range(struct opkey *o, uint32_t proc, int64_t stop);

/* Makes the cuts; false if no run of a key op was seen. */
bool opkey_cuts(struct opkey *o, struct plan *p);
void opkey_clear(struct opkey *o);

/* Percent of the profile's time that a step range must cover to be taken
 * without being asked for. */
#define OWN_PCT 80

/* --list. */
struct list;
struct list *list_new(void);
void list_range(struct list *l, struct key *k, uint32_t lane, const char *s,
    size_t n, int64_t lo, int64_t hi);
void list_op(struct list *l, int64_t id, const char *name, const char *dir);
void list_inst(struct list *l, int64_t op_id, uint32_t lane, int64_t stop);
void list_cands(struct list *l, int64_t lo, int64_t hi, int limit);
void list_iter(struct list *l, const struct line *x);
void list_iters(
    struct list *l, const char *key, const char *kind, int64_t lo, int64_t hi);
void list_clear(struct list *l);

/* A section's state. */
struct run {
	/* options */
	struct key key;
	bool one, listing;
	bool filter;
	int64_t from, to;
	int limit;
	/* the section */
	bool waiting; /* items go to the spool */
	struct spool spool;
	struct plan plan;
	struct accs accs;
	struct opkey op;
	struct own { /* the frameworks' own step ranges */
		int64_t lo, hi;
		uint32_t lane, text;
		int row;
	} * own;
	size_t nown, own_cap;
	const char *own_key;      /* the row that cuts */
	bool any, any_work;       /* an event, a start of work was seen */
	int64_t first, last;      /* of the events */
	int64_t work_lo, work_hi; /* first and last start of work: launches
				     and ops */
	bool kern_kept;
	bool found; /* iterations by a key, not one for want of it */
	uint64_t outside, dropped;
	struct list *list;
	struct read *rd;
};

void read_open(struct run *g, struct stage *st);
void read_reset(struct run *g); /* a section begins */
void run_section(struct stage *st);
void run_end(struct stage *st);
void run_pass(struct stage *st, struct rec *r);
void run_item(struct run *g, const struct item *m, const char *line);

/* A range came that may be a step. */
void run_range(struct run *g, uint32_t lane, const char *s, size_t n,
    int64_t lo, int64_t hi);

#endif
