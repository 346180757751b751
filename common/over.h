/*
 * The kind of an over record, by its name. CUPTI calls everything overhead that
 * keeps the program from running as without it: the work of the profiler
 * itself, but also work that CUDA does in any run.
 */
#pragma once

#include <stddef.h>

enum over {
	OVER_PROFILER, /* the profiler's own: flushes, instrumentation, ... */
	OVER_LOAD,     /* CUDA loads or compiles code, at its first use */
	OVER_QUEUE,    /* a call waits because the launch queue is full: the
			* CPU is ahead of the GPU */
	OVER_UNKNOWN,  /* CUPTI does not say */
};

/* The kind by an escaped name, as dlp-parse writes it; NULL is unknown. Names
 * that are not in the table are the profiler's. */
enum over over_of(const char *s, size_t n);
