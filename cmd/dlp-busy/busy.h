/*
 * The devices and processes of a section, and the time of each. What a
 * process does on the CPU counts for the devices that it uses; it is kept
 * for those that it may use later.
 */
#ifndef BUSY_BUSY_H
#define BUSY_BUSY_H

#include "buf.h"
#include "map.h"
#include "out.h"
#include "steps.h"
#include "timeline.h"

/* busy_class.c: what a device does, in the order in which it counts. */

enum busy_class {
	C_TC,
	C_KERN,
	C_GRAPH,
	C_MEM,
	C_DATA,
	C_IO,
	C_CPU,
	C_OTHER, /* nothing of these */
	C_N
};

const char *class_word(enum busy_class c);

/* Whether a range's text, or an op's type, is of a data loader. */
bool class_is_data(const char *s, size_t n);

/* Whether a function of the operating system reads or writes. */
bool class_is_io(const char *s, size_t n);

/*
 * busy_lane.c: the time of a device, or of a process that uses none so far, as
 * one row of pieces: which classes are active from when to when. The newest
 * pieces are kept, so that what comes late (runs of ops come when they end)
 * still finds its time; older ones are added up by iteration.
 */

struct class_sums {       /* ns */
	int64_t dur[C_N]; /* while no class before it was active */
	int64_t all[C_N];
};

struct lane {
	const struct busy_file *file; /* its steps cut the pieces */
	struct timeline time;
	int64_t base; /* the pieces reach from base to time.t */
	struct lane_piece {
		int64_t end;
		unsigned mask; /* active classes, a bit each */
	} * v;
	size_t n, cap;
	struct class_sums *sum; /* by place in file->steps */
	size_t n_sum;
	bool any_gpu;              /* work ran on it */
	struct class_sums edge[2]; /* the parts of sum before its first work,
				      and since its last; known if there is
				      one iteration */
	int64_t late_ns;           /* came when their time was added up */
};

void lane_init(struct lane *l, const struct busy_file *f);

/* Class c is active in [lo, hi). */
void lane_add(struct lane *l, int64_t lo, int64_t hi, enum busy_class c);

/* Time goes on to t; what is added later should begin after it. */
void lane_to(struct lane *l, int64_t t);

/* A device that nobody has used becomes a process's: the same time so far. l is
 * overwritten. */
void lane_copy(struct lane *l, const struct lane *from);

/* A device that is used already gets the process's time that is still known. */
void lane_merge(struct lane *l, const struct lane *from);

/* Nothing comes any more, and time ends at t: all is in sum[0..n_sum). */
void lane_end(struct lane *l, int64_t t);

/* After that, if all is one iteration: only the time from its first work to
 * its last. */
void lane_between(struct lane *l);
void lane_free(struct lane *l);

/* busy.c: devices and processes. */

struct busy_dev {
	int64_t no;
	bool used;
	struct lane lane; /* if used */
};

struct busy_proc {
	struct lane own; /* what it does on the CPU */
	bool has_own;    /* not, if it uses all devices */
	uint32_t *dev;   /* that it uses */
	size_t n_dev;
};

struct busy_file {        /* of the section's, by column src */
	const char *name; /* escaped; NULL: none */
	struct busy_dev *dev;
	struct busy_proc *proc;
	size_t n_dev, n_proc;
	struct map devs, procs; /* number -> place */
	struct steps steps;
	int64_t from; /* what lies before does not count */
	bool any;
	int64_t first, last; /* of the events */
	int64_t begin;       /* of the first step, if it is known */
	int64_t stop;        /* where a dropped one follows the last kept one */
	bool has_begin, has_stop;
	bool any_gpu;
	int64_t gpu_lo, gpu_hi;   /* of the work on devices */
	int64_t call_lo, call_hi; /* the longest call before it */
	struct buf call;
	int64_t end;      /* of the last iteration */
	int64_t work_end; /* of the iterations' work, or INT64_MIN */
	bool has_end;
	bool whole; /* all is one iteration and no step: the time before the
		       first work and after the last is told apart */
};

struct busy_times { /* zeroed but for mode */
	const struct busy_mode *mode;
	struct busy_file **file;
	size_t n_file;
	struct smap names;
	uint64_t with_tc, no_tc; /* kernels that tell whether they use Tensor
				    Cores, and that do not */
	int64_t now;             /* what comes from now on is launched later */
	struct out_src_type busy_type, edge_type;
};

/* Each is made if it is new. A device or process holds until another one is
 * made, a file as long as the section. */
struct busy_file *busy_file(struct busy_times *b, struct mview src);
struct busy_dev *busy_dev(struct busy_file *f, int64_t no);
struct busy_proc *busy_proc(struct busy_file *f, int64_t pid);

/* An event of the work that is measured. */
void busy_event(
    struct busy_times *b, struct busy_file *f, int64_t lo, int64_t hi);

/* A call, which may be the longest before the first work. */
void busy_call(struct busy_file *f, int64_t lo, int64_t hi, struct mview name);

/* Work of a process on a device. */
void busy_gpu(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    struct busy_dev *d, int64_t lo, int64_t hi, enum busy_class c);

/* On the CPU. */
void busy_cpu(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    int64_t lo, int64_t hi, enum busy_class c);

void busy_clear(struct busy_times *b); /* frees all but the records' types */

/* busy_report.c: the records. */

/* The end of a section: writes the records and notes, and says, of a whole
 * one, which columns and records an earlier stage should have added. */
void busy_end(struct busy_times *b, bool whole);

/* What can be done in more than one way. */
struct busy_mode {
	bool (*is_io)(const char *s, size_t n); /* as class_is_io() */

	/* From when on time counts, by the events of the file so far; NULL:
	 * from 0. */
	int64_t (*from)(const struct busy_file *f);

	/* The time after the last step and its work gets a cut of its own;
	 * NULL: it stays with the last step. */
	void (*close_steps)(struct busy_file *f);

	/* Writes the records of a file, whose devices' time is over at end. */
	void (*write)(struct busy_times *b, struct busy_file *f, int64_t end);

	const char *const *cols; /* of busy records, src the last */
	size_t n_cols;
	bool has_after; /* a column among them */
};

extern const struct busy_mode busy_own;    /* busy_report.c */
extern const struct busy_mode busy_dlprof; /* busy_dlprof.c: -D */

/* For the modes: the rows of all devices, of the time between cuts i and
 * i + 1. */
void busy_put_iter(
    struct busy_times *b, const struct busy_file *f, size_t i, int64_t end);

#endif
