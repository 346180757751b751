/*
 * --trigger: has the processes of a program that runs under --arm record some
 * steps. What is said in the folder of --arm:
 *
 *	armed.PID  a process that can record; it holds a lock on the file
 *	lock       held by the one who triggers; the number of recordings
 *	trigger    "N STEPS": recording N is wanted
 *	tN         its folder; in it the session, the spools, and
 *	tN/ready.PID, tN/first  a rank has seen the trigger; the step from which
 *				all of them record (dlp_markers.py)
 *	tN/on.PID, tN/done.PID  a process has begun, has ended
 *	tN/stop    recording N is to end
 */
#define _GNU_SOURCE /* fallocate(), flock() */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "err.h"
#include "num.h"
#include "record.h"
#include "rspool.h"

#define DEFAULT_STEPS 6
#define LOOK_US 10000
/* looks for which a process that has not begun is waited for when others have
 * ended, and in which one that is told to stop does so */
#define LATE_LOOKS 200

static volatile sig_atomic_t interrupted;

static void
interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* folder/name[NUMBER]; valid until the next call. */
static const char *
path_of(const char *folder, const char *name, int64_t no)
{
	static struct buf b;

	buf_clear(&b);
	buf_printf(&b, "%s/%s", folder, name);
	if (no >= 0)
		buf_i64(&b, no);
	return buf_str(&b);
}

/* A file's text, NUL-terminated; "" if there is none. *size has the NUL. */
static char *
text_of(const char *path, size_t *size)
{
	struct buf b = { 0 };
	char block[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
		buf_put(&b, block, (size_t)n);
	if (fd >= 0)
		close(fd);
	buf_putc(&b, '\0');
	*size = b.len;
	return b.s;
}

bool
record_write(const char *path, const char *s, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && write(fd, s, n) == (ssize_t)n;

	if (fd >= 0)
		ok = close(fd) == 0 && ok;
	return ok;
}

/* The folder in a process's environment; NULL if it has none. */
static char *
folder_of(const char *pid)
{
	static const char name[] = RSPOOL_ENV "=";
	struct buf path = { 0 };
	char *text, *s = NULL;
	size_t at, n;

	buf_printf(&path, "/proc/%s/environ", pid);
	text = text_of(buf_str(&path), &n);
	for (at = 0; at < n && s == NULL; at += strlen(text + at) + 1)
		if (strncmp(text + at, name, sizeof(name) - 1) == 0)
			s = xstrdup(text + at + sizeof(name) - 1);
	free(text);
	buf_free(&path);
	return s;
}

/* By the number of the program, or of dlp-record, whose child it is. */
static char *
find_folder(const char *arg)
{
	struct buf path = { 0 };
	char *folder, *children, *word, *at = NULL;
	int64_t pid;
	size_t n;

	if (!num_i64(arg, strlen(arg), &pid))
		return xstrdup(arg);
	if (pid <= 0 || access(path_of("/proc", "", pid), F_OK) != 0)
		die("there is no process %s", arg);
	folder = folder_of(arg);
	buf_printf(&path, "/proc/%s/task/%s/children", arg, arg);
	children = text_of(buf_str(&path), &n);
	for (word = strtok_r(children, " \n", &at);
	     word != NULL && folder == NULL; word = strtok_r(NULL, " \n", &at))
		folder = folder_of(word);
	free(children);
	buf_free(&path);
	if (folder == NULL)
		die("process %s does not run under dlp-record --arm, or is "
		    "another user's",
		    arg);
	return folder;
}

int
record_lock(const char *folder)
{
	int fd = open(
	    path_of(folder, "lock", -1), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	while (fd >= 0 && flock(fd, LOCK_EX) != 0)
		if (errno != EINTR || interrupted) {
			close(fd);
			return -1;
		}
	/* the program may have ended meanwhile */
	if (fd >= 0 && access(path_of(folder, RSPOOL_SESSION, -1), F_OK) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The value of a key in the session; the caller frees it. */
static char *
session_value(const char *session, const char *key)
{
	const char *s = session;
	size_t n = strlen(key);

	for (; s != NULL; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, key, n) == 0 && s[n] == '=')
			return xmemdup(s + n + 1, strcspn(s + n + 1, "\n"));
	}
	return NULL;
}

/* Its number; the one after that of the recording before, as the lock says. */
static long
next_number(int lock)
{
	char s[32] = "";
	ssize_t n = pread(lock, s, sizeof(s) - 1, 0);
	long no = strtol(n > 0 ? s : "", NULL, 10) + 1;
	int k = snprintf(s, sizeof(s), "%ld\n", no);

	if (pwrite(lock, s, (size_t)k, 0) != k)
		die_errno("the number of the recording");
	return no;
}

struct looks { /* what the processes are doing */
	int alive, begun, ended;
	int waits; /* alive, and not begun */
};

static bool
holds_lock(const char *path)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CLOEXEC);
	bool held =
	    fd >= 0 && fcntl(fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	return held;
}

static struct looks
look(const char *folder, const char *to)
{
	struct looks l = { 0 };
	struct dirent *e;
	DIR *d = opendir(folder);
	bool on, done, alive;
	int64_t pid;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "armed.", 6) != 0 ||
		    !num_i64(e->d_name + 6, strlen(e->d_name + 6), &pid))
			continue;
		alive = holds_lock(path_of(folder, "armed.", pid));
		on = access(path_of(to, "on.", pid), F_OK) == 0;
		done = access(path_of(to, "done.", pid), F_OK) == 0;
		l.alive += alive;
		l.begun += on;
		l.ended += on && (done || !alive);
		l.waits += alive && !on;
	}
	if (d != NULL)
		closedir(d);
	return l;
}

