/* A table made ahead; see ahead.h. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ahead.h"
#include "err.h"
#include "out.h"
#include "temp.h"

#define PIECE ((size_t)64 << 10)

bool
ahead_fork(struct ahead *a)
{
	out_flush();
	a->fd = temp_fd();
	a->pid = fork();
	if (a->pid == 0 && dup2(a->fd, STDOUT_FILENO) < 0)
		die_errno("temporary file");
	return a->pid == 0;
}

void
ahead_exit(void)
{
	out_flush();
	_exit(0);
}

static void
copy(int fd)
{
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) != 0)
		die_errno("temporary file");
	for (;;) {
		buf_reserve(&out_buf, PIECE);
		n = read(fd, out_buf.s + out_buf.len, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die_errno("temporary file");
		if (n == 0)
			return;
		out_buf.len += (size_t)n;
		out_check();
	}
}

bool
ahead_copy(struct ahead *a)
{
	bool made = a->pid > 0;
	int status;

	if (made) {
		while (waitpid(a->pid, &status, 0) < 0)
			if (errno != EINTR)
				die_errno("waiting for a child");
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			exit(EXIT_TROUBLE);
		copy(a->fd);
	}
	close(a->fd);
	return made;
}
