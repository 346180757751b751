/*
 * A library for LD_PRELOAD that tries, when a command ends, what a fault in a
 * reader would be used for, and prints a line for each thing that worked.
 * PROBE_READ and PROBE_WRITE are files to read and to make.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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

__attribute__((destructor)) static void
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
	pid = fork();
	if (pid == 0)
		_exit(0);
	say("fork", pid > 0 && waitpid(pid, NULL, 0) == pid);
	try_spawn();
	say("landlock", syscall(444, NULL, 0, 1) > 0);
}
