/* See lines.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "lines.h"
#include "magic.h"
#include "out.h"

#define PIECE 65536

void
lines_fd(struct lines *l, const char *name, int fd)
{
	struct stat st;

	memset(l, 0, sizeof(*l));
	l->name = name;
	l->fd = fd;
	if (l->fd < 0 || fstat(l->fd, &st) != 0)
		die_errno("%s: cannot open", l->name);
	if (S_ISDIR(st.st_mode))
		die("%s: is a directory", l->name);
}

void
lines_open(struct lines *l, const char *path)
{
	if (path == NULL || strcmp(path, "-") == 0)
		lines_fd(l, "standard input", STDIN_FILENO);
	else
		lines_fd(l, path, open(path, O_RDONLY | O_CLOEXEC));
}

/* Reads more; false at the end. */
static bool
more(struct lines *l)
{
	struct buf b = { 0 };
	const char *tool;
	ssize_t r;

	if (l->eof)
		return false;
	if (l->pos > 0) {
		l->text.len -= l->pos;
		memmove(l->text.s, l->text.s + l->pos, l->text.len);
		l->pos = 0;
	}
	buf_reserve(&l->text, PIECE);
	do
		r = read(l->fd, l->text.s + l->text.len, PIECE);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		die_errno("%s: cannot read", l->name);
	l->text.len += (size_t)r;
	out_read((uint64_t)r);
	l->eof = r == 0;
	tool = l->no == 0 && l->text.len == (size_t)r
		   ? magic_tool(l->text.s, l->text.len)
		   : NULL;
	if (tool != NULL) {
		magic_word(&b, l->name);
		die("%s: %s-compressed: unpack it first, as by %s -dc %s",
		    l->name, tool, tool,
		    l->fd == STDIN_FILENO ? "FILE" : buf_str(&b));
	}
	return r > 0;
}

bool
lines_next(struct lines *l, const char **s, size_t *n)
{
	size_t done = 0;
	const char *e = NULL;

	for (;;) {
		size_t have = l->text.len - l->pos;

		if (have > done)
			e = memchr(
			    l->text.s + l->pos + done, '\n', have - done);
		if (e != NULL)
			break;
		done = have;
		if (!more(l))
			break;
	}
	if (e == NULL && l->text.len == l->pos)
		return false;
	*s = l->text.s + l->pos;
	*n = e != NULL ? (size_t)(e - *s) : l->text.len - l->pos;
	l->pos += *n + (e != NULL);
	*n -= *n > 0 && (*s)[*n - 1] == '\r';
	l->no++;
	return true;
}

bool
lines_all(struct buf *b, const char *path)
{
	FILE *f = fopen(path, "r");
	char part[65536];
	size_t n;

	if (f == NULL)
		return false;
	buf_clear(b);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_put(b, part, n);
	if (ferror(f))
		die_errno("%s", path);
	fclose(f);
	return true;
}

void
lines_close(struct lines *l)
{
	if (l->fd != STDIN_FILENO)
		close(l->fd);
	buf_free(&l->text);
}
