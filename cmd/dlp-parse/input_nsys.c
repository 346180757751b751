/*
 * Reports of Nsight Systems (.nsys-rep, .qdrep): their format is private to
 * nsys, so nsys has to export them. It is run directly, never by a shell;
 * what it says goes to a file, of which the last line is shown if it fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "magic.h"
#include "err.h"
#include "input_nsys.h"
#include "input_tmp.h"

/* In the child: becomes nsys, or reports errno through the pipe. */
static void
become_nsys(const char *path, const char *out, int report)
{
	const char *argv[] = { "nsys", "export", "--type", "sqlite",
		"--force-overwrite", "true", "-o", out, path, NULL };
	int log, null, e;

	log = open(tmp_log(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (log >= 0 && null >= 0 && dup2(null, 0) >= 0 && dup2(log, 1) >= 0 &&
	    dup2(log, 2) >= 0)
		execvp("nsys", (char *const *)(uintptr_t)argv);
	e = errno;
	if (write(report, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

/* The errno with which exec failed, or 0 once it succeeded. */
static int
exec_errno(int fd)
{
	int e = 0;
	ssize_t n;

	do
		n = read(fd, &e, sizeof(e));
	while (n < 0 && errno == EINTR);
	close(fd);
	return n == (ssize_t)sizeof(e) ? e : 0;
}

static void
last_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "r");
	char s[512];

	line[0] = '\0';
	if (f == NULL)
		return;
	while (fgets(s, sizeof(s), f) != NULL) {
		s[strcspn(s, "\r\n")] = '\0';
		if (s[0] != '\0')
			snprintf(line, size, "%s", s);
	}
	fclose(f);
}

static void
no_nsys(const char *path, int e)
{
	struct buf b = { 0 };

	if (e == ENOENT || e == ENOTDIR) {
		magic_word(&b, path);
		die("%s: a report that only nsys can read, and nsys is not on"
		    " PATH; where it is, run: nsys export --type sqlite %s",
		    path, buf_str(&b));
	}
	errno = e;
	die_errno("%s: cannot run nsys", path);
}

const char *
nsys_export(const char *path)
{
	const char *out = tmp_make();
	char said[512];
	struct buf name = { NULL, 0, 0 };
	int p[2], status, e;
	pid_t pid;

	if (path[0] == '-')
		buf_puts(&name, "./");
	buf_puts(&name, path);
	buf_putc(&name, '\0');
	if (pipe(p) != 0 || fcntl(p[1], F_SETFD, FD_CLOEXEC) != 0 ||
	    (pid = fork()) < 0)
		die_errno("%s: cannot run nsys", path);
	if (pid == 0) {
		close(p[0]);
		become_nsys(name.s, out, p[1]);
	}
	close(p[1]);
	e = exec_errno(p[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (e != 0)
		no_nsys(path, e);
	last_line(tmp_log(), said, sizeof(said));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
	    access(out, R_OK) != 0)
		die("%s: nsys export failed: %s", path,
		    said[0] != '\0' ? said : "it said nothing");
	buf_free(&name);
	return out;
}
