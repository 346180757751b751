/*
 * Runs the command with the library in its environment, waits for its end,
 * however it comes, and has the spool converted. Whatever goes wrong with the
 * recording, the command runs, and its exit status is ours.
 */
#define _XOPEN_SOURCE 700 /* setitimer() */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "convert.h"
#include "err.h"
#include "record.h"
#include "rspool.h"

struct run {
	const struct record *r;
	char *folder; /* of the spool; NULL: nothing is recorded */
	char *out;    /* the database; NULL: none */
	pid_t child;
	pid_t live; /* --live; 0: none */
	int live_end;
	pid_t power; /* --power; 0: none */
	int power_end;
};

/* The child, for the handler of signals. */
static volatile sig_atomic_t running;

static void
pass_on(int sig)
{
	int err = errno;

	if (running > 0)
		kill((pid_t)running, sig == SIGALRM ? SIGTERM : sig);
	errno = err;
}

/* The terminal sends SIGINT and SIGQUIT to the command, too. */
static void
set_signals(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sigemptyset(&sa.sa_mask);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGQUIT, &sa, NULL);
	sa.sa_handler = pass_on;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
}

/* NAME=value[:old value], or NAME=[old value:]value */
static void
add_path(const char *name, const char *value, bool before)
{
	const char *old = getenv(name);
	struct buf b = { 0 };

	if (old == NULL || *old == '\0')
		buf_puts(&b, value);
	else
		buf_printf(
		    &b, "%s:%s", before ? value : old, before ? old : value);
	setenv(name, buf_str(&b), 1);
	buf_free(&b);
}

static void
set_environment(const struct run *run)
{
	char *lib, *python, n[32];

	if (run->folder == NULL)
		return;
	lib = record_lib("dlp-record.so");
	setenv(RSPOOL_ENV, run->folder, 1);
	if (run->r->cuda) {
		setenv("CUDA_INJECTION64_PATH", lib, 1);
		/* for _exit() and exec, see lib/inj_end.c; a list with these
		 * separators */
		if (strpbrk(lib, " :") == NULL)
			add_path("LD_PRELOAD", lib, false);
	}
	if (run->r->nvtx)
		setenv("NVTX_INJECTION64_PATH", lib, 1);
	/* the packages of PyProf and DLProf; and our markers */
	python = record_lib("python");
	add_path("PYTHONPATH", python, true);
	free(python);
	free(lib);
	if (run->r->markers == NULL)
		return;
	snprintf(n, sizeof(n), "%lld", (long long)run->r->op_steps);
	setenv("DLP_MARKERS", run->r->markers, 1);
	setenv("DLP_MARKERS_STEPS", n, 1);
	if (run->r->arm)
		setenv("DLP_MARKERS_ARM", "1", 1);
}

struct pipes {
	int go[2];   /* the parent lets the child begin */
	int fail[2]; /* the child says that it could not; closed by exec */
};

static void
become_command(const struct run *run, char **argv, const struct pipes *p,
    const struct sigaction old[2])
{
	const char *file = run->r->program_out;
	int fd = -1, err;
	char c;

	sigaction(SIGINT, &old[0], NULL);
	sigaction(SIGQUIT, &old[1], NULL);
	set_environment(run);
	/* with --stream our output carries records only */
	if (file != NULL) {
		fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			die_errno("%s", file);
	} else if (run->r->stream || run->r->live)
		fd = STDERR_FILENO;
	if (fd >= 0 && dup2(fd, STDOUT_FILENO) < 0)
		die_errno("standard output");
	if (read(p->go[0], &c, 1) != 1)
		_exit(EXIT_TROUBLE);
	close(p->go[0]);
	execvp(argv[0], argv);
	err = errno;
	warn("%s: %s", argv[0], strerror(err));
	if (write(p->fail[1], &c, 1) != 1)
		_exit(EXIT_TROUBLE);
	_exit(err == ENOENT ? 127 : 126);
}

/* Starts the child, which waits until it may go: the name of the output file
 * can depend on its number. */
static void
start_child(struct run *run, char **argv, struct pipes *p)
{
	struct sigaction old[2];

	sigaction(SIGINT, NULL, &old[0]);
	sigaction(SIGQUIT, NULL, &old[1]);
	if (pipe(p->go) != 0 || pipe(p->fail) != 0 ||
	    fcntl(p->fail[1], F_SETFD, FD_CLOEXEC) != 0)
		die_errno("pipe");
	run->child = fork();
	if (run->child < 0)
		die_errno("fork");
	if (run->child == 0) {
		close(p->go[1]);
		close(p->fail[0]);
		become_command(run, argv, p, old);
	}
	running = run->child;
	set_signals();
	close(p->go[0]);
	close(p->fail[1]);
}

/* Lets the child go. False if there is no such command. */
static bool
let_go(const struct pipes *p)
{
	ssize_t n;
	char c = 0;

	if (write(p->go[1], &c, 1) != 1)
		return false;
	close(p->go[1]);
	do
		n = read(p->fail[0], &c, 1);
	while (n < 0 && errno == EINTR);
	close(p->fail[0]);
	return n == 0;
}

/* Without a place for the database the spool stays. */
static void
check_place(struct run *run)
{
	const char *slash;
	char *dir;
	int err;

	if (run->out == NULL || run->folder == NULL)
		return;
	slash = strrchr(run->out, '/');
	dir = slash != NULL ? xmemdup(run->out, (size_t)(slash - run->out) + 1)
			    : xstrdup(".");
	err = access(dir, W_OK | X_OK) != 0 ? errno : 0;
	free(dir);
	if (err == 0)
		return;
	warn("%s: %s: the recording will stay in %s (dlp-record --convert)",
	    run->out, strerror(err), run->folder);
	free(run->out);
	run->out = NULL;
}

