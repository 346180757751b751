/* A table made ahead; see ahead.h. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ahead.h"
#include "err.h"
#include "out.h"
#include "temp.h"

#define PIECE ((size_t)64 << 10)
#define WATCH 1 /* seconds */

static pid_t parent, child;

/* In the child: nobody waits for it once a signal has ended the parent. */
static void
watch(int sig)
{
	(void)sig;
	if (getppid() != parent)
		_exit(EXIT_TROUBLE);
	alarm(WATCH);
}

/* In the parent, at its exit. */
static void
stop(void)
{
	if (child > 0)
		kill(child, SIGKILL);
}

static void
begin(const struct ahead *a)
{
	struct sigaction sa = { .sa_handler = watch, .sa_flags = SA_RESTART };

	child = 0;
	sigaction(SIGALRM, &sa, NULL);
	alarm(WATCH);
	if (dup2(a->fd, STDOUT_FILENO) < 0)
		die_errno("temporary file");
}

bool
ahead_fork(struct ahead *a)
{
	out_flush();
	if (parent == 0)
		atexit(stop);
	parent = getpid();
	a->fd = temp_fd();
	a->pid = fork();
	child = a->pid;
	if (a->pid == 0)
		begin(a);
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
		child = 0;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			exit(EXIT_TROUBLE);
		copy(a->fd);
	}
	close(a->fd);
	return made;
}
