/* The spool: two tapes, one of the items and one of their lines. */
#include "spool.h"

#include <stdlib.h>

#include "buf.h"
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

void
spool_free(struct spool *s)
{
	tape_free(&s->items);
	tape_free(&s->lines);
	free(s);
}

/*
 * An item takes some ten bytes, because its times are written as distances to
 * each other and to the item before.
 */

/* The first byte is the kind of item and these. */
enum {
	HAS_T = 0x10,
	HAS_NOW = 0x20,
	HAS_GPU = 0x40,
	SAME_LANE = 0x80, /* file and thread are those of the item before */
};
#define KIND 0x0f
_Static_assert(IT_RANGEKERN <= KIND, "kinds of items");

/* Bytes of an item: the first, and its numbers. */
#define MOST (1 + 9 * VARINT_MAX)

/* From one time to another: wraps around, and so does add_wrapped(). */
static int64_t
distance(int64_t to, int64_t from)
{
	return (int64_t)((uint64_t)to - (uint64_t)from);
}

static int64_t
add_wrapped(int64_t from, int64_t by)
{
	return (int64_t)((uint64_t)from + (uint64_t)by);
}

static char *
put_i64(char *p, int64_t v)
{
	return varint_put(p, varint_fold(v));
}

static char *
put_times(char *p, const struct iter_item *m, int64_t near)
{
	if (m->t != NO_TIME) {
		p = put_i64(p, distance(m->t, near));
		near = m->t;
	}
	if (m->now != NO_TIME) {
		p = put_i64(p, distance(m->now, near));
		near = m->now;
	}
	if (m->has_gpu) {
		p = put_i64(p, distance(m->lo, near));
		p = put_i64(p, distance(m->hi, m->lo));
	}
	return p;
}

void
spool_put(struct spool *s, const struct iter_item *m, const char *line)
{
	struct iter_item *last = &s->last;
	bool same = m->src == last->src && m->lane == last->lane;
	bool has_iter = m->iter_off != m->len;
	char head[MOST], *p = head;

	*p++ = (char)(m->kind | (m->t != NO_TIME ? HAS_T : 0) |
		      (m->now != NO_TIME ? HAS_NOW : 0) |
		      (m->has_gpu ? HAS_GPU : 0) | (same ? SAME_LANE : 0));
	p = varint_put(p, (uint64_t)m->len << 1 | has_iter);
	if (has_iter) {
		p = varint_put(p, m->iter_off);
		p = varint_put(p, m->iter_len);
	}
	if (!same) {
		p = varint_put(p, m->src);
		p = varint_put(p, m->lane);
	}
	p = put_times(p, m, last->t);
	tape_put(&s->items, head, (size_t)(p - head));
	tape_put(&s->lines, line, m->len);
	last->src = m->src;
	last->lane = m->lane;
	if (m->t != NO_TIME)
		last->t = m->t;
}

static const char *
get_u32(const char *p, uint32_t *v)
{
	uint64_t u;

	p = varint_get(p, &u);
	*v = (uint32_t)u;
	return p;
}

static const char *
get_time(const char *p, bool has, int64_t *near, int64_t *t)
{
	uint64_t u;

	*t = NO_TIME;
	if (!has)
		return p;
	p = varint_get(p, &u);
	*t = *near = add_wrapped(*near, varint_unfold(u));
	return p;
}

static const char *
get_times(const char *p, unsigned flags, struct iter_item *m, int64_t near)
{
	p = get_time(p, flags & HAS_T, &near, &m->t);
	p = get_time(p, flags & HAS_NOW, &near, &m->now);
	m->has_gpu = flags & HAS_GPU;
	p = get_time(p, m->has_gpu, &near, &m->lo);
	return get_time(p, m->has_gpu, &near, &m->hi);
}

/* Unpacks the item at p, given the one before; returns the end of the item. */
static const char *
get_item(const char *p, struct iter_item *m)
{
	unsigned flags = (unsigned char)*p++;
	int64_t near = m->t;
	uint64_t u;

	m->kind = flags & KIND;
	p = varint_get(p, &u);
	m->len = m->iter_off = (uint32_t)(u >> 1);
	m->iter_len = 0;
	if (u & 1) {
		p = get_u32(p, &m->iter_off);
		p = get_u32(p, &m->iter_len);
	}
	if (!(flags & SAME_LANE)) {
		p = get_u32(p, &m->src);
		p = get_u32(p, &m->lane);
	}
	p = get_times(p, flags, m, near);
	return p;
}

/* Reading begins. */
static void
rewind_all(struct spool *s)
{
	tape_rewind(&s->items);
	tape_rewind(&s->lines);
	memset(&s->last, 0, sizeof(s->last));
}

static bool
next_item(struct spool *s, struct iter_item *m)
{
	size_t n;
	const char *p = tape_at(&s->items, MOST, &n);

	if (n == 0)
		return false;
	*m = s->last;
	tape_skip(&s->items, (size_t)(get_item(p, m) - p));
	s->last.src = m->src;
	s->last.lane = m->lane;
	if (m->t != NO_TIME)
		s->last.t = m->t;
	return true;
}

void
spool_look(struct spool *s, void (*fn)(void *ctx, const struct iter_item *m),
    void *ctx)
{
	struct iter_item m;

	rewind_all(s);
	while (next_item(s, &m))
		fn(ctx, &m);
}

void
spool_play(struct spool *s,
    void (*fn)(void *ctx, const struct iter_item *m, const char *line),
    void *ctx)
{
	const char *line;
	struct iter_item m;
	size_t n;

	rewind_all(s);
	while (next_item(s, &m)) {
		line = tape_at(&s->lines, m.len, &n);
		tape_skip(&s->lines, m.len);
		fn(ctx, &m, line);
	}
	tape_free(&s->items);
	tape_free(&s->lines);
	memset(&s->last, 0, sizeof(s->last));
}
