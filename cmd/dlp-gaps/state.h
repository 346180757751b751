/* What is known of a section: its files, their devices and processes. */
#ifndef GAPS_STATE_H
#define GAPS_STATE_H

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

/* Each is made if it is new. The pointers hold until another one is. */
struct file *state_file(struct gaps *g, const char *src, size_t n);
struct dev *state_dev(struct file *f, int64_t no);
struct proc *state_proc(struct file *f, int64_t pid);

/* A number for an escaped text; SMAP_NONE for NULL. */
uint32_t state_name(struct gaps *g, const char *s, size_t n);

/* What the thread of w did from lo to hi, and the others of its process. */
void state_tell(struct file *f, const struct work *w, int64_t lo, int64_t hi,
    struct story *s);

/* Frees all that it holds. */
void state_free(struct gaps *g);

#endif
