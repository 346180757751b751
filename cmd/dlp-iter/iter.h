/*
 * What the files of dlp-iter share: what was asked for, what is known of the
 * section, and the way of its records.
 */
#ifndef ITER_H
#define ITER_H

#include "cand.h"
#include "spool.h"

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
	bool keep;             /* what is not wanted stays, in no iteration */
	bool strict; /* fatal if the key or the first iteration is missing */
	const struct iter_rules *rules;
};

/*
 * What --dlprof makes different. The hooks may be NULL. iter_dlprof.c has the
 * rules of DLProf, iter_section.c ours.
 */
struct iter_rules {
	bool from_zero;    /* the first iteration begins at time 0 */
	bool overlap;      /* one begins though the GPU works on the last */
	bool sync_is_call; /* a synchronization has no length of its own */
	bool ops_first;    /* an op is preferred to a range of that name */
	bool drop_mem;     /* memory events are dropped as others are */
	bool plain_range;  /* of iterations that are not wanted nothing is
			      said */
	void (*section)(struct iter_run *g);
	/* A line of metadata; true: end() writes it instead. */
	bool (*meta)(struct iter_run *g, const char *line, size_t n);
	void (*op)(struct iter_run *g, const char *by); /* by: may be NULL */
	/* At the end: whether there is a key to look for; whether nothing is
	 * to be said if it is not found. */
	bool (*has_key)(const struct iter_run *g);
	bool (*is_silent)(const struct iter_run *g);
	void (*end)(struct iter_run *g, size_t n_iter);
};

extern const struct iter_rules iter_rules_own, iter_rules_dlprof;

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
	const char *name; /* escaped; NULL: none */
	struct layout layout;
	struct iter_kept kept;
	struct iter_accs accs;
	struct own own;
	const char *own_key; /* what cuts, without -k */
	struct iter_extent extent;
	int64_t step_end;     /* of the last step written; NO_TIME: none */
	size_t n_begun;       /* --cuts: iterations whose begin was written */
	bool outside;         /* --cuts: the time that was reached is in none */
	bool found;           /* iterations by a key, not for want of it */
	struct stable stable; /* --list with a key, --stable, --even */
	enum {
		EVEN_UNKNOWN, /* not measured, or not cut into iterations */
		EVEN_NONE,    /* no two are even: all count */
		EVEN_SOME     /* only from to to count */
	} even;
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
	uint64_t outside, nested, late;
};

struct iter_dlprof {    /* of a section; iter_dlprof.c */
	struct buf key; /* the key that a database names */
	enum {
		DL_GIVEN,   /* the key is -k's or the database's */
		DL_OPEN,    /* by default there is one in some modes */
		DL_WITH,    /* in the mode of this profile there is */
		DL_WITHOUT, /* in its mode there is none, unless a database
			       names one */
		DL_NONE     /* there is none */
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

/* Whether iteration n of a file (NULL: it is not known) counts. */
static inline bool
iter_counts(const struct iter_run *g, const struct iter_file *f, int64_t n)
{
	if (f != NULL && f->even != EVEN_UNKNOWN)
		return n >= f->from && n <= f->to;
	return g->plan.wanted != ITER_RANGE ||
	       (n >= g->plan.from && n <= g->plan.to);
}

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

/* There is no key: all is one iteration from now on. */
void iter_no_key(struct iter_run *g);

/*
 * iter_place.c: once that is known an item gets its iteration and goes out.
 * An iteration's own record follows when it can no longer change.
 */
/* line: may be NULL while lengths are measured. */
void iter_place(
    struct iter_run *g, const struct iter_item *m, const char *line);

/* Writes a file's last iterations; how many it has. */
size_t iter_place_end(struct iter_run *g, struct iter_file *f);

/*
 * iter_files.c: the files of a section, and the iterations that an earlier
 * dlp-iter gave them: without a key they stay as they are.
 */
/* The number of the file with that name, made if it is new; a record without
 * a name (s NULL) belongs to the only file, or to the only one that has its
 * process: SRC_NONE if that is not known. */
uint32_t iter_file_of(
    struct iter_files *f, const char *s, size_t n, int64_t pid);
void iter_files_clear(struct iter_files *f);

/* An iteration of file f, whose key (NULL: none) is text. */
void kept_add(struct iter_file *f, const struct iteration *it, const char *text,
    size_t n);

/* At the section's end: whether they can stay; then f's layout is made of
 * them. One iteration without a key is one for want of steps. */
bool kept_take(struct iter_file *f);

/* The iteration that a record was given, or that its time lies in; -1: none. */
int64_t kept_where(
    struct iter_file *f, const struct iter_item *m, const char *line);

/* Iteration i of the layout, as it was written. */
void kept_iteration(struct iteration *x, const struct iter_file *f, size_t i);

/* The first number of all files that there is; 0 where one is cut anew. */
int64_t kept_first(const struct iter_files *f);

#endif
