/*
 * The end of the process, by whichever way: exit, quick_exit, _exit, exec, and
 * the signals that end a program by default. CUPTI holds records in buffers, so
 * they have to be asked for in time. A thread asks every second, so that little
 * is lost if the process is killed.
 *
 * NVTX needs none of this: its records are in the spool at once.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inj.h"

#define END_ASKED 127 /* in the helper's pipe: no signal's number */
#define END_WAIT_MS 5000

/* The first three end a program from outside; the others say that it failed:
 * abort(), also that of std::terminate() and assert(), and what the processor
 * refuses. Only where the program leaves them at their default. */
static const struct {
	int sig;
	const char *name;
} signals[INJ_SIGNALS] = { { SIGTERM, "SIGTERM" }, { SIGINT, "SIGINT" },
	{ SIGHUP, "SIGHUP" }, { SIGABRT, "SIGABRT" }, { SIGSEGV, "SIGSEGV" },
	{ SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" }, { SIGILL, "SIGILL" } };
#define FATAL 3 /* the first of those */

static const char *
signal_name(int sig)
{
	int i;

	for (i = 0; i < INJ_SIGNALS - 1 && signals[i].sig != sig; i++)
		continue;
	return signals[i].name;
}

/* Until the thread that ends the recording has done so, but not for ever. */
static void
wait_done(void)
{
	int i;

	for (i = 0; i < END_WAIT_MS * 5 && !atomic_load(&inj.done); i++)
		usleep(200);
}

/* The names that threads have at the end. */
static void
task_names(void)
{
	char path[64], name[64];
	struct dirent *e;
	ssize_t n;
	int fd;
	DIR *d = opendir("/proc/self/task");

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm",
		    e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = read(fd, name, sizeof(name));
		close(fd);
		if (n > 1)
			spool_text(RSPOOL_TASK,
			    (uint32_t)strtol(e->d_name, NULL, 10), 0, name,
			    (size_t)n - 1);
	}
	closedir(d);
}

static bool
is_ours(void)
{
	return atomic_load(&inj.ready) == 2 && inj.pid == getpid();
}

void
end_spool(const char *how)
{
	uint64_t lost;

	cupti_last();
	task_names();
	spool_clock();
	lost = atomic_load(&inj.lost);
	if (lost > 0)
		spool_count("records_lost", lost);
	spool_fact("end", how);
	spool_fact_i64("stop", inj_now());
}

/* A second thread that comes to an end waits for the first. */
void
end_all(const char *how)
{
	if (!is_ours())
		return;
	if (atomic_exchange(&inj.ended, true)) {
		wait_done();
		return;
	}
	if (inj.opt.capture != CAPTURE_ARM)
		end_spool(how);
	else
		arm_end(how);
	atomic_store(&inj.done, true);
}

static void
at_exit(void)
{
	end_all("exit");
}

static void
at_quick(void)
{
	end_all("quick_exit");
}

/* A signal that ends the process: the helper thread does the work, because
 * little is allowed in a handler. It then ends the process; this thread must
 * not go on meanwhile. */
static void
on_signal(int sig)
{
	char c = (char)sig;

	if (inj.pid == getpid() && write(inj.wake[1], &c, 1) == 1)
		wait_done();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A failure: as above, but then the signal's default action is taken here, so
 * that a core is that of the failure. What the thread holds is held for ever,
 * and so the helper thread may not come to an end. */
static void
on_failure(int sig, siginfo_t *info, void *context)
{
	char c = (char)sig;

	(void)context;
	if (inj.pid == getpid() && inj.helper != spool_tid() &&
	    write(inj.wake[1], &c, 1) == 1)
		wait_done();
	signal(sig, SIG_DFL);
	if (info->si_code <= 0) /* sent; otherwise it comes again */
		raise(sig);
}

/* Waits for a signal or the time of the next flush. */
static int
wait_signal(int ms)
{
	struct pollfd p = { inj.wake[0], POLLIN, 0 };
	char c;

	if (poll(&p, 1, ms) != 1)
		return 0;
	if (read(inj.wake[0], &c, 1) != 1)
		return -1;
	return c;
}

static int
next_wait(int64_t now, int64_t flush_at)
{
	int64_t at = flush_at, until = atomic_load(&inj.until);
	int64_t look = now + (arm_runs() ? 10000000 : 100000000);

	if (atomic_load(&inj.window) == WINDOW_BEFORE && inj.opt.begin_at > 0 &&
	    inj.opt.begin_at < at)
		at = inj.opt.begin_at;
	if (atomic_load(&inj.window) == WINDOW_ON && until > 0 && until < at)
		at = until;
	if (inj.opt.capture == CAPTURE_ARM) {
		if (look < at)
			at = look;
	} else if (!atomic_load(&inj.has_devices) && now + 50000000 < at)
		at = now + 50000000;
	return at > now ? (int)((at - now) / 1000000) + 1 : 0;
}

static void *
helper(void *arg)
{
	int64_t now = inj_now(), flush_at = now + inj.opt.flush_ns;
	struct sigaction sa;
	int sig;

	(void)arg;
	inj.helper = spool_tid();
	for (;;) {
		sig = wait_signal(next_wait(now, flush_at));
		now = inj_now();
		if (sig < 0)
			return NULL;
		if (sig == END_ASKED) {
			end_all("_exit");
			continue;
		}
		if (sig > 0) {
			end_all(signal_name(sig));
			if (sig != SIGTERM && sig != SIGINT && sig != SIGHUP)
				continue; /* on_failure() goes on */
			/* as if there had been no handler */
			memset(&sa, 0, sizeof(sa));
			sa.sa_handler = SIG_DFL;
			sigemptyset(&sa.sa_mask);
			sigaction(sig, &sa, NULL);
			kill(getpid(), sig);
			continue;
		}
		window_tick(now);
		if (inj.opt.capture == CAPTURE_ARM)
			arm_tick(now);
		else
			driver_devices();
		if (now >= flush_at) {
			cupti_flush(false);
			flush_at = now + inj.opt.flush_ns;
		}
	}
}

static void
take_signals(void)
{
	struct sigaction sa, old;
	int i;

	for (i = 0; i < INJ_SIGNALS; i++) {
		if (sigaction(signals[i].sig, NULL, &old) != 0 ||
		    (old.sa_flags & SA_SIGINFO) != 0 ||
		    old.sa_handler != SIG_DFL)
			continue;
		memset(&sa, 0, sizeof(sa));
		sa.sa_handler = on_signal;
		if (i >= FATAL) {
			sa.sa_sigaction = on_failure;
			sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
		}
		sigemptyset(&sa.sa_mask);
		inj.handled[i] = sigaction(signals[i].sig, &sa, NULL) == 0;
	}
}

void
end_helper(void)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t id;

	if (atomic_exchange(&inj.has_helper, true))
		return;
	if (pipe2(inj.wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 << 10);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&id, &attr, helper, NULL) == 0) {
		pthread_setname_np(id, "dlp-record");
		take_signals();
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
}

void
end_start(void)
{
	if (inj.has_atexit)
		return;
	inj.has_atexit = true;
	(void)atexit(at_exit);
	(void)at_quick_exit(at_quick);
}

void
end_child(void)
{
	int i;

	for (i = 0; i < INJ_SIGNALS; i++)
		if (inj.handled[i])
			signal(signals[i].sig, SIG_DFL);
	memset(inj.handled, 0, sizeof(inj.handled));
	for (i = 0; i < 2; i++) {
		if (inj.wake[i] >= 0)
			close(inj.wake[i]);
		inj.wake[i] = -1;
	}
	atomic_store(&inj.has_helper, false);
	atomic_store(&inj.ended, false);
	atomic_store(&inj.done, false);
}

/*
 * Functions of libc that end the process without atexit(). They are reached
 * only if the library is preloaded, and then by all processes: by those that
 * are not recorded, and by children of vfork() and fork(), where little is
 * allowed. So they are system calls, and those that search PATH are found when
 * the library is loaded.
 */
INJ_EXPORT void _exit(int status) __attribute__((noreturn));
INJ_EXPORT void _Exit(int status) __attribute__((noreturn));

void
_exit(int status)
{
	char c = END_ASKED;

	/* it may be called in a signal handler, while any lock is held: the
	 * helper thread does the work, and the process ends even if it cannot
	 */
	if (is_ours() && atomic_load(&inj.has_helper) && inj.wake[1] >= 0 &&
	    write(inj.wake[1], &c, 1) == 1)
		wait_done();
	for (;;)
		syscall(SYS_exit_group, status);
}

void
_Exit(int status)
{
	_exit(status);
}

typedef int execvp_fn(const char *, char *const[]);
typedef int execvpe_fn(const char *, char *const[], char *const[]);
typedef int fexecve_fn(int, char *const[], char *const[]);

static struct {
	execvp_fn *vp;
	execvpe_fn *vpe;
	fexecve_fn *fexecve;
} libc;

__attribute__((constructor)) static void
find_libc(void)
{
	*(void **)&libc.vp = dlsym(RTLD_NEXT, "execvp");
	*(void **)&libc.vpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&libc.fexecve = dlsym(RTLD_NEXT, "fexecve");
}

/* exec may fail, and then the program goes on. */
static void
before_exec(void)
{
	if (!is_ours())
		return;
	cupti_flush(true);
	if (inj.opt.capture != CAPTURE_ARM)
		spool_fact("end", "exec");
}

static int
no_exec(void)
{
	errno = ENOSYS;
	return -1;
}

INJ_EXPORT int
execve(const char *path, char *const argv[], char *const envp[])
{
	before_exec();
	return (int)syscall(SYS_execve, path, argv, envp);
}

INJ_EXPORT int
execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

INJ_EXPORT int
execvp(const char *file, char *const argv[])
{
	before_exec();
	return libc.vp != NULL ? libc.vp(file, argv) : no_exec();
}

INJ_EXPORT int
execvpe(const char *file, char *const argv[], char *const envp[])
{
	before_exec();
	return libc.vpe != NULL ? libc.vpe(file, argv, envp) : no_exec();
}

INJ_EXPORT int
fexecve(int fd, char *const argv[], char *const envp[])
{
	before_exec();
	return libc.fexecve != NULL ? libc.fexecve(fd, argv, envp) : no_exec();
}

/* The arguments of execl() and its like, as an array that the caller frees. */
static char **
argument_list(const char *first, va_list ap)
{
	size_t n = 0, cap = 0;
	char **argv = NULL, **more;
	char *arg = (char *)(uintptr_t)first;

	for (;;) {
		if (n == cap) {
			cap += 64;
			more = realloc(argv, cap * sizeof(*argv));
			if (more == NULL) {
				free(argv);
				return NULL;
			}
			argv = more;
		}
		argv[n++] = arg;
		if (arg == NULL)
			return argv;
		arg = va_arg(ap, char *);
	}
}

INJ_EXPORT int
execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list ap;
	int r = -1;

	va_start(ap, arg);
	argv = argument_list(arg, ap);
	va_end(ap);
	if (argv != NULL)
		r = execv(path, argv);
	free(argv);
	return r;
}

INJ_EXPORT int
execlp(const char *file, const char *arg, ...)
{
	char **argv;
	va_list ap;
	int r = -1;

	va_start(ap, arg);
	argv = argument_list(arg, ap);
	va_end(ap);
	if (argv != NULL)
		r = execvp(file, argv);
	free(argv);
	return r;
}

INJ_EXPORT int
execle(const char *path, const char *arg, ...)
{
	char **argv, **envp;
	va_list ap;
	int r = -1;

	va_start(ap, arg);
	argv = argument_list(arg, ap);
	envp = va_arg(ap, char **);
	va_end(ap);
	if (argv != NULL)
		r = execve(path, argv, envp);
	free(argv);
	return r;
}
