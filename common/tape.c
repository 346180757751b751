/* Bytes written in a row, and read again; see tape.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "out.h"
#include "spill.h"
#include "tape.h"

#define MEMORY ((size_t)8 << 20)  /* bytes of a tape in memory */
#define AT_ONCE ((size_t)1 << 20) /* bytes that are read from the file */

static void
fail_tape(void)
{
	die_errno("temporary file (see TMPDIR)");
}

/* Moves the bytes in memory to the end of the file. */
static void
tape_full(struct tape *t)
{
	if (t->fd < 0)
		t->fd = temp_fd();
	if (!write_all(t->fd, t->b.s, t->b.len))
		fail_tape();
	t->size += t->b.len;
	buf_clear(&t->b);
}

void
tape_put(struct tape *t, const char *s, size_t n)
{
	buf_put(&t->b, s, n);
	if (t->b.len >= MEMORY)
		tape_full(t);
}

void
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

char *
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

void
tape_skip(struct tape *t, size_t n)
{
	t->pos += n;
}

void
tape_free(struct tape *t)
{
	buf_free(&t->b);
	if (t->fd >= 0)
		close(t->fd);
	*t = TAPE_NEW;
}
