/* Blocks in chunks; see store.h. */
#include "store.h"

#include <stdalign.h>
#include <stdint.h>

#include "err.h"
#include "spill.h"

#define FIRST ((size_t)1 << 16) /* bytes of the first chunk; the next are */
#define MOST ((size_t)1 << 22)  /* twice as large, up to this */

struct store_chunk {
	struct store_chunk *next;
	size_t len, cap;
	alignas(max_align_t) char s[];
};

/* Grows with what is there. */
static void
add_chunk(struct store *s, size_t n)
{
	size_t cap = s->chunk != NULL ? s->chunk->cap * 2 : FIRST;
	struct store_chunk *c;

	if (cap > MOST)
		cap = MOST;
	if (cap < n)
		cap = n;
	if (cap > SIZE_MAX - sizeof(*c))
		die("out of memory");
	c = spill_keep(sizeof(*c) + cap);
	c->next = s->chunk;
	c->len = 0;
	c->cap = cap;
	s->chunk = c;
}

char *
store_text(struct store *s, size_t n)
{
	struct store_chunk *c = s->chunk;

	spill_tick();
	if (c == NULL || c->cap - c->len < n) {
		add_chunk(s, n);
		c = s->chunk;
	}
	c->len += n;
	return c->s + c->len - n;
}

void *
store_alloc(struct store *s, size_t n)
{
	const size_t to = alignof(max_align_t);
	struct store_chunk *c = s->chunk;

	if (c != NULL && c->len % to != 0)
		c->len +=
		    c->cap - c->len < to ? c->cap - c->len : to - c->len % to;
	return store_text(s, n);
}

void
store_free(struct store *s)
{
	struct store_chunk *c, *next;

	for (c = s->chunk; c != NULL; c = next) {
		next = c->next;
		spill_free(c, 1, sizeof(*c) + c->cap);
	}
	s->chunk = NULL;
}