/* Until all processes that record have done so. False if none has. */
static bool
wait_for_steps(const char *folder, const char *to)
{
	int late = 0, stopped = 0;
	struct looks l;

	for (;;) {
		l = look(folder, to);
		if (l.alive == 0 || (l.begun > 0 && l.ended == l.begun &&
					(l.waits == 0 || stopped > 0)))
			return l.begun > 0;
		/* some have no steps, or none any more */
		late += l.begun > 0 && l.ended == l.begun;
		if (stopped == 0 && (late > LATE_LOOKS || interrupted))
			(void)record_write(path_of(to, "stop", -1), "", 0);
		stopped += stopped > 0 || late > LATE_LOOKS || interrupted;
		if (stopped > LATE_LOOKS)
			return l.begun > 0;
		usleep(LOOK_US);
	}
}

/* Threads of the program may still have mapped parts of the spools: their
 * blocks are given back, whatever becomes of the files. */
static void
remove_spools(const char *to)
{
	struct dirent *e;
	DIR *d = opendir(to);
	struct stat st;
	const char *path;
	int fd;

	while (d != NULL && (e = readdir(d)) != NULL) {
		path = path_of(to, e->d_name, -1);
		if (e->d_name[0] != 'p' || stat(path, &st) != 0)
			continue;
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 &&
		    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			st.st_size) == 0) {
			/* what cannot be freed goes with the last mapping */
		}
		if (fd >= 0)
			close(fd);
	}
	if (d != NULL)
		closedir(d);
	record_remove(to);
}

/* The database, of the first number whose file is not there yet. */
static bool
write_database(const char *to, const char *pattern, long no)
{
	char *out;
	bool ok;

	for (;; no++) {
		out = record_out(pattern, 0, no);
		if (access(out, F_OK) != 0)
			break;
		free(out);
	}
	ok = record_database(to, out, false);
	if (ok)
		puts(out);
	free(out);
	return ok;
}

int
record_trigger(const struct record *r)
{
	char *folder = find_folder(r->trigger), *session, *out, *to;
	int64_t steps = r->steps > 0 ? r->steps : DEFAULT_STEPS;
	struct sigaction sa = { .sa_handler = interrupt };
	struct buf line = { 0 }, temp = { 0 };
	bool ok = false, begun;
	int lock;
	size_t n;
	long no;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	lock = record_lock(folder);
	if (lock < 0)
		die("%s: no program runs under dlp-record --arm there", folder);
	session = text_of(path_of(folder, RSPOOL_SESSION, -1), &n);
	out = session_value(session, "out");
	if (out == NULL)
		die("%s: the program runs under dlp-record, but without --arm",
		    folder);
	no = next_number(lock);
	to = xstrdup(path_of(folder, "t", no));
	buf_printf(&line, "%ld %lld\n", no, (long long)steps);
	buf_puts(&temp, path_of(folder, "trigger.new", -1));
	if (mkdir(to, 0700) != 0 ||
	    !record_write(path_of(to, RSPOOL_SESSION, -1), session, n - 1) ||
	    !record_write(buf_str(&temp), line.s, line.len) ||
	    rename(buf_str(&temp), path_of(folder, "trigger", -1)) != 0)
		die_errno("%s", folder);
	begun = wait_for_steps(folder, to);
	unlink(path_of(folder, "trigger", -1));
	if (begun)
		ok = write_database(to, out, no);
	else if (interrupted)
		warn("interrupted before a step began");
	else
		warn("nothing was recorded: no process of the program uses "
		     "CUDA or NVTX, or it has ended");
	remove_spools(to);
	free(to);
	free(out);
	free(session);
	free(folder);
	buf_free(&line);
	buf_free(&temp);
	close(lock);
	return ok ? EXIT_OK : EXIT_TROUBLE;
}
