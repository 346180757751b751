/*
 * The spool: two tapes, one of the items and one of their lines. A tape is
 * bytes that are written in a row and read in the same order: a few of them in
 * memory, more in a nameless file in TMPDIR. It differs from the tables of
 * common/spill, which are mapped into memory. A full disk is fatal.
 */
#include "spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "spill.h"
#include "varint.h"

#define MEMORY ((size_t)8 << 20)  /* bytes of a tape in memory */
#define AT_ONCE ((size_t)1 << 20) /* bytes that are read from the file */

struct tape {
	struct buf b;
	int fd;        /* the file; -1: none yet */
	uint64_t size; /* bytes in the file */
	uint64_t left; /* bytes in it that were not read yet */
	size_t pos;    /* the bytes of b that were read */
	bool reading;
};

struct spool {
	struct tape items, lines;
	struct iter_item last; /* the one that was written, or read */
};

static void
fail_tape(void)
{
	die_errno("temporary file (see TMPDIR)");
}

/* Moves the bytes in memory to the end of the file. */
static void
tape_full(struct tape *t)
{
	const char *p = t->b.s;
	size_t left = t->b.len;
	ssize_t n;

	if (t->fd < 0)
		t->fd = temp_fd();
	for (; left > 0; p += n, left -= (size_t)n) {
		n = write(t->fd, p, left);
		if (n < 0 && errno != EINTR)
			fail_tape();
		n = n < 0 ? 0 : n;
	}
	t->size += t->b.len;
	buf_clear(&t->b);
}

static void
tape_put(struct tape *t, const char *s, size_t n)
{
	buf_put(&t->b, s, n);
	if (t->b.len >= MEMORY)
		tape_full(t);
}

/* Writing is over: reading begins at the start. It can be called again. */
static void
tape_rewind(struct tape *t)
{
	t->pos = 0;
	if (t->fd < 0)
		return;
	if (!t->reading)
		tape_full(t);
	t->reading = true;
	buf_clear(&t->b);
	t->left = t->size;
	if (lseek(t->fd, 0, SEEK_SET) != 0)
		fail_tape();
}

/* At least `want` of the bytes that were not read yet, or all of them; *n is
 * how many. They stay where they are until the next call. */
static char *
tape_at(struct tape *t, size_t want, size_t *n)
{
	size_t room = want > AT_ONCE ? want : AT_ONCE;
	ssize_t got;

	if (t->b.len - t->pos < want && t->left > 0) {
		memmove(t->b.s, t->b.s + t->pos, t->b.len - t->pos);
		t->b.len -= t->pos;
		t->pos = 0;
		buf_reserve(&t->b, room - t->b.len);
		while (t->b.len < want && t->left > 0) {
			got = read(t->fd, t->b.s + t->b.len, room - t->b.len);
			if (got < 0 && errno == EINTR)
				continue;
			if (got <= 0)
				fail_tape();
			t->b.len += (size_t)got;
			t->left -= (size_t)got;
		}
	}
	*n = t->b.len - t->pos;
	return t->b.s + t->pos;
}

/* The spool is new again. */
static void
spool_clear(struct spool *s)
{
	struct tape *const both[] = { &s->items, &s->lines };
	size_t i;

	for (i = 0; i < 2; i++) {
		buf_free(&both[i]->b);
		if (both[i]->fd >= 0)
			close(both[i]->fd);
		*both[i] = (struct tape){ .fd = -1 };
	}
	memset(&s->last, 0, sizeof(s->last));
}

struct spool *
spool_new(void)
{
	struct spool *s = xcalloc(1, sizeof(*s));

	s->items.fd = s->lines.fd = -1;
	return s;
}

void
spool_free(struct spool *s)
{
	spool_clear(s);
	free(s);
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
	    (m->iter_off != m->len ? HAS_ITER : 0);

	p = pack_u32(p, write, &flags);
	p = pack_u32(p, write, &m->len);
	if (!write)
		*m = (struct iter_item){ .kind = flags & KIND,
			.len = m->len,
			.iter_off = m->len,
			.src = last->src,
			.lane = last->lane,
			.has_gpu = flags & HAS_GPU,
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

static bool
next_item(struct spool *s, struct iter_item *m)
{
	size_t n;
	char *p = tape_at(&s->items, MOST, &n);

	if (n == 0)
		return false;
	*m = s->last;
	s->items.pos += (size_t)(pack_item(p, false, m, &s->last) - p);
	return true;
}

void
spool_look(struct spool *s, void (*fn)(void *ctx, const struct iter_item *m),
    void *ctx)
{
	struct iter_item m;

	tape_rewind(&s->items);
	memset(&s->last, 0, sizeof(s->last));
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

	tape_rewind(&s->items);
	tape_rewind(&s->lines);
	memset(&s->last, 0, sizeof(s->last));
	while (next_item(s, &m)) {
		line = tape_at(&s->lines, m.len, &n);
		s->lines.pos += m.len;
		fn(ctx, &m, line);
	}
	spool_clear(s);
}
