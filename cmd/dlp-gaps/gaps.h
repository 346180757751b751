/*
 * The devices and processes of a section. A device's work is swept in the
 * order of time behind the launches: what is launched from now on begins
 * later, so all gaps before now are known.
 */
#ifndef GAPS_GAPS_H
#define GAPS_GAPS_H

#include "map.h"
#include "past.h"
#include "steps.h"
#include "sweep.h"

struct label { /* of work, for the record: numbers in gaps.names */
	uint32_t name, iter, phase, layer, op;
	int64_t id;
};

struct work {
	struct label label;
	int64_t pid, tid;
	bool has_tid, has_api;
	int64_t api, api_end; /* its call */
	uint32_t call;
	enum did did;        /* of the call */
	struct story *story; /* if the device was idle when it was launched */
	struct work *next;   /* free ones */
};

struct dev {
	int64_t no;
	struct sweep sweep;
	struct label last; /* the work that ended last */
	int64_t idle_from;
	size_t active;
	bool any;
};

struct proc {
	int64_t pid;
	struct past past;
};

struct file {             /* of the section's, by column src */
	const char *name; /* escaped; NULL: none */
	struct dev *dev;
	struct proc *proc;
	size_t n_dev, n_proc;
	struct map devs, procs; /* number -> place */
	struct steps steps;
};

struct gaps { /* zeroed */
	struct file *file;
	size_t n_file;
	struct smap srcs, names;
	struct work *spare;
	int64_t now;
	uint64_t forgotten, early;
};

struct file *gaps_file(struct gaps *g, const char *src, size_t n);

/* A number for an escaped text; SMAP_NONE for NULL. */
uint32_t gaps_name(struct gaps *g, const char *s, size_t n);

/* The time on the CPU is t. */
void gaps_now(struct gaps *g, int64_t t);

/* What a thread does from when to when. */
void gaps_did(struct gaps *g, struct file *f, int64_t pid, struct act a);

/* Work on a device, launched now. */
void gaps_work(struct gaps *g, struct file *f, int64_t dev, int64_t start,
    int64_t end, const struct work *w);

/* What the thread of w did from lo to hi, and the others of its process. */
void gaps_tell(struct file *f, const struct work *w, int64_t lo, int64_t hi,
    struct story *s);

void gaps_end(struct gaps *g); /* the end of a section: the last gaps */
void gaps_clear(struct gaps *g);

#endif
