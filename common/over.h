/*
 * What an over record is about, by its name. CUPTI calls overhead whatever
 * keeps the program from running as without it: what the profiler does for
 * itself, but also what CUDA does in any run.
 */
#ifndef DLP_OVER_H
#define DLP_OVER_H

#include <stddef.h>

enum over {
	OVER_PROFILER, /* the profiler's own: flushes, instrumentation, ... */
	OVER_LOAD,     /* CUDA loads or compiles code, at its first use */
	OVER_QUEUE,    /* a call waits, as the queue of launches is full: the
			  CPU is ahead of the GPU */
	OVER_UNKNOWN,  /* CUPTI does not say */
};

/* Of an escaped name, as dlp-parse writes it; NULL is unknown. What is not in
 * the table is the profiler's. */
enum over over_of(const char *s, size_t n);

#endif
