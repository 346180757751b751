/* See whole.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "whole.h"

static void
fail(const char *path, const char *tmp)
{
	int e = errno;

	if (tmp != NULL)
		(void)unlink(tmp);
	errno = e;
	die_errno("%s", path);
}

static int
write_all(int fd, const char *s, size_t n)
{
	ssize_t k;

	while (n > 0) {
		k = write(fd, s, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		s += k;
		n -= (size_t)k;
	}
	return fsync(fd);
}

void
whole_write(const char *path, const char *s, size_t n)
{
	mode_t mask = umask(0);
	struct buf name = { 0 };
	char *tmp;
	int fd;

	(void)umask(mask);
	buf_puts(&name, path);
	buf_puts(&name, ".XXXXXX");
	tmp = xmemdup(name.s, name.len);
	fd = mkstemp(tmp);
	if (fd < 0)
		fail(path, NULL);
	if (fchmod(fd, 0666 & ~mask) != 0 || write_all(fd, s, n) != 0 ||
	    close(fd) != 0 || rename(tmp, path) != 0)
		fail(path, tmp);
	free(tmp);
	buf_free(&name);
}
