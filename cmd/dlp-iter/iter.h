/*
 * What the files of dlp-iter share: what was asked for, what is known of the
 * section, and the way of its records.
 */
#pragma once

#include "buf.h"
#include "ivl.h"
#include "map.h"
#include "out.h"
#include "spool.h"
#include "steps.h"

/* Where the iterations of a file lie in time. */

/* A thread of a process, and its step ranges. */
struct layout_lane {
	uint32_t proc;
	struct layout_span {
		int64_t lo, hi;
		uint32_t n; /* the iteration */
	} * v;              /* ascending, disjoint */
	size_t nv, cap;
	size_t at; /* the range that was found last */
};

struct layout_proc {
	uint32_t *lane; /* its lanes that have step ranges */
	size_t n, cap;
};

struct layout_step { /* an iteration made of step ranges */
	int64_t lo, hi;
	struct ivl cpu;
	uint32_t text;
};

struct layout {
	enum {
		LAYOUT_ONE,   /* all of the file is one iteration */
		LAYOUT_STEPS, /* each is made of step ranges */
		LAYOUT_CUTS,  /* one ends where the next begins */
		LAYOUT_KEPT   /* as an earlier dlp-iter made them */
	} kind;
	struct smap lanes, procs, texts;
	struct layout_lane *lane;
	struct layout_proc *proc;
	struct layout_proc all; /* all lanes that have step ranges */
	struct layout_step *step;
	size_t nstep, step_cap;
	int64_t *cut; /* ascending; iteration n begins at cut[n - 1] */
	size_t ncut, cut_cap;
	uint64_t nested; /* step ranges inside of step ranges */
};

#define OPEN_ITERS 8 /* iterations that are open at the same time */

uint32_t layout_lane(struct layout *p, int64_t pid, int64_t tid);
void layout_step(
    struct layout *p, uint32_t lane, int64_t lo, int64_t hi, uint32_t text);
/* The next iteration of an earlier run, of all lanes. */
void layout_kept(struct layout *p, int64_t lo, int64_t hi);
/* The iteration of time t (NO_TIME: unknown) on a lane, or -1. */
int64_t layout_where(struct layout *p, uint32_t lane, int64_t t);

/* When iteration n begins; false if there is none yet. */
bool layout_begin(const struct layout *p, size_t n, int64_t *lo);
size_t layout_count(const struct layout *p);
void layout_clear(struct layout *p);

/* An iteration: what it adds up to, and its record. */

/* The record types that dlp-iter writes. */
struct iter_out {
	struct out_src_type iter, listed, cand, stable, split;
	struct out_type *cut[2][2]; /* with src, and with column dropped */
};

/* From when to when a file reaches: all its events; the starts of work, which
 * are launches and ops. */
struct iter_extent {
	struct extent event, work;
};

struct iter_acc {
	struct extent gpu_at;
	struct ivl gpu;   /* the newest part of the union */
	int64_t gpu_done; /* length of the part before it, up to */
	int64_t done_hi;  /* this time */
	int64_t kern_ns;
	int64_t load_ns, alloc_ns; /* calls that load code, that allocate */
	uint64_t n_kern, n_op;
	uint64_t n_range, n_carried; /* work by where its op comes from */
};

struct iter_accs {
	struct iter_acc *v; /* of iterations base, base + 1, ... */
	size_t base, n, cap;
	uint64_t late;        /* came when their iteration was written */
	struct extent gpu_at; /* of all of them so far */
};

struct iteration { /* the fields of its record */
	struct extent gpu_at;
	int64_t iter, start, dur, cpu_hi, gpu, step, kern_ns;
	int64_t load_ns, alloc_ns; /* not fields */
	int marked; /* 1: it was recorded with ranges of ops, -1: without them,
		     * where others have them; 0: unknown */
	uint64_t n_kern, n_op;
	bool has_cpu, has_dur, has_step;
	const char *key;
	const char *src; /* escaped; NULL: the input names no files */
};

/* Appends its fields to a record that has begun. */
void iteration_fields(const struct iteration *x);

/*
 * What a key is (key.c): the text of a step range, an op, or without -k the
 * frameworks' own step ranges.
 */

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

/* The length of a range's text without what emit_nvtx appends. */
size_t key_trim(const char *s, size_t n);