static void
make_folder(struct run *run)
{
	const char *why;

	run->folder = record_folder(run->r->out, &why);
	if (run->folder == NULL)
		warn("no folder for the recording can be made: %s: the "
		     "command runs without being recorded",
		    why);
}

/* Without its session file the library does nothing. */
static void
make_session(struct run *run)
{
	struct timespec t;

	if (run->folder == NULL)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (record_session(run->r, run->folder, run->out,
		(int64_t)t.tv_sec * 1000000000 + t.tv_nsec)) {
		if (run->r->arm)
			warn("armed: dlp-record --trigger %ld, or --trigger %s",
			    (long)run->child, run->folder);
		return;
	}
	warn("%s: %s: the command runs without being recorded", run->folder,
	    strerror(errno));
	record_remove(run->folder);
	free(run->folder);
	run->folder = NULL;
}

int
record_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die_errno("wait");
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

bool
record_database(const char *folder, const char *to, bool force)
{
	pid_t pid = fork();

	if (pid == 0) {
		conv_run(folder, to, force);
		exit(EXIT_OK);
	}
	return pid > 0 && record_wait(pid) == 0;
}

/* dlp-parse makes the stream of a database, which is in temp meanwhile. */
static bool
stream(const struct record *r, const char *folder, const char *temp)
{
	struct buf db = { 0 };
	char *parse = record_command("dlp-parse");
	int status = EXIT_TROUBLE;
	pid_t pid;

	buf_printf(&db, "%s/stream.sqlite", temp);
	pid = record_database(folder, buf_str(&db), r->force) ? fork() : -1;
	if (pid == 0) {
		execl(parse, "dlp-parse", buf_str(&db), (char *)NULL);
		die_errno("%s", parse);
	}
	if (pid > 0)
		status = record_wait(pid);
	free(parse);
	buf_free(&db);
	/* the reader may have seen enough */
	return status == 0 || status == 128 + SIGPIPE;
}

int
record_convert(const struct record *r)
{
	const char *why;
	char *temp;
	bool ok;

	if (!r->stream) {
		conv_run(r->convert, r->out, r->force);
		return EXIT_OK;
	}
	temp = record_folder(NULL, &why);
	if (temp == NULL)
		die("no temporary folder can be made: %s", why);
	ok = stream(r, r->convert, temp);
	record_remove(temp);
	free(temp);
	return ok ? EXIT_OK : EXIT_TROUBLE;
}

/* False if the stream is not complete. */
static bool
end_beside(const struct run *run)
{
	if (run->power > 0) {
		close(run->power_end);
		(void)record_wait(run->power);
	}
	if (run->live == 0)
		return true;
	close(run->live_end);
	return record_wait(run->live) == 0;
}

static void
finish(const struct run *run)
{
	bool ok;

	if (run->folder == NULL)
		return;
	if (run->r->arm) { /* what was recorded has its files */
		(void)record_lock(run->folder);
		record_remove(run->folder);
		return;
	}
	ok = end_beside(run);
	if (run->r->stream)
		ok = stream(run->r, run->folder, run->folder) && ok;
	if (run->out != NULL)
		ok =
		    record_database(run->folder, run->out, run->r->force) && ok;
	if (!run->r->stream && !run->r->live && run->out == NULL)
		return; /* check_place() has said where it is */
	if (ok)
		record_remove(run->folder);
	else
		warn("the recording is in %s: dlp-record --convert %s -o FILE",
		    run->folder, run->folder);
}

/* The name of the output, if it does not depend on the child, or then. */
static void
name_out(struct run *run, bool with_child)
{
	const char *out = run->r->out;
	struct stat st;

	if (out == NULL || (strstr(out, "%p") != NULL) != with_child)
		return;
	run->out = record_out(out, (long)run->child, run->r->arm ? 0 : -1);
	if (!run->r->arm && stat(run->out, &st) == 0 && !run->r->force)
		die("%s exists already; --force writes over it", run->out);
}

int
record_run(const struct record *r, char **argv)
{
	struct run run = { .r = r };
	struct itimerval t = { { 0, 0 }, { 0, 0 } };
	int64_t ns = r->delay + r->duration;
	struct pipes p;
	bool ran;
	int status;

	name_out(&run, false);
	make_folder(&run);
	start_child(&run, argv, &p);
	name_out(&run, true);
	check_place(&run);
	make_session(&run);
	/* the process that is started last has the other one's pipe, too, and
	 * so it ends first */
	if (run.folder != NULL && r->live)
		run.live = record_live(r, run.folder, &run.live_end);
	if (run.folder != NULL && r->power)
		run.power = record_power(run.folder, &run.power_end);
	ran = let_go(&p);
	/* SIGALRM comes when the time is over, and is passed on as SIGTERM */
	t.it_value.tv_sec = ns / 1000000000;
	t.it_value.tv_usec = ns % 1000000000 / 1000;
	if (r->kill && setitimer(ITIMER_REAL, &t, NULL) != 0)
		die_errno("--kill");
	status = record_wait(run.child);
	running = 0;
	if (ran) {
		finish(&run);
	} else if (run.folder != NULL) {
		if (run.live > 0)
			kill(run.live, SIGKILL);
		(void)end_beside(&run);
		record_remove(run.folder);
	}
	free(run.out);
	free(run.folder);
	return status;
}
