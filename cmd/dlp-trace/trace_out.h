/*
 * The events of a timeline, as they are written: the JSON of Chrome, or the
 * packets of Perfetto.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "map.h"

struct trace_row { /* of the viewer */
	int64_t pid, tid;
};

struct trace_out { /* zeroed but for proto */
	bool proto;
	bool any;     /* an event stands before */
	bool in_args; /* of this one */
	/* packets: the event at hand */
	char ph;
	uint64_t track, flow; /* flow: of the next span; 0: none */
	int64_t start, dur;
	int64_t base;     /* added to all times */
	struct buf event; /* its TrackEvent, */
	struct buf words; /* the texts that are new in it, */
	struct buf b, text;
	struct buf packets; /* that are not written yet */
	/* and what was written before */
	struct smap iids;   /* texts, each after the number of its table */
	struct smap tracks; /* process, thread; a counter's name */
};

/* ph: the kind of the event, as JSON names it; B is a span without an end. name
 * and values are texts as records hold them. */
void ev_begin(struct trace_out *o, char ph, const char *cat, const char *name,
    size_t n, const struct trace_row *at, int64_t ns);
/* Fields of the event, before its arguments. */
void ev_dur(struct trace_out *o, int64_t ns);
void ev_id(struct trace_out *o, uint64_t id);
void ev_text(struct trace_out *o, const char *json); /* of JSON only */
void ev_arg_i64(struct trace_out *o, const char *name, int64_t v);
/* A number where the text is one that all readers hold, otherwise text. */
void ev_arg(struct trace_out *o, const char *name, const char *v, size_t n);
void ev_end(struct trace_out *o);

/* Names a process (thread false) or a row of it, and gives it its place among
 * the others. */
void ev_name(struct trace_out *o, bool thread, const struct trace_row *at,
    const struct buf *name, int sort);

/* After the events, where facts follow, and after those. */
void ev_facts(struct trace_out *o);
void ev_fact(struct trace_out *o, const char *name, size_t n, const char *v,
    size_t len, bool number);
void ev_close(struct trace_out *o);