/* The row of a text in the table of the frameworks' own step ranges, or -1. */
int key_own(struct key *k, const char *s, size_t n);
/* The row whose ranges end a step instead of spanning it; and its text. */
extern const int key_own_cuts;
extern const char *const key_own_text;

/* Percent of the profile's time that a step range must cover to be taken
 * without being asked for. */
#define OWN_PCT 80

/* Numbered step ranges that are taken if they hold most of the GPU work. */

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
void opkey_range(struct opkey *o, uint32_t src, uint32_t proc, int64_t stop,
    bool last); /* last: an op of that name is preferred */

/* Makes the cuts of a file; false if no run of a key op was seen there. */
bool opkey_cuts(struct opkey *o, uint32_t src, struct layout *p);
void opkey_clear(struct opkey *o);

/*
 * repeat.c: steps by kernels that repeat, where a program has no ranges of
 * them.
 */
struct repeat {
	struct smap names;
	struct buf tmp;
	struct seen *v; /* by name */
	uint64_t at;    /* kernels so far */
};

/* A kernel that was launched at t, after so much GPU work; they come in launch
 * order. */
void repeat_add(
    struct repeat *o, const struct rec *r, int64_t t, double gpu_ns);
/* Makes the cuts of a file where a step begins; false: no kernels repeat that
 * hold half of the GPU work or of the time. */
bool repeat_cuts(struct repeat *o, struct layout *p, double gpu_ns, int64_t ns);
void repeat_clear(struct repeat *o);

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

/* Makes iterations of a file of the best row that covers enough; its number, or
 * -1 if there is none. */
int own_take(const struct own *o, const struct iter_extent *e, struct opkey *op,
    uint32_t src, struct layout *p);

/*
 * --list: what could be a key; with a key, and for --stable and --even, its
 * iterations and which of them are even.
 */

struct cand {
	bool is_op, numbered;
	bool own;  /* what is taken without -k */
	bool bare; /* an op for which -k takes nothing but its number */
	uint32_t name;
	int64_t op_id;
	uint64_t n;    /* lengths */
	int64_t first; /* where the first began */
	int64_t last;  /* where the newest ended */
	double mean, m2, sum;
	double coverage, var, score; /* at the end */
};

struct cands {
	bool numbered;     /* ranges with a number alone */
	struct smap names; /* texts of ranges without numbers, ops' names and
			      keys; the value is how many of them have it */
	struct smap cands; /* by what, which, where: struct cand */
	struct cand *v;
	size_t cap;
	struct map ops; /* op id -> number in op, + 1 */
	struct cand_op {
		uint32_t name, key; /* in names; key SMAP_NONE: none */
		bool bprop;
	} * op;
	size_t nop;
	struct buf words; /* a text that is given out */
};

/* A range, which may be one; the text is that of its lane. */
void cand_range(struct cands *l, struct key *k, uint32_t src, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi);

/* An op, and a run of it. */
void cand_op(struct cands *l, int64_t id, const struct op_names *s);
void cand_inst(
    struct cands *l, int64_t op_id, uint32_t src, uint32_t lane, int64_t stop);

/* The ranges of this row of the table of steps stand first; -1: none. */
void cand_own(struct cands *l, struct key *k, int row);

/* Writes the best, at most limit (0: all) of them; total is the profile's
 * time. How many there are. */
size_t cand_list(
    struct iter_out *out, struct cands *l, double total, int limit);

/* The words of the best ranges, at most limit, as a list in a sentence; empty
 * if there are none. */
const char *cand_words(struct cands *l, double total, size_t limit);

void cand_clear(struct cands *l);

struct stable {
	struct iteration *v;
	size_t n, cap;
};

/* Whether the steps without ranges of ops are those that count, because the
 * ranges took time: there are some of both kinds. */
bool stable_splits(const struct stable *l);

/* Writes a cand record of the key and all iterations; kind: what the key is;
 * lo to hi is the profile's time. */
void stable_list(struct iter_out *out, const struct stable *l, const char *key,
    const char *kind, const char *src, int64_t lo, int64_t hi);

/* The iterations of the stable range, both included; STEADY_BY_NONE: all of
 * them, as none is even. *n_once: those left out because of work done once. */
enum steady_by stable_range(
    const struct stable *l, int64_t *from, int64_t *to, size_t *n_once);

/* Writes a stable record; all: of all of them, even or not. src: escaped, or
 * NULL. */
