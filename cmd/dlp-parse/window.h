/*
 * GPU work that was read before its call came by, found by (process,
 * correlation id). It is as large as the GPU lags behind the CPU, some
 * thousand launches. Past a limit only the keys are kept, and the rows are
 * read again when they are due.
 */
#ifndef DLP_PARSE_WINDOW_H
#define DLP_PARSE_WINDOW_H

#include <stddef.h>

#include "event.h"

struct cursor;

struct window {
	struct win_ent *ent;
	uint32_t nent, cap_ent, free_ent;
	uint32_t *bucket;
	uint32_t nbucket, live;
	struct event *ev;
	uint32_t nev, cap_ev, free_ev;
	uint32_t *ev_next;
	uint64_t spilled;
};

void window_put(struct window *w, struct cursor *c, int64_t pid, int64_t corr,
    const struct event *ev);

/* Takes one activity with this key out (the kinds and rows in any order);
 * false if there is none. */
bool window_take(struct window *w, struct cursor *all, int64_t pid,
    int64_t corr, struct event *ev);

/* How many of a kind wait under this key. */
uint64_t window_count(
    const struct window *w, int64_t pid, int64_t corr, enum ev_kind kind);

/* Takes any one out; false if it is empty. */
bool window_any(struct window *w, struct cursor *all, struct event *ev);

void window_free(struct window *w);

#endif
