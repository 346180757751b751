/*
 * A stream as a trace: its events, the rows of the viewer that they lie on,
 * and who these belong to.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "buf.h"
#include "join.h"
#include "map.h"
#include "mview.h"
#include "stage.h"

/*
 * trace_json.c: the events of a trace, one JSON object each, to standard
 * output.
 *
 *	events_open(e);
 *	ev_begin(e, 'X', "kernel", name, nname, at, start_ns);
 *	ev_dur(ns);  ev_arg(e, "op", v, n);
 *	ev_end(e);
 *	events_close(): the end of the array; the caller writes what follows
 */

struct trace_events { /* zeroed */
	bool any;     /* an event stands before */
	bool in_args; /* of the event being written */
};

struct trace_row { /* of the viewer */
	int64_t pid, tid;
};

void events_open(void);
void events_close(void);

/* The string of a value as records hold it (escaped); what is no UTF-8 is
 * replaced. */
void ev_string(const char *raw, size_t n);

/* ph: the kind of the event, as the format names it. name: as in records. */
void ev_begin(struct trace_events *e, char ph, const char *cat,
    const char *name, size_t n, const struct trace_row *at, int64_t ns);

/* Fields of the event, before its arguments. */
void ev_dur(int64_t ns);
void ev_field(const char *name, const char *json); /* json: as it stands */
void ev_id(uint64_t id);

/* An argument: a number if it is one that doubles hold, otherwise a string;
 * nothing if it is unset (v NULL). */
void ev_arg(struct trace_events *e, const char *name, const char *v, size_t n);
void ev_arg_i64(struct trace_events *e, const char *name, int64_t v);
void ev_end(struct trace_events *e);

/* Names a process (what "process") or a row of it ("thread"), and gives it
 * its place among the others. name: as in records. */
void ev_name(struct trace_events *e, const char *what,
    const struct trace_row *at, const char *name, size_t n, int sort);

/*
 * trace_rows.c: who the rows of the viewer belong to (processes, threads,
 * GPUs), and what they are called. Names come before what happens there. A
 * track is a thread, a stream, ...: one row, or more where its events overlap,
 * since a row can only hold events that follow each other, or lie inside each
 * other.
 */

/* Values as records hold them, s NULL where unset. */
struct owner {
	struct mview src, pid;
	struct mview tid;              /* CPU */
	struct mview dev, ctx, stream; /* GPU */
};

enum track_kind {
	TRACK_THREAD, /* CPU: ranges and calls, nested */
	TRACK_OPS,    /* CPU: runs of ops of a thread */
	TRACK_STREAM, /* GPU: a stream's work */
	TRACK_SYNC,   /* GPU: waits for it */
	TRACK_STEPS,  /* the iterations */
	TRACK_DIAG,   /* messages of the profiler */
};

struct track;

struct trace_rows { /* rows_init() */
	struct trace_events *events;
	int64_t next_own;              /* number that no system gives */
	struct map used_pid, used_tid; /* in the whole trace */
	/* of the section */
	struct smap procs, names, texts, keys;
	struct track **track; /* by number in keys */
	size_t cap;
	struct buf label, key;
};

void rows_init(struct trace_rows *w, struct trace_events *e);
void rows_free(struct trace_rows *w);

/* A section begins: its processes are others. */
void rows_section(struct trace_rows *w);
void rows_label(struct trace_rows *w, const char *s, size_t n); /* its file */

/* What a process ('p'), a thread ('t'), a device ('d') is called. */
void rows_name(
    struct trace_rows *w, char what, const struct owner *o, struct mview name);

/* The process of the viewer that stands for a GPU of the process; it is
 * announced in the trace when it is new. */
int64_t rows_gpu(struct trace_rows *w, const struct owner *o);

/* The track, which is announced in the trace when it is new. Valid until the
 * next section. */
struct track *rows_track(
    struct trace_rows *w, enum track_kind kind, const struct owner *o);

/* The row for an event from start to end (not before start); events come in
 * nearly the order of their starts. */
struct trace_row track_place(
    struct trace_rows *w, struct track *t, int64_t start, int64_t end);

/* The row that the last event was given; the first row if there was none. */
struct trace_row track_last(struct trace_rows *w, struct track *t);

/* trace_show.c: what the trace shows of each record type, and where. */

#define TRACE_ARGS 28

enum trace_show {
	SHOW_GPU,   /* work of a stream, its call, and the arrow between them */
	SHOW_SYNC,  /* the same of a wait, without an arrow */
	SHOW_CPU,   /* a span on its thread */
	SHOW_RANGE, /* the same, or one that other threads can end */
	SHOW_OP,
	SHOW_ITER,
	SHOW_MARK, /* a point in time of a thread */
	SHOW_DIAG, /* one of the profile */
	SHOW_MEM,  /* a counter of the bytes that are allocated */
};

struct trace_def {
	const char *tag;
	enum trace_show show;
	const char *before; /* of the name */
	const char *name;   /* the column with the name, or NULL */
	const char *args;   /* columns, blank separated; op. as in -c */
};

extern const struct trace_def trace_defs[]; /* ends with tag NULL */

struct trace_type {
	const struct trace_def *def;
	struct rec_col *start, *dur, *pid, *tid, *dev, *ctx, *stream, *src,
	    *iter, *api, *api_start, *api_dur;
	struct rec_col *named; /* NULL: it has no column with the name */
	/* of some types only */
	struct rec_col *mode, *bytes, *what, *kind;
	struct join_col *arg[TRACE_ARGS];
	const char *arg_name[TRACE_ARGS];
	int narg;
	char *arg_text; /* the names' memory */
};

struct trace_item { /* a record with what all of them have */
	struct rec *r;
	const struct trace_type *t;
	struct owner owner;
	int64_t start, dur; /* ns */
	bool has_dur;       /* and it is not negative */
	bool hidden;        /* only the memory counters need to know of it */
};

struct trace_shown { /* show_init() */
	struct trace_events events;
	struct trace_rows rows;
	struct join join;
	uint64_t next_flow, next_async;
	struct smap live; /* bytes by process, device and kind of memory */
	struct buf name, key;
};

/* Binds the columns of a type. */
void show_bind(struct trace_shown *s, struct trace_type *t,
    const struct trace_def *def, struct rec_type *type);

void show_init(struct trace_shown *s, struct rec_reader *rd);
void show_free(struct trace_shown *s);
void show_section(struct trace_shown *s); /* begins: nothing is allocated */

/* The events of one record. */
void show_item(struct trace_shown *s, const struct trace_item *it);

#endif
