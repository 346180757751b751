/*
 * The rows of the viewer. A track is a thread, a stream, ...: one row, or
 * more where its events overlap, since a row can only hold events that lie
 * one behind the other, or inside each other. Names of processes, threads
 * and devices come before what happens on them.
 */
#ifndef TRACE_TRACK_H
#define TRACE_TRACK_H

#include "json.h"
#include "mview.h"

enum track_kind {
	TRACK_THREAD, /* CPU: ranges and calls, nested */
	TRACK_OPS,    /* CPU: runs of ops of a thread */
	TRACK_STREAM, /* GPU: a stream's work */
	TRACK_SYNC,   /* GPU: waits for it */
	TRACK_STEPS,  /* the iterations */
	TRACK_DIAG,   /* messages of the profiler */
};

/* Whose track: the values as records hold them, s NULL where unset. */
struct owner {
	struct mview src, pid;
	struct mview tid;              /* CPU */
	struct mview dev, ctx, stream; /* GPU */
};

struct track;

/* A section begins: its processes are others. */
void track_section(void);
void track_label(const char *s, size_t n); /* the section's file */

/* What a process, a thread, a device is called. */
void track_name_proc(const struct owner *o, struct mview name);
void track_name_thread(const struct owner *o, struct mview name);
void track_name_dev(const struct owner *o, struct mview name);

/* The track, which is announced in the trace when it is new. Valid until the
 * next section. */
struct track *track_get(enum track_kind kind, const struct owner *o);

/* The process that stands for the owner's GPU: for its counters. */
int64_t track_gpu(const struct owner *o);

/* The row for an event from start to end (not before start); events come in
 * nearly the order of their starts. */
struct place track_place(struct track *t, int64_t start, int64_t end);

/* The row that the last event was given; the first row if there was none. */
struct place track_last(struct track *t);

#endif
