/* Events as records of dlp-records(5), on standard output. */
#ifndef DLP_PARSE_EMIT_H
#define DLP_PARSE_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

struct profile;

/* Records name their file, their rank. */
void emit_open(bool with_src, bool with_rank);

/* Whether the str records of kernels have their other names too. */
extern bool emit_kernel_names;

/* Writes a str record; its id, from 1. base, mangled: NULL if unset. */
uint32_t emit_str(
    const char *s, size_t n, const char *base, const char *mangled);

/* Anything but calls and GPU work. */
void emit_event(struct profile *p, const struct event *ev);

void emit_call(struct profile *p, const struct event *ev, uint64_t n_gpu);

void emit_notes(void);

/* Parts of records, for those of other files. */
bool emit_with_src(void);               /* whether they name their file */
void emit_src(const struct profile *p); /* and the rank */
void emit_name(struct profile *p, const struct event *ev);
void emit_head(enum ev_kind kind, const struct event *ev, bool with_dur);
void emit_dur(int64_t start, int64_t end);

#endif
