/*
 * Events that are kept back: in a heap until their turn in the order of the
 * stream comes, or in a window until the call that launched them comes.
 */
#ifndef DLP_PARSE_HELD_H
#define DLP_PARSE_HELD_H

#include <stddef.h>

#include "buf.h"
#include "event.h"

struct held { /* an event kept back, with its own copy of the text */
	struct event ev;
	struct buf text;
};

struct heap { /* of held events, the first in order on top */
	struct held **v;
	size_t n, cap;
	struct held **spare; /* nodes for reuse */
	size_t nspare, cap_spare;
};

/* The order of the stream. */
bool event_before(const struct event *a, const struct event *b);

void heap_put(struct heap *h, const struct event *ev);
/* Takes the first out; it is valid until the next heap_put. */
struct held *heap_take(struct heap *h);
void heap_free(struct heap *h);

/*
 * GPU work that was read before its call came by, found by (process,
 * correlation id). It is as large as the GPU lags behind the CPU, some
 * thousand launches. Past a limit only the keys are kept, and the rows are
 * read again when they are due.
 */
struct window {
	struct win_ent *ent;
	uint32_t nent, cap_ent, free_ent;
	uint32_t *bucket;
	uint32_t nbucket, live;
	struct event *ev;
	uint32_t nev, cap_ev, free_ev;
	uint32_t *ev_next;
	uint64_t spilled; /* events of which only the key was kept */
};

struct cursor;

void window_put(struct window *w, struct cursor *c, int64_t pid, int64_t corr,
    const struct event *ev);

/* Takes one activity with this key out (the kinds and rows in any order);
 * false if there is none. all: the profile's cursors. */
bool window_take(struct window *w, struct cursor *all, int64_t pid,
    int64_t corr, struct event *ev);

/* How many of a kind wait under this key. */
uint64_t window_count(
    const struct window *w, int64_t pid, int64_t corr, enum ev_kind kind);

/* Takes any one out; false if it is empty. */
bool window_any(struct window *w, struct cursor *all, struct event *ev);

void window_free(struct window *w);

#endif
