/* GPU activities and API calls, as their records say, and their places. */
#ifndef DLP_WORK_H
#define DLP_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

struct inst;
struct proc;
struct thread;

enum work_type { W_KERN, W_COPY, W_SET, W_SYNC, W_GRAPH, W_CALL, W_N };

struct work {
	enum work_type type;
	bool has_api;  /* launched by a call in the profile */
	bool own_call; /* and that call has no record of its own */
	bool has_gpu;  /* start and duration on the GPU are known */
	bool has_node;
	int64_t dev; /* -1: not known */
	int64_t id, start, end, api_start, api_end, corr, node;
	struct text what; /* short kernel name, or API name; escaped */
	struct thread *th;
	struct proc *p;
};

/* Why work belongs to no op. */
enum why {
	WHY_NONE,
	WHY_BEFORE,   /* launched before the first API call of its process */
	WHY_NO_API,   /* no API call in the profile */
	WHY_NO_RANGE, /* no range open on the thread of the call */
	WHY_USER,     /* only the program's own ranges */
	WHY_UNCLOSED, /* inside a marker that was never popped */
	WHY_GRAPH,    /* graph node of unknown origin, launched outside ops */
	WHY_N
};

struct place {           /* what is found out about work */
	struct inst *in; /* NULL: unassociated */
	uint32_t op;
	enum why why;
	bool kern;     /* it is a kernel */
	uint32_t prim; /* the product it is part of; 0: none */
	uint64_t prim_run;
	int phase;
	enum {
		PHASE_BY_RANGE,  /* of the thread */
		PHASE_BY_THREAD, /* a guess: of another thread */
		PHASE_BY_GRAPH,  /* when the graph was captured */
	} phase_by;
	struct text layer;
};

#endif
