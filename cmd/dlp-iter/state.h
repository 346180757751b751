/* What dlp-iter was asked for, and what it knows of the section. */
#ifndef ITER_STATE_H
#define ITER_STATE_H

#include "cand.h"
#include "kept.h"
#include "source.h"
#include "spool.h"

struct dl {              /* --dlprof, of a section */
	struct buf key;  /* the key that its input names */
	bool by_default; /* nobody asked for the key */
	bool tensorflow; /* which has one by default, if nobody asks */
	bool without;    /* a mode that has none */
	bool decided;    /* it is known whether there is a key */
	bool no_key;     /* there is none */
};

struct asked { /* the options, where the stream can have its own */
	const char *key;
	int64_t from, to;
	bool filter;
};

struct run {
	/* options */
	struct key key;
	bool dlprof;
	bool cuts;   /* write where iterations begin */
	bool stable; /* write which of them are even */
	bool even;   /* only these are iterations */
	bool keep;   /* what is not asked for is in no iteration */
	bool asked_one;
	struct asked asked;
	bool one; /* or it was found that there is no key */
	bool listing;
	bool filter;
	bool strict; /* fatal if the key or the first iteration lacks */
	int64_t from, to;
	int limit;
	/* the section */
	bool waiting;   /* items go to the spool */
	bool measuring; /* --even: first only lengths are taken */
	bool broken;    /* at the end: its input was cut off */
	struct spool spool;
	struct sources files;
	struct opkey op;
	bool kern_kept;
	bool no_ops;   /* kernels lack what dlp-correlate says of them */
	bool any_op;   /* an op record was there */
	bool no_times; /* those that it has are made up: no hints on steps */
	struct dl dl;
	bool steps; /* the key is a range, so no file is one iteration */
	uint64_t outside, dropped;
	struct kept_notes was; /* of an earlier run */
	struct cands cands;    /* --list */
};

/* Whether iteration n of a file (NULL: it is not known) is among those that
 * are asked for. */
static inline bool
run_wanted(const struct run *g, const struct source *f, int64_t n)
{
	if (f != NULL && f->cut_down)
		return n >= f->from && n <= f->to;
	return !g->filter || (n >= g->from && n <= g->to);
}

#endif
