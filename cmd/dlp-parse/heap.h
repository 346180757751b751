/* Events kept back until their turn. */
#ifndef DLP_PARSE_HEAP_H
#define DLP_PARSE_HEAP_H

#include <stdbool.h>
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

bool event_before(const struct event *a, const struct event *b);
void heap_put(struct heap *h, const struct event *ev);
/* Takes the first out; it is valid until the next heap_put. */
struct held *heap_take(struct heap *h);
void heap_free(struct heap *h);

#endif
