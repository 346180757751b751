/*
 * The temporary folder of dlp-parse: made private, and removed in every way
 * a process can end short of SIGKILL.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "input_tmp.h"

/* Read by the signal handler: set completely before dir[0] is. */
static char dir[4096], file[4096 + 16], logfile[4096 + 16];
static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE };
static struct sigaction old[sizeof(signals) / sizeof(signals[0])];

#define NSIGNALS (int)(sizeof(signals) / sizeof(signals[0]))

static void
unlink_all(void)
{
	if (dir[0] == '\0')
		return;
	unlink(file);
	unlink(logfile);
	rmdir(dir);
	dir[0] = '\0';
}

static void
on_signal(int sig)
{
	unlink_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
catch_signals(void)
{
	struct sigaction sa;
	int i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < NSIGNALS; i++) {
		sigaction(signals[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
}

const char *
tmp_make(void)
{
	static bool registered;
	char path[sizeof(dir)];
	const char *base = getenv("TMPDIR");

	if (base == NULL || base[0] == '\0')
		base = "/tmp";
	if (strlen(base) > sizeof(path) - 32)
		die("TMPDIR: path too long");
	snprintf(path, sizeof(path), "%s/dlp-parse.XXXXXX", base);
	if (!registered && atexit(unlink_all) == 0)
		registered = true;
	if (mkdtemp(path) == NULL)
		die_errno("%s: cannot make a temporary folder", base);
	snprintf(file, sizeof(file), "%s/p.sqlite", path);
	snprintf(logfile, sizeof(logfile), "%s/log", path);
	memcpy(dir, path, sizeof(dir));
	catch_signals();
	return file;
}

const char *
tmp_log(void)
{
	return logfile;
}

void
tmp_remove(void)
{
	int i;

	if (dir[0] == '\0')
		return;
	unlink_all();
	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &old[i], NULL);
}
