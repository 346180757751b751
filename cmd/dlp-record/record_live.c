/*
 * --live: a process beside the command that reads the spool while it grows, and
 * writes what has happened as sections of a stream.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert.h"
#include "err.h"
#include "record.h"

struct live {
	const char *folder, *parse;
	struct buf db;
	bool deaf; /* nobody reads any more */
};

/* dlp-parse writes the section. */
static void
put_section(struct live *l)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/* its remarks are about a profile, not a part of one */
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(EXIT_TROUBLE);
		execl(l->parse, "dlp-parse", buf_str(&l->db), (char *)NULL);
		_exit(EXIT_TROUBLE);
	}
	if (pid < 0)
		die_errno("fork");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die_errno("wait");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
		l->deaf = true;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		die("%s failed", l->parse);
	(void)unlink(buf_str(&l->db));
}

/* A step each `flush`, and the last one when the pipe is closed. */
static void
run_live(struct live *l, int fd, int64_t flush)
{
	struct pollfd p = { fd, POLLIN, 0 };
	struct conv *c = conv_live_begin();
	int64_t lag = flush + flush / 2 + 200000000;
	bool last = false;

	while (!last && !l->deaf) {
		last = poll(&p, 1, (int)(flush / 1000000)) > 0;
		if (conv_live_step(c, l->folder, buf_str(&l->db), lag, last))
			put_section(l);
	}
	conv_live_end(c, l->folder);
}

pid_t
record_live(const struct record *r, const char *folder, int *end)
{
	struct live l = { .folder = folder };
	int fd[2];
	pid_t pid;

	if (pipe(fd) != 0)
		die_errno("pipe");
	pid = fork();
	if (pid < 0)
		die_errno("fork");
	if (pid > 0) {
		close(fd[0]);
		*end = fd[1];
		return pid;
	}
	close(fd[1]);
	/* it ends with the command */
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	l.parse = record_command("dlp-parse");
	buf_printf(&l.db, "%s/live.sqlite", folder);
	run_live(&l, fd[0], r->flush);
	exit(EXIT_OK);
}
