/*
 * The state of dlp-correlate, made of the parts of the modules below. Known
 * to those that join them: places, ranges, graphs and time. Times are
 * nanoseconds of the stream.
 */
#ifndef DLP_CORR_H
#define DLP_CORR_H

#include "dl.h"
#include "dl_mode.h"
#include "names.h"
#include "ops.h"
#include "prim.h"
#include "proj.h"
#include "thread.h"

struct counts { /* for the notes */
	uint64_t damaged, broken, leaked, unended, crossing, backwards,
	    unpaired, late;
	uint64_t call_ops, calls_shared; /* of --dlprof */
	uint64_t graphs;                 /* recorded as a whole */
	int64_t graph_ns;
	uint64_t why[WHY_N];
	int64_t gpu_ns, why_ns[WHY_N];
};

#define LAUNCHES 8 /* graph launches whose work can be mixed */

struct launch {         /* of a graph, while its work comes */
	struct proc *p; /* NULL: none */
	int64_t at, corr;
	bool called;   /* all its work comes at the time of its call */
	uint64_t used; /* when last */
	struct map of; /* captured run -> its replay's number + 1 */
	struct inst **replay;
	size_t n, cap;
};

struct corr {                /* zeroed but for its options */
	bool all_ranges;     /* --ranges */
	bool dlprof;         /* --dlprof */
	const char *domain;  /* --domain; "": the default one; NULL: all */
	const char *as_mode; /* --mode; NULL: as the markers say */
	bool spaced;         /* texts with a namespace were seen: aten:: */
	bool old;            /* ops without one were */
	bool has_end;
	int64_t end; /* of the recording: a marker that ends there leaked */
	struct markers *markers;
	struct prims prims;
	struct threads threads;
	struct ops ops;
	struct dl dl; /* of ops, with --dlprof */
	struct dl_mode mode;
	struct names names; /* for PyProf's rules */
	struct closing closing;
	struct insts insts;
	struct projs projs;
	struct launch launch[LAUNCHES];
	int n_launch; /* with a call */
	uint64_t launch_used;
	struct counts n;
};

#endif
