/* The shared part of the command line; see cli.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "err.h"
#include "num.h"
#include "shipped.h"

void
cli_init(const char *name)
{
	int fd;

	err_prog(name);
	/* TMPDIR, PATH and the like are those of a caller with fewer rights */
	if (getuid() != geteuid() || getgid() != getegid())
		die("does not run setuid or setgid");
	/* A file opened later must not get a standard descriptor that the
	 * caller had closed. The descriptors are opened in the wrong direction,
	 * so that input and output still fail with EBADF when they are used. */
	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
	/* options may follow operands, whatever the environment says */
	unsetenv("POSIXLY_CORRECT");
	signal(SIGPIPE, SIG_DFL);
	/* a file that may not grow further is an error with a message */
	signal(SIGXFSZ, SIG_IGN);
}

const char *
cli_help(void)
{
	const char *name = err_prog_name();
	const struct shipped *f = usage_files;
	size_t n = strlen(name);

	for (; f->name != NULL; f++)
		if (strncmp(f->name, name, n) == 0 &&
		    strcmp(f->name + n, ".usage") == 0)
			return f->text;
	die("no usage was compiled in");
}

void
cli_usage(void)
{
	const char *usage = cli_help();

	fprintf(stderr, "%.*s\n", (int)strcspn(usage, "\n"), usage);
	exit(EXIT_TROUBLE);
}

const char *
cli_operand(int argc, char **argv)
{
	if (argc - optind > 1)
		cli_usage();
	if (argc - optind == 1)
		return argv[optind];
	if (isatty(STDIN_FILENO))
		cli_usage();
	return NULL;
}

int64_t
cli_i64(const char *opt, const char *arg, int64_t min, int64_t max)
{
	int64_t v;

	if (!num_i64(arg, strlen(arg), &v) || v < min || v > max)
		die("%s: bad number '%s'", opt, arg);
	return v;
}

size_t
cli_size(const char *opt, const char *arg)
{
	static const char units[] = "KMG";
	size_t n = strlen(arg);
	const char *u = n > 1 ? strchr(units, arg[n - 1]) : NULL;
	int shift = u != NULL ? 10 * (int)(u - units + 1) : 0;
	uint64_t v;

	if (!num_u64(arg, n - (u != NULL), &v) || v > SIZE_MAX >> shift ||
	    v << shift < 4096)
		die("%s: bad size '%s'; it is such as 64M, and at least 4K",
		    opt, arg);
	return (size_t)(v << shift);
}

char **
cli_list(const char *arg, int *n)
{
	size_t len = strlen(arg), head;
	const char *s;
	char **v, *p;
	int i;

	*n = 1;
	for (s = arg; *s != '\0'; s++)
		*n += *s == ',';
	head = (size_t)*n * sizeof(*v);
	v = xmalloc(head + len + 1);
	p = memcpy((char *)v + head, arg, len + 1);
	for (i = 0; i < *n; i++) {
		v[i] = p;
		p += strcspn(p, ",");
		if (*p == ',')
			*p++ = '\0';
	}
	return v;
}
