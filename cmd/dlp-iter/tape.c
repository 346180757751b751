/* See tape.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "tape.h"
#include "temp.h"

#define AT_ONCE ((size_t)1024 * 1024) /* bytes that are read */

static void
trouble(void)
{
	die_errno("temporary file (see TMPDIR)");
}

void
tape_full(struct tape *t)
{
	const char *p = t->b.s;
	size_t left = t->b.len;

	if (t->fd < 0)
		t->fd = temp_fd();
	while (left > 0) {
		ssize_t n = write(t->fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			trouble();
		p += n;
		left -= (size_t)n;
	}
	t->size += t->b.len;
	buf_clear(&t->b);
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
		trouble();
}

/* What was not read yet moves to the front, more comes behind it. */
static void
more(struct tape *t, size_t want)
{
	size_t room = want > AT_ONCE ? want : AT_ONCE;
	ssize_t n;

	memmove(t->b.s, t->b.s + t->pos, t->b.len - t->pos);
	t->b.len -= t->pos;
	t->pos = 0;
	buf_reserve(&t->b, room - t->b.len);
	while (t->b.len < want && t->left > 0) {
		n = read(t->fd, t->b.s + t->b.len, room - t->b.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			trouble();
		t->b.len += (size_t)n;
		t->left -= (size_t)n;
	}
}

const char *
tape_at(struct tape *t, size_t want, size_t *n)
{
	if (t->b.len - t->pos < want && t->left > 0)
		more(t, want);
	*n = t->b.len - t->pos;
	return t->b.s + t->pos;
}

void
tape_free(struct tape *t)
{
	buf_free(&t->b);
	if (t->fd >= 0)
		close(t->fd);
	*t = (struct tape)TAPE_NEW;
}
