/*
 * --live: a process beside the command that reads the spool while it grows, and
 * writes what has happened as sections of a stream.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "convert.h"
#include "err.h"
#include "record.h"

struct live {
	const char *parse;
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
	status = record_wait(pid);
	l->deaf = status == 128 + SIGPIPE;
	if (status != 0 && !l->deaf)
		die("%s failed", l->parse);
	(void)unlink(buf_str(&l->db));
}

pid_t
record_live(const struct record *r, const char *folder, int *end)
{
	struct live l = { 0 };
	int64_t lag = r->flush + r->flush / 2 + 200000000;
	struct pollfd p = { .events = POLLIN };
	bool last = false;
	struct conv *c;
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
	c = conv_live_begin();
	p.fd = fd[0];
	/* a step each `flush`, and the last one when the pipe is closed */
	while (!last && !l.deaf) {
		last = poll(&p, 1, (int)(r->flush / 1000000)) > 0;
		if (conv_live_step(c, folder, buf_str(&l.db), lag, last))
			put_section(&l);
	}
	conv_live_end(c, folder);
	exit(EXIT_OK);
}
