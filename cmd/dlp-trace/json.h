/*
 * The events of a trace, one JSON object each, to standard output.
 *
 *	json_open();
 *	ev_begin('X', "kernel", name, nname, at, start_ns);
 *	ev_dur(ns);  ev_arg("op", v, n);
 *	ev_end();
 *	json_close(): the end of the array; the caller writes what follows
 */
#ifndef TRACE_JSON_H
#define TRACE_JSON_H

#include <stddef.h>
#include <stdint.h>

struct place { /* a row of the viewer */
	int64_t pid, tid;
};

void json_open(void);
void json_close(void);

/* The string of a value as records hold it (escaped), what is no UTF-8
 * replaced. */
void json_value(const char *raw, size_t n);

/* ph: the kind of the event, as the format names it. name: as in records. */
void ev_begin(char ph, const char *cat, const char *name, size_t n,
    const struct place *at, int64_t ns);

/* Fields of the event, before its arguments. */
void ev_dur(int64_t ns);
void ev_field(const char *name, const char *json); /* json: as it stands */
void ev_id(uint64_t id);

/* An argument: a number if it is one that doubles hold, else a string;
 * nothing if it is unset (v NULL). */
void ev_arg(const char *name, const char *v, size_t n);
void ev_arg_i64(const char *name, int64_t v);
void ev_end(void);

/* Names a process (what "process") or a row of it ("thread"), and gives it
 * its place among the others. name: as in records. */
void ev_name(const char *what, const struct place *at, const char *name,
    size_t n, int sort);

#endif
