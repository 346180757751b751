/*
 * Which program recorded a profile, for messages that say how to record more:
 * each has options of its own.
 */
#pragma once

#include <stdbool.h>

#include "mview.h"
#include "rec.h"

struct maker {         /* all false: Nsight Systems, nvprof or dlp-record */
	bool torch;    /* torch.profiler, */
	bool ops;      /* which recorded ops */
	bool rocprof;  /* rocprofv3 */
	bool amd;      /* the GPU is AMD's */
	bool ours;     /* dlp-record */
	int64_t n_cpu; /* of the machine; 0: unknown */
};

/* Takes a line of metadata; for stage.meta. */
void maker_read(struct maker *m, struct rec *r);

/* The same of a line ##info, by its name. */
void maker_info(struct maker *m, struct mview name, struct mview value);

/* The text that fits. */
const char *maker_text(const struct maker *m, const char *nsys,
    const char *torch, const char *rocprof);
