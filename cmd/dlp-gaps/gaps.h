/*
 * The times at which the devices of a section idle, and what threads did
 * meanwhile. A device's work is put in the order of time behind the launches.
 * What is launched from now on should begin later, but where clocks differ it
 * can begin earlier, so gaps are written some launches later.
 */
#ifndef GAPS_GAPS_H
#define GAPS_GAPS_H

#include "map.h"
#include "out.h"
#include "steps.h"
#include "timeline.h"

/* gaps_did.c: what a thread can be doing while a GPU idles. */

enum did { /* in the order in which they explain a gap */
	D_DATA,
	D_COMM,
	D_OVER,
	D_ALLOC,
	D_LOAD,
	D_GRAPH,
	D_SYNC,
	D_OS,
	D_API,
	D_OP,
	D_N,              /* nothing recorded */
	D_RANGE = D_N + 1 /* only a range of the program: it says where */
};

/* How it is called, and the class of a gap that it explains. */
const char *did_word(enum did d);
const char *did_class(enum did d);

/* By the name of an API call; of a range or op: D_N if it is no data loader's
 * and no communication's. */
enum did did_api(const char *s, size_t n);
enum did did_range(const char *s, size_t n);

/* By the name of an over record; D_N if it does not say. */
enum did did_over(const char *s, size_t n);

/* gaps_past.c: what the threads of a process did lately: as long back as a GPU
 * may have been idle. */

#define PAST_BRIEF 1000000 /* ns between two launches that are usual */
/* ns that no launch takes, and that nobody needs to prepare one: a call that
 * starts up, or a program that does something else */
#define PAST_LONG 10000000
/* the same of a call that allocates or releases memory: the first one starts
 * the driver up */
#define PAST_FIRST 100000000

struct past { /* zeroed: empty */
	struct act {
		int64_t start, end, tid; /* ns */
		enum did did;
		uint32_t name; /* in gaps.names */
		/* of a call: its op, its place in the user's code; or
		 * SMAP_NONE */
		uint32_t where, code;
	} * v;
	size_t n, cap;
	size_t limit; /* of n, to look what can be forgotten */
};

struct story { /* what was done, by kind, in a span of time */
	int64_t ns[D_N];
	struct longest {
		int64_t ns, tid;
		uint32_t name;
	} best[D_N];
	struct act sync; /* it began while a thread waited for the GPU in this
			  * call, if drained */
	bool drained;
	int64_t update, update_tid; /* the first change of a graph, if there
				     * is time of D_GRAPH */
	uint32_t range; /* the innermost range that was open for half of it, or
			 * SMAP_NONE */
};

void past_add(struct past *p, struct act a);

/* Whether it is time to forget what ended before the oldest open gap. */
bool past_is_full(const struct past *p);

/* Forgets what ended by t. Returns how many had to be forgotten that did not,
 * because there are too many. */
uint64_t past_forget(struct past *p, int64_t t);

/* What was done in [lo, hi), by the thread; where it has recorded less than
 * half of that time, by all threads of the process. */
void past_tell(
    const struct past *p, int64_t tid, int64_t lo, int64_t hi, struct story *s);

void story_init(struct story *s);

/* Adds one thing; nothing if hi <= lo. */
void story_add(struct story *s, const struct act *a, int64_t lo, int64_t hi);

/* What explains a span of so many ns: the first kind that lasts for half of
 * it, otherwise D_N. */
enum did story_did(const struct story *s, int64_t ns);

/* gaps.c: the devices and processes of a section. */

struct gap_label { /* of work, for the record: numbers in gaps.names */
	uint32_t name, iter, phase, layer, op;
	int64_t id;
};

struct gap_work {
	struct gap_label label;
	int64_t pid, tid;
	bool has_tid, has_api;
	int64_t api, api_end;  /* its call, ns */
	uint32_t call;         /* the call's name */
	uint32_t code;         /* its place in the user's code */
	enum did did;          /* of the call */
	bool of_graph;         /* which launches a CUDA graph */
	struct story *story;   /* if the device was idle when it was launched */
	struct gap_work *next; /* free ones */
};

struct gap_dev {
	int64_t no;
	struct timeline time;
	struct gap_label last; /* the work that ended last, if any has */
	int64_t idle_from;
	bool any;
	struct gap_lead {
		struct timeline time;
		int64_t idle_from;
		bool any;
		int64_t pid, tid; /* of the newest launch, if has_tid */
		bool has_tid;
	} lead; /* the same up to the newest launch, if no work begins before
		 * its call */
	struct gap_first *first; /* the gap before the first work, if it is not
				  * known yet whether there are steps */
};

struct gap_proc {
	int64_t pid;
	struct past past;
};

struct gap_file {         /* of the section's, by column src */
	const char *name; /* escaped; NULL: none */
	struct gap_dev *dev;
	struct gap_proc *proc;
	size_t n_dev, n_proc;
	struct map devs, procs; /* number -> place */
	struct steps steps;
	int64_t begin, end; /* of all events, if any_event */
	bool any_event;
};

struct gaps { /* zeroed */
	struct gap_file *file;
	size_t n_file;
	struct smap srcs, names;
	struct gap_work *spare;
	int64_t now;
	int64_t *past_now; /* now at each of the last launches, a ring */
	size_t n_launch;
	uint64_t undecided; /* pieces after a step of which it was not known in
			     * time whether another one follows */
	uint64_t forgotten;
	struct out_src_type type;
};

/* The file, which is made if it is new. Holds until another one is. */
struct gap_file *gaps_file(struct gaps *g, struct mview src);

/* A number for an escaped text; SMAP_NONE for NULL. */
uint32_t gaps_name(struct gaps *g, const char *s, size_t n);

/* Something happened from lo to hi. */
void gaps_event(struct gap_file *f, int64_t lo, int64_t hi);

/* The time on the CPU is t. */
void gaps_now(struct gaps *g, int64_t t);

/* What a thread does from when to when. */
void gaps_did(struct gaps *g, struct gap_file *f, int64_t pid, struct act a);

/* Work on a device, launched now; *w is copied. */
void gaps_work(struct gaps *g, struct gap_file *f, int64_t dev, int64_t start,
    int64_t end, const struct gap_work *w);

void gaps_end(struct gaps *g);   /* of a section: the last gaps, and notes */
void gaps_clear(struct gaps *g); /* frees all but the record's type */

/* gaps_write.c: the records. */

struct gap_verdict {
	const char *class, *did;
	struct longest best;
	uint32_t range, code; /* where, or SMAP_NONE */
};

struct gap_first {
	int64_t end;
	struct gap_work work;
	struct gap_verdict why;
};

/* The device idled from d->idle_from to end, when w began: a record for each
 * part that a border of the steps cuts off. */
void gap_write(struct gaps *g, struct gap_file *f, struct gap_dev *d,
    int64_t end, const struct gap_work *w);

/* The section is over: the gap before the first work, if it counts; and that
 * after the last one, up to the end of the steps. */
void gap_write_edges(struct gaps *g, struct gap_file *f, struct gap_dev *d);

#endif