void stable_put(
    struct iter_out *out, const struct stable *l, bool all, const char *src);

struct rec;
struct rec_type;
struct stage;
struct iter_run;

/* What makes the iterations. */
enum iter_by {
	ITER_BY_OWN,   /* the frameworks' own step ranges, chosen at the end */
	ITER_BY_KEY,   /* the key: an op, or something not seen yet */
	ITER_BY_STEPS, /* the key, which is a range: known as they begin */
	ITER_BY_NONE   /* nothing: all is one iteration */
};

/* Which of them count: the records of the others are dropped, or kept in no
 * iteration (--keep). */
enum iter_wanted {
	ITER_ALL,
	ITER_RANGE, /* from to to */
	ITER_EVEN   /* those of a file that are even, if some are */
};

struct iter_plan {
	enum iter_by by;
	enum iter_wanted wanted;
	int64_t from, to; /* ITER_RANGE, both included */
};

/* The options. */
struct iter_opts {
	struct iter_plan plan; /* a section can have its own: --dlprof */
	const char *key;       /* NULL: none */
	bool exact;            /* a range must be the key to the letter */
	bool cut;              /* a range ends an iteration */
	bool list;             /* propose keys; with a key, its iterations */
	int limit;             /* keys that are proposed; 0: all */
	bool cuts;             /* write where iterations begin */
	bool stable;           /* write which of them are even */
	bool ahead;            /* ... before the other records */
	bool keep;             /* what is not wanted stays, in no iteration */
	bool strict; /* fatal if the key or the first iteration is missing */
	bool dlprof; /* iterations as DLProf makes them */
};

/* The iterations of an earlier run. */
struct iter_kept {
	struct kept_iter {
		struct iteration it; /* without its key */
		uint32_t text; /* which is among the layout's; or SMAP_NONE */
	} * v;
	size_t n, cap;
};

/*
 * A file of the section, told apart by column src: each has clocks, processes
 * and iterations of its own. Without that column there is one without a name.
 */
struct iter_file {
	bool called;      /* a call was seen */
	const char *name; /* escaped; NULL: none */
	struct layout layout;
	struct iter_kept kept;
	struct iter_accs accs;
	struct own own;
	struct repeat repeat;
	const char *own_key; /* what cuts, without -k */
	struct iter_extent extent;
	struct steps_earlier earlier;
	int64_t first;    /* where the first step begins, if not with its range;
			   * NO_TIME: it does */
	int64_t step_end; /* of the last step written; NO_TIME: none */
	int64_t *over;    /* when each step is over, if iter_measured() */
	size_t n_over, over_cap;
	size_t n_inside;      /* of them: over before the one before it is */
	size_t n_begun;       /* --cuts: iterations whose begin was written */
	bool outside;         /* --cuts: the time that was reached is in none */
	bool found;           /* iterations by a key, not for want of it */
	struct stable stable; /* --list with a key, --stable, --even */
	enum {
		EVEN_UNKNOWN, /* not measured, or not cut into iterations */
		EVEN_NONE,    /* no two are even: all count */
		EVEN_SOME     /* only from to to count */
	} even;
	bool splits;       /* EVEN_SOME: those that are marked do not count */
	enum steady_by by; /* of EVEN_SOME: how they were chosen */
	size_t n_once;     /* left out because of work done once */
	int64_t from, to;
};

struct iter_files {
	struct iter_file *v;
	size_t n;
	struct smap names;
	struct map pids; /* process -> its file + 1; SRC_NONE: several */
};

/* Notes of an earlier run that are written anew, if need be from these. */
struct iter_notes {
	uint64_t outside, nested, inside, late;
};

struct iter_dlprof {    /* of a section; iter_dlprof.c */
	struct buf key; /* the key that a database names */
	enum {
		DL_GIVEN,   /* the key is -k's or the database's */
		DL_OPEN,    /* by default, which some modes have */
		DL_WITH,    /* the mode of this profile has one */
		DL_WITHOUT, /* its mode has none, unless a database
			       names one */
		DL_NONE     /* DLProf has none */
	} has;
};

/* One in a process: its options are the command line's. */
struct iter_run {
	struct iter_opts o;
	struct key key;
	struct iter_out out;
	struct iter_reader *reader;
	struct spool *spool;
	bool said_no_ops; /* once in a program */

