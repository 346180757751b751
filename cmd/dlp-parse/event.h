#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The event that a dialect makes of one row of a profile, in the terms of
 * dlp-records(5). Events are plain values; the merge copies them. Times are
 * nanoseconds from the profile's origin.
 */

/* In the order in which events that start together are written. */
enum ev_kind {
	EV_RUN, /* an op's run begins: databases that hold ops */
	EV_RANGE,
	EV_MARK,
	EV_LIB,
	EV_OS,
	EV_NODE,
	EV_CALL,
	EV_KERN, /* from here to EV_GRAPH: GPU work, which a call launches */
	EV_COPY,
	EV_SET,
	EV_SYNC,
	EV_GRAPH,
	EV_EVENT, /* a CUDA event is recorded */
	EV_MEM,
	EV_OVER,
	EV_SAMPLE, /* of what a thread of the CPU does */
	EV_SERIES, /* a sampled value */
	EV_DIAG,
	EV_RUN_END, /* and ends */
	EV_KINDS,
};

#define EV_IS_GPU(k) ((k) >= EV_KERN && (k) <= EV_GRAPH)

/* A number that the file does not have. */
#define EV_UNSET INT64_MIN

struct ev_range {           /* EV_RANGE, EV_MARK */
	const char *domain; /* "" is the default domain; lives as long as
			       the dialect's context */
	int64_t end_tid;    /* thread that ended it, EV_UNSET if the same */
	bool push;          /* push/pop; otherwise start/end */
	int64_t level;      /* databases that hold ops: ranges around it, */
	const char *layer;  /* their texts; NULL: none */
};

struct ev_call {
	int64_t ret;
	bool twin; /* a second row of a call: dropped if the file has a first
		    * one with the same key */
};

struct ev_gpu {
	int64_t dev, ctx, stream;
	int64_t node; /* CUDA graph node */
	union {
		struct {
			int64_t short_name; /* string id; EV_UNSET: none */
			int64_t mangled;    /* the same */
			int64_t grid[3], block[3];
			int64_t regs, smem, dynsmem, occupancy;
		} kern; /* the full name is event.name */
		struct {
			const char *kind; /* static text; NULL: unset */
			int64_t bytes;
			const char *src_mem, *dst_mem;
		} copy;
		struct {
			int64_t bytes, value;
			const char *mem;
		} set;
		struct {
			const char *kind; /* NULL: the call's name decides */
			int64_t event;
		} sync;
		struct {
			int64_t graph, exec;
		} graph;
	};
	/* the call, if it is in the same row (source.launches): then the
	 * event's own times are the call's */
	struct {
		int64_t start, end; /* on the GPU */
		int64_t api;        /* string id of the call's name */
		int64_t tc;         /* kernels: 1 or 0 */
		bool none;          /* the work was not launched by a call */
	} own;
};

struct ev_run {
	int64_t names, shapes, outs; /* string ids: of the input names and
					sizes, the sizes of the outputs */
};

struct ev_node {
	int64_t node, orig;
};

struct ev_mem {
	int64_t dev, bytes, addr;
	int64_t corr, pool, pool_bytes; /* the pool's address and size */
	int64_t used;          /* what the allocator has given out then */
	const char *op, *kind; /* static text; NULL: unset */
};

struct ev_series {
	int64_t dev, value;
};

struct ev_event {
	int64_t dev, ctx, stream, event;
};

struct event {
	enum ev_kind kind;
	int64_t start;
	int64_t end; /* EV_UNSET: never closed, or unknown. An end before the
		      * start is left as it is: the core counts it. */
	int64_t pid, tid;
	int64_t corr;     /* correlation id: calls and GPU work */
	int64_t name;     /* string id for dialect.string() (dialect.kernel()
			     for kernels), EV_UNSET: none */
	const char *text; /* the name itself if the row holds it; valid until
			   * the statement's next step; otherwise NULL */
	uint32_t text_len;
	int64_t op, nth;   /* databases that hold ops: the op's row and the
			    * number of its run; runs: the op's row and their
			    * own */
	const char *label; /* lib: "cudnn"; diag: severity; sample: "cpu" or
			    * "python"; static text */
	int64_t stack;     /* os, sample, call: the dialect's own */
	union {
		struct ev_range range;
		struct ev_call call;
		struct ev_gpu gpu;
		struct ev_node node;
		struct ev_mem mem;
		struct ev_run run;
		struct ev_series series; /* text: its name; label: the unit */
		struct ev_event event;
	};
	/* the core's own */
	int64_t row; /* place in the table, from 1 */
};
