/*
 * The rows of the viewer. A track is a thread, a stream, ...: one row, or
 * more where its events overlap, since a row can only hold events that lie
 * one behind the other, or inside each other.
 */
#ifndef TRACE_TRACK_H
#define TRACE_TRACK_H

#include "json.h"
#include "owner.h"

enum track_kind {
	TRACK_THREAD, /* CPU: ranges and calls, nested */
	TRACK_OPS,    /* CPU: runs of ops of a thread */
	TRACK_STREAM, /* GPU: a stream's work */
	TRACK_SYNC,   /* GPU: waits for it */
	TRACK_STEPS,  /* the iterations */
	TRACK_DIAG,   /* messages of the profiler */
};

struct track;

/* A section begins: its processes are others. */
void track_section(void);

/* The track, which is announced in the trace when it is new. Valid until the
 * next section. */
struct track *track_get(enum track_kind kind, const struct owner *o);

/* The row for an event from start to end (not before start); events come in
 * nearly the order of their starts. */
struct place track_place(struct track *t, int64_t start, int64_t end);

/* The row that the last event was given; the first row if there was none. */
struct place track_last(struct track *t);

#endif
