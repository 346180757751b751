/*
 * --power: starts the process beside the command that samples the energy of the
 * GPUs: see lib/inj_power.c.
 */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "err.h"
#include "record.h"
#include "rspool.h"

static void
become_sampler(const char *folder, int end)
{
	static const int ignored[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	struct buf path = { 0 };
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	/* the list of libraries is separated by blanks and colons */
	buf_printf(&path, "/proc/self/fd/%d",
	    open(record_lib("dlp-record.so"), O_RDONLY));
	setenv("LD_PRELOAD", buf_str(&path), 1);
	setenv(RSPOOL_POWER_ENV, "1", 1);
	buf_clear(&path);
	buf_printf(&path, "%s/" RSPOOL_POWER, folder);
	if (freopen(buf_str(&path), "w", stdout) == NULL)
		warn("--power: %s: %s", buf_str(&path), strerror(errno));
	else if (dup2(end, STDIN_FILENO) == STDIN_FILENO)
		execl("/bin/sh", "sh", "-c", "", (char *)NULL);
	_exit(EXIT_TROUBLE);
}

pid_t
record_power(const char *folder, int *end)
{
	int fd[2];
	pid_t pid;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0)
		die_errno("socketpair");
	pid = fork();
	if (pid < 0)
		die_errno("fork");
	if (pid == 0)
		become_sampler(folder, fd[0]);
	close(fd[0]);
	if (read(fd[1], &c, 1) != 1)
		warn("--power: /bin/sh does not load dlp-record.so, so energy "
		     "is not recorded");
	/* the first sample precedes the command */
	else if (read(fd[1], &c, 1) < 0)
		die_errno("--power");
	*end = fd[1];
	return pid;
}
