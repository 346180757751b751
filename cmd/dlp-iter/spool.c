/* The spool: items that wait until the key is known. A small section stays
 * in memory; the file has no name, so nothing is left behind. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "spool.h"
#include "temp.h"

#define IN_MEMORY (8 * 1024 * 1024)

static void
write_out(struct spool *s)
{
	const char *p = s->b.s;
	size_t left = s->b.len;

	if (s->fd < 0)
		s->fd = temp_fd();
	while (left > 0) {
		ssize_t n = write(s->fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die_errno("temporary file (see TMPDIR)");
		p += n;
		left -= (size_t)n;
	}
	s->size += s->b.len;
	buf_clear(&s->b);
}

void
spool_put(struct spool *s, const struct item *m, const char *line)
{
	buf_put(&s->b, (const char *)m, sizeof(*m));
	buf_put(&s->b, line, m->len);
	if (s->b.len >= IN_MEMORY)
		write_out(s);
}

/* Makes at least `want` bytes at *pos available; the rest moves to the front
 * of the buffer. */
static void
more(struct spool *s, size_t *pos, size_t want)
{
	size_t room = IN_MEMORY;
	ssize_t n;

	memmove(s->b.s, s->b.s + *pos, s->b.len - *pos);
	s->b.len -= *pos;
	*pos = 0;
	if (room < want)
		room = want;
	buf_reserve(&s->b, room - s->b.len);
	while (s->b.len < want) {
		n = read(s->fd, s->b.s + s->b.len, room - s->b.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die_errno("temporary file (see TMPDIR)");
		s->b.len += (size_t)n;
		s->size -= (size_t)n;
	}
}

void
spool_look(struct spool *s,
    void (*fn)(void *ctx, const struct item *m, const char *line), void *ctx)
{
	uint64_t size;
	struct item m;
	size_t pos = 0;

	if (s->fd >= 0) {
		write_out(s);
		if (lseek(s->fd, 0, SEEK_SET) != 0)
			die_errno("temporary file (see TMPDIR)");
	}
	size = s->size;
	while (pos < s->b.len || s->size > 0) {
		if (s->b.len - pos < sizeof(m))
			more(s, &pos, sizeof(m));
		memcpy(&m, s->b.s + pos, sizeof(m));
		if (s->b.len - pos < sizeof(m) + m.len)
			more(s, &pos, sizeof(m) + m.len);
		fn(ctx, &m, s->b.s + pos + sizeof(m));
		pos += sizeof(m) + m.len;
	}
	s->size = size;
	if (s->fd >= 0)
		buf_clear(&s->b);
}

void
spool_play(struct spool *s,
    void (*fn)(void *ctx, const struct item *m, const char *line), void *ctx)
{
	spool_look(s, fn, ctx);
	buf_free(&s->b);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->size = 0;
}
