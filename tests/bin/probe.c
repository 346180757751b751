/*
 * A library for LD_PRELOAD that tries what a fault in a reader would be used
 * for, and prints a line for each thing that worked: when a dlp command ends,
 * or (PROBE_AT) when it first reads from that file. PROBE_READ, PROBE_WRITE and
 * PROBE_TMP are files to read and to make.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void
say(const char *what, int worked)
{
	if (worked)
		dprintf(2, "worked: %s\n", what);
}

static void
try_open(const char *what, const char *var, int flags)
{
	const char *path = getenv(var);
	int fd = path != NULL ? open(path, flags, 0600) : -1;

	say(what, fd >= 0);
	if (fd >= 0)
		close(fd);
}

static void
try_spawn(void)
{
	char *argv[] = { "/bin/true", NULL };
	pid_t pid;
	int status, ok;

	ok = posix_spawn(&pid, argv[0], NULL, NULL, argv, argv + 1) == 0 &&
	     waitpid(pid, &status, 0) == pid && status == 0;
	say("spawn", ok);
}

/* Calls that no reader needs, with arguments that are errors: another error
 * than that of a sandbox means that the kernel looked at them. */
static void
try_calls(void)
{
#define C(name)                                                                \
	{                                                                      \
#name, SYS_##name                                              \
	}
	static const struct {
		const char *name;
		long nr;
	} calls[] = {
		C(execve), C(execveat), C(connect), C(bind), C(listen),
		C(accept), C(accept4), C(sendto), C(sendmsg), C(sendmmsg),
		C(socketpair), C(ptrace), C(process_vm_writev), C(kcmp),
		{ "pidfd_open", 434 }, { "pidfd_getfd", 438 },
		{ "io_uring_setup", 425 }, { "io_uring_enter", 426 },
		{ "io_uring_register", 427 }, C(bpf), C(perf_event_open),
		C(userfaultfd), C(add_key), C(request_key), C(keyctl), C(mount),
		C(umount2), C(pivot_root), C(chroot), C(unshare), C(setns),
		C(open_by_handle_at), C(init_module), C(finit_module),
		C(delete_module), C(kexec_load), C(mknodat), C(setuid),
		C(setgid), C(setresuid), C(setresgid), C(swapon), C(reboot),
		C(clone), { "clone3", 435 },
#ifdef __x86_64__
		{ "x32", 0x40000000 + 39 } /* getpid */
#endif
	};
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		errno = 0;
		/* of clone(): no thread */
		(void)syscall(calls[i].nr,
		    calls[i].nr == SYS_clone ? ~(long)CLONE_THREAD : -1, -1, -1,
		    -1, -1, -1);
		say(calls[i].name, errno != EPERM && errno != ENOSYS);
	}
	say("privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1);
}

static void
probe(void)
{
	char a = 1, b;
	struct iovec from = { &a, 1 }, to = { &b, 1 };
	pid_t pid;

	say("probe", 1);
	try_open("read", "PROBE_READ", O_RDONLY);
	try_open("write", "PROBE_WRITE", O_WRONLY | O_CREAT);
	try_open("temporary", "PROBE_TMP", O_WRONLY | O_CREAT);
	say("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
	say("unix", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
	say("memory", process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1);
	try_calls();
	pid = fork();
	if (pid == 0)
		_exit(0);
	say("fork", pid > 0 && waitpid(pid, NULL, 0) == pid);
	try_spawn();
	say("landlock", syscall(444, NULL, 0, 1) > 0);
}

/* Other programs that a test runs, nsys and what it needs, are not meant. */
__attribute__((destructor)) static void
at_end(void)
{
	if (getenv("PROBE_AT") == NULL &&
	    strncmp(program_invocation_short_name, "dlp-", 4) == 0)
		probe();
}

static void
at_read(int fd)
{
	static int done;
	struct stat is, want;
	const char *path = getenv("PROBE_AT");

	if (done || path == NULL || fstat(fd, &is) != 0 ||
	    stat(path, &want) != 0 || is.st_ino != want.st_ino)
		return;
	done = 1;
	probe();
}

ssize_t
read(int fd, void *to, size_t n)
{
	at_read(fd);
	return syscall(SYS_read, fd, to, n);
}

ssize_t
pread64(int fd, void *to, size_t n, off_t at)
{
	at_read(fd);
	return syscall(SYS_pread64, fd, to, n, at);
}
