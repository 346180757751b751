/*
 * The times at which the devices of a section idle, and what threads did
 * meanwhile: what dlp-gaps.c reads and gaps.c keeps, judges and writes.
 */
#pragma once

#include "ivl.h"
#include "map.h"
#include "out.h"
#include "steps.h"
#include "timeline.h"

/* What a thread can be doing while a GPU idles, in the order in which it
 * explains a gap. */
enum did {
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
struct did_words {
	const char *word, *class;
};
extern const struct did_words did_words[D_RANGE + 1];

struct act {                     /* of a thread */
	int64_t start, end, tid; /* ns */
	enum did did;
	uint32_t name; /* in gaps.names */
	/* of a call: its op, its place in the user's code; or SMAP_NONE */
	uint32_t where, code;
	int64_t last; /* the latest end of the block that begins here */
};

struct gap_label { /* of work, for the record: numbers in gaps.names */
	uint32_t name, iter, phase, layer, op;
	int64_t id;
};

struct gap_work {
	struct gap_label label;
	int64_t pid, tid;
	bool has_tid, has_api;
	int64_t api, api_end; /* its call, ns */
	uint32_t call;        /* the call's name */
	uint32_t code;        /* its place in the user's code */
	enum did did;         /* of the call */
	bool of_graph;        /* which launches a CUDA graph */
	bool first;           /* of its stream */
	struct story *story;  /* if the device was idle when it was launched */
};

struct gap_file {         /* of the section's, by column src */
	const char *name; /* escaped; NULL: none */
	struct gap_dev *dev;
	struct gap_proc *proc;
	size_t n_dev, n_proc;
	struct map devs, procs; /* number -> place */
	struct map streams;     /* seen */
	struct steps steps;
	struct extent event; /* of all that happened */
};

struct gaps { /* zeroed */
	struct gap_file *file;
	size_t n_file;
	struct smap srcs, names;
	int64_t now;
	struct launches launches;
	uint64_t undecided; /* pieces after a step of which it was not known in
			     * time whether another one follows */
	uint64_t forgotten;
	struct out_src_type type;
};

/* The file, which is made if it is new. Holds until another one is. */
struct gap_file *gaps_file(struct gaps *g, struct mview src);

/* What a thread does from when to when. */
void gaps_did(struct gaps *g, struct gap_file *f, int64_t pid, struct act a);

/* Work on a device, launched now; *w is copied. */
void gaps_work(struct gaps *g, struct gap_file *f, int64_t dev, int64_t start,
    int64_t end, const struct gap_work *w);

void gaps_end(struct gaps *g);   /* of a section: the last gaps, and notes */
void gaps_clear(struct gaps *g); /* frees all but the record's type */
