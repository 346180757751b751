/*
 * Events that are kept back: in a heap until their turn in the order of the
 * stream, or in a window until their call has been read.
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

/* True if a precedes b in the stream. */
bool event_before(const struct event *a, const struct event *b);

void heap_put(struct heap *h, const struct event *ev);
/* Takes out the first event; it is valid until the next heap_put. */
struct held *heap_take(struct heap *h);
void heap_free(struct heap *h);

/*
 * GPU work that was read before its call, found by (process, correlation id).
 * The window grows with the delay of the GPU behind the CPU, some thousand
 * launches. Above a limit only the keys are kept, and the rows are read again
 * when they are due.
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

/* Takes one activity with this key out of the window (kinds and rows in any
 * order); false if no activity has it. all: the profile's cursors. */
bool window_take(struct window *w, struct cursor *all, int64_t pid,
    int64_t corr, struct event *ev);

/* The number of activities of a kind under this key. */
uint64_t window_count(
    const struct window *w, int64_t pid, int64_t corr, enum ev_kind kind);

/* Takes out any activity; false if the window is empty. */
bool window_any(struct window *w, struct cursor *all, struct event *ev);

void window_free(struct window *w);

#endif
