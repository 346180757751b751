/*
 * The devices and processes of a section, and the time of each. What a
 * process does on the CPU counts for the devices that it uses; it is kept
 * for those that it may use later.
 */
#ifndef BUSY_BUSY_H
#define BUSY_BUSY_H

#include "buf.h"
#include "lane.h"
#include "map.h"

struct dev {
	int64_t no;
	bool used;
	struct lane lane; /* if used */
};

struct proc {
	struct lane own; /* what it does on the CPU */
	bool has_own;    /* not, if it uses all devices */
	uint32_t *dev;   /* that it uses */
	size_t n_dev;
};

struct file {             /* of the section's, by column src */
	const char *name; /* escaped; NULL: none */
	struct dev *dev;
	struct proc *proc;
	size_t n_dev, n_proc;
	struct map devs, procs; /* number -> place + 1 */
	struct cuts cuts;
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
};

struct busy { /* zeroed but for the option */
	bool dlprof;
	struct file *file;
	size_t n_file;
	struct smap names;
	uint64_t with_tc, no_tc; /* kernels that tell about Tensor Cores, or
				    do not */
	int64_t now;             /* what comes from now on is launched later */
};

struct file *busy_file(struct busy *b, const char *src, size_t n);
struct dev *busy_dev(struct file *f, int64_t no);
struct proc *busy_proc(struct file *f, int64_t pid);

/* An event of the work that is measured. */
void busy_event(struct busy *b, struct file *f, int64_t lo, int64_t hi);

/* A call, which may be the longest before the first work. */
void busy_call(struct file *f, int64_t lo, int64_t hi, const char *s, size_t n);

/* Work of a process on a device. */
void busy_gpu(struct busy *b, struct file *f, struct proc *p, struct dev *d,
    int64_t lo, int64_t hi, enum class c);

/* On the CPU. */
void busy_cpu(struct busy *b, struct file *f, struct proc *p, int64_t lo,
    int64_t hi, enum class c);

/* From at on time is in the iteration; -1: in none, or in a dropped one. */
void busy_cut(struct file *f, int64_t at, int64_t iter, bool dropped);

/* What lies behind the last iteration begins where its work has ended. */
void busy_last_cut(struct file *f);

/* The end of a section: writes the records and notes, and says, of a whole
 * one, which columns and records an earlier stage should have added. */
void busy_end(struct busy *b, bool whole);
void busy_clear(struct busy *b);

#endif