	/* the section */
	struct iter_plan plan;
	enum {
		ITER_WAIT,    /* items go to the spool */
		ITER_MEASURE, /* --even: they are read for lengths alone */
		ITER_PLACE    /* they get their iteration and go out */
	} phase;
	struct iter_files files;
	struct opkey op;
	struct cands cands;
	struct iter_notes was;
	struct iter_dlprof dl;
	bool broken;    /* at the end: its input was cut off */
	bool kern_kept; /* the kernel before was written */
	/* what the input is made of, for what is said */
	bool no_op_start; /* dlp-correlate has not seen its kernels */
	bool any_op;
	bool no_times; /* its times are made up: steps are no use */
	uint64_t outside, dropped;
};

/* Whether the lengths of iterations are needed before they are written. */
static inline bool
iter_measures(const struct iter_run *g)
{
	return g->plan.wanted == ITER_EVEN || g->o.ahead;
}

/* Whether several threads or processes have step ranges: a step can begin on
 * one while another still launches work of the step before. */
static inline bool
iter_shared(const struct iter_file *f)
{
	return f->layout.kind == LAYOUT_STEPS && f->layout.all.n > 1;
}

/* Whether cuts need the ends of steps before the steps are written. */
static inline bool
iter_measured(const struct iter_file *f)
{
	return iter_shared(f) || f->earlier.any;
}

/* Whether iteration n of a file (NULL: it is not known) counts. */
static inline bool
iter_counts(const struct iter_run *g, const struct iter_file *f, int64_t n)
{
	if (f != NULL && f->even != EVEN_UNKNOWN)
		return n >= f->from && n <= f->to &&
		       !(f->splits && n >= 0 && (size_t)n < f->stable.n &&
			   f->stable.v[n].marked > 0);
	return g->plan.wanted != ITER_RANGE ||
	       (n >= g->plan.from && n <= g->plan.to);
}

void acc_clear(struct iter_accs *a);

/* iter_read.c: sets the callbacks of the stage, whose ctx g becomes. g->o is
 * set. */
void iter_open(struct iter_run *g, struct stage *st);

/*
 * iter_section.c: items wait until it is known what makes the iterations.
 */
void iter_begin(struct iter_run *g);
void iter_end(struct iter_run *g);

/* An item; it is kept while the key is not known. */
void iter_item(struct iter_run *g, struct iter_item *m, const char *line);

/* A line to which nothing is added; meta: of metadata. */
void iter_line(struct iter_run *g, const char *line, size_t n, bool meta);

/* A range that may be a step, or --list's. */
void iter_range(struct iter_run *g, const struct iter_item *m, const char *s,
    size_t n, int64_t lo, int64_t hi);

/* DLProf has no key: all is one iteration from now on. */
void iter_no_key(struct iter_run *g);

/*
 * iter_dlprof.c: what --dlprof makes different. Also the first iteration begins
 * at time 0; one begins though the GPU works on the last; a synchronization has
 * no length of its own; an op is preferred to a range of its name; memory
 * events are dropped as others are; of iterations that are not wanted nothing
 * is said.
 */
void dlprof_begin(struct iter_run *g);
/* A line of metadata; true: dlprof_end() writes it instead. */
bool dlprof_meta(struct iter_run *g, const char *line, size_t n);
void dlprof_op(struct iter_run *g, const char *by); /* by: may be NULL */
/* At the end: whether there is a key to look for. */
bool dlprof_has_key(const struct iter_run *g);
void dlprof_end(struct iter_run *g, size_t n_iter);

/*
 * iter_place.c: once that is known an item gets its iteration and goes out.
 * An iteration's own record follows when it can no longer change.
 */
/* run: the struct iter_run. line: may be NULL while lengths are measured. */
void iter_place(void *run, const struct iter_item *m, const char *line);

/* Writes a file's last iterations; how many it has. */
size_t iter_place_end(struct iter_run *g, struct iter_file *f);

/*
 * iter_section.c: the files of a section, and the iterations that an earlier
 * dlp-iter gave them: without a key they stay as they are.
 */
/* The number of the file with that name, made if it is new; a record without
 * a name (s NULL) belongs to the only file, or to the only one that has its
 * process: SRC_NONE if that is not known. */
uint32_t iter_file_of(
    struct iter_files *f, const char *s, size_t n, int64_t pid);
