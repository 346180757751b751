/* Events as records of dlp-records(5), on standard output. */
#ifndef DLP_PARSE_EMIT_H
#define DLP_PARSE_EMIT_H

#include "event.h"
#include "run.h"

void emit_open(bool with_src);

/* Writes a str record; its id, from 1. */
uint32_t emit_str(const char *s, size_t n);

/* Anything but calls and GPU work. */
void emit_event(struct profile *p, const struct event *ev);

void emit_call(struct profile *p, const struct event *ev, uint64_t n_gpu);

/* call NULL: none is known. own: the call has a record of its own. */
void emit_gpu(struct profile *p, const struct event *ev,
    const struct event *call, bool own);

void emit_notes(void);

/* emit_gpu.c */
struct out_type *emit_type(enum ev_kind kind);
void emit_src(const struct profile *p);
void emit_name(struct profile *p, const struct event *ev);
void emit_head(enum ev_kind kind, const struct event *ev, bool with_dur);
void emit_dur(int64_t start, int64_t end);
void emit_num(int64_t v);      /* unset if EV_UNSET */
void emit_word(const char *s); /* unset if NULL; needs no escape */

/* The kind of a synchronization by the name of its call; NULL: not told. */
const char *sync_by_call(const char *api);

#endif
