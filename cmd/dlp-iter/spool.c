/* The spool: two tapes, one of the items and one of their lines. */
#include "spool.h"

#include <string.h>

#include "err.h"
#include "tape.h"
#include "varint.h"

struct spool {
	struct tape items, lines;
	struct iter_item last; /* the one that was written, or read */
};

struct spool *
spool_new(void)
{
	struct spool *s = xcalloc(1, sizeof(*s));

	s->items = s->lines = TAPE_NEW;
	return s;
}

/*
 * An item takes some ten bytes, because its times are written as distances to
 * each other and to the item before. First come the kind of item and these,
 * rare ones with the highest bits.
 */
enum {
	HAS_T = 0x10,
	HAS_NOW = 0x20,
	HAS_GPU = 0x40,
	NEW_LANE = 0x80, /* file and thread are not those of the item before */
	HAS_ITER = 0x100,
	IS_MARKED = 0x200,
	IS_CARRIED = 0x400,
};
#define KIND 0x0f
_Static_assert(IT_RANGEKERN <= KIND, "kinds of items");

#define MOST (10 * VARINT_MAX) /* bytes of an item */

/* A number at p, written or read the same way, as the distance from another
 * one, which wraps around. */
static inline char *
pack(char *p, bool write, int64_t *v, int64_t near)
{
	uint64_t u = (uint64_t)*v - (uint64_t)near;

	if (write)
		return varint_put(p, varint_fold((int64_t)u));
	p += varint_get(p, &u) - p;
	*v = (int64_t)((uint64_t)near + (uint64_t)varint_unfold(u));
	return p;
}

static inline char *
pack_u32(char *p, bool write, uint32_t *v)
{
	uint64_t u = *v;

	if (write)
		return varint_put(p, u);
	p += varint_get(p, &u) - p;
	*v = (uint32_t)u;
	return p;
}

/* Returns the end of the item. m is changed if it is read; last becomes the
 * item before the next one. Inline, because each record takes this way twice.
 */
static inline __attribute__((always_inline)) char *
pack_item(char *p, bool write, struct iter_item *m, struct iter_item *last)
{
	int64_t near = last->t;
	uint32_t flags =
	    m->kind | (m->t != NO_TIME ? HAS_T : 0) |
	    (m->now != NO_TIME ? HAS_NOW : 0) | (m->has_gpu ? HAS_GPU : 0) |
	    (m->src != last->src || m->lane != last->lane ? NEW_LANE : 0) |
	    (m->iter_off != m->len ? HAS_ITER : 0) |
	    (m->marked > 0      ? IS_MARKED
		: m->marked < 0 ? IS_CARRIED
				: 0);

	p = pack_u32(p, write, &flags);
	p = pack_u32(p, write, &m->len);
	if (!write)
		*m = (struct iter_item){ .kind = flags & KIND,
			.len = m->len,
			.iter_off = m->len,
			.src = last->src,
			.lane = last->lane,
			.has_gpu = flags & HAS_GPU,
			.marked = (int8_t)(!!(flags & IS_MARKED) -
					   !!(flags & IS_CARRIED)),
			.t = NO_TIME,
			.now = NO_TIME };
	if (flags & HAS_ITER) {
		p = pack_u32(p, write, &m->iter_off);
		p = pack_u32(p, write, &m->iter_len);
	}
	if (flags & NEW_LANE) {
		p = pack_u32(p, write, &m->src);
		p = pack_u32(p, write, &m->lane);
		last->src = m->src;
		last->lane = m->lane;
	}
	if (flags & HAS_T) {
		p = pack(p, write, &m->t, near);
		near = last->t = m->t;
	}
	if (flags & HAS_NOW) {
		p = pack(p, write, &m->now, near);
		near = m->now;
	}
	if (flags & HAS_GPU) {
		p = pack(p, write, &m->lo, near);
		p = pack(p, write, &m->hi, m->lo);
	}
	return p;
}

void
spool_put(struct spool *s, const struct iter_item *m, const char *line)
{
	char bytes[MOST];
	struct iter_item x = *m;
	const char *end = pack_item(bytes, true, &x, &s->last);

	tape_put(&s->items, bytes, (size_t)(end - bytes));
	tape_put(&s->lines, line, m->len);
}

void
spool_play(struct spool *s, bool look,
    void (*fn)(void *ctx, const struct iter_item *m, const char *line),
    void *ctx)
{
	const char *line = NULL;
	struct iter_item m;
	size_t n;
	char *p;

	tape_rewind(&s->items);
	tape_rewind(&s->lines);
	memset(&s->last, 0, sizeof(s->last));
	for (;;) {
		p = tape_at(&s->items, MOST, &n);
		if (n == 0)
			break;
		m = s->last;
		n = (size_t)(pack_item(p, false, &m, &s->last) - p);
		tape_skip(&s->items, n);
		if (!look) {
			line = tape_at(&s->lines, m.len, &n);
			tape_skip(&s->lines, m.len);
		}
		fn(ctx, &m, line);
	}
	if (look)
		return;
	tape_free(&s->items);
	tape_free(&s->lines);
	memset(&s->last, 0, sizeof(s->last));
}
