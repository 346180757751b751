/*
 * A library for LD_PRELOAD that makes one call fail: FAULT=KIND:N, the N-th
 * call of that kind. KIND is a name of the table below. Once it has failed a
 * call it makes the file FAULT_MARK, so that who counts up N sees the end.
 *
 * Calls of children count with those of their parent. Standard error and what
 * runs before main are left alone. After 20 s the
 * process is ended: it hangs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind {
	NONE,
	MEMORY,
	READ,
	WRITE,
	OPEN,
	CLOSE,
	FILE_OP,
	EINTR_,
	SHORT,
	THREAD
};

static const struct {
	const char *name;
	enum kind kind;
	int error;
} kinds[] = {
	{ "memory", MEMORY, ENOMEM }, { "read", READ, EIO },
	{ "write", WRITE, ENOSPC }, { "open", OPEN, EMFILE },
	{ "close", CLOSE, EIO },
	{ "file", FILE_OP, EIO },       /* stat, lseek, ftruncate, rename, sync,
					   mmap */
	{ "interrupt", EINTR_, EINTR }, /* a read or write, once */
	{ "short", SHORT, 0 },          /* all reads and writes from N on */
	{ "thread", THREAD, EAGAIN },   /* threads and processes */
};

static enum kind active;
static long *left; /* shared with children */
static int error;
static const char *mark;

__attribute__((constructor)) static void
begin(void)
{
	const char *s = getenv("FAULT");
	size_t i, n;

	for (i = 0; s != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		n = strlen(kinds[i].name);
		if (strncmp(s, kinds[i].name, n) != 0 || s[n] != ':')
			continue;
		left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (left == MAP_FAILED)
			abort();
		*left = strtol(s + n + 1, NULL, 10);
		error = kinds[i].error;
		mark = getenv("FAULT_MARK");
		active = kinds[i].kind;
		alarm(20);
	}
}

/* Whether this call is the one. */
static int
hit(enum kind k)
{
	if (k != active || __atomic_sub_fetch(left, 1, __ATOMIC_SEQ_CST) != 0)
		return 0;
	if (k == SHORT)
		*left = 1;
	if (mark != NULL)
		syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark,
				       O_CREAT | O_WRONLY, 0600));
	errno = error;
	return 1;
}

#define REAL(name)                                                             \
	static __typeof__(name) *real;                                         \
	if (real == NULL)                                                      \
	real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* glibc's own names: dlsym() itself allocates. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *
malloc(size_t n)
{
	return hit(MEMORY) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return hit(MEMORY) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return hit(MEMORY) ? NULL : __libc_realloc(p, n);
}

/* Types and lists of parameters cannot stand in parentheses.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define IO(name, kind, params, args, fd, n)                                    \
	ssize_t name params                                                    \
	{                                                                      \
		REAL(name);                                                    \
		if (fd != 2 && (hit(kind) || hit(EINTR_)))                     \
			return -1;                                             \
		if (fd != 2 && n > 1 && hit(SHORT))                            \
			n = n > 4096 ? 4096 : 1;                               \
		return real args;                                              \
	}

IO(read, READ, (int fd, void *s, size_t n), (fd, s, n), fd, n)
IO(pread64, READ, (int fd, void *s, size_t n, off64_t at), (fd, s, n, at), fd,
    n)
IO(write, WRITE, (int fd, const void *s, size_t n), (fd, s, n), fd, n)
IO(pwrite64, WRITE, (int fd, const void *s, size_t n, off64_t at),
    (fd, s, n, at), fd, n)

/* stdio reads and writes inside the C library. */
size_t
fread(void *s, size_t size, size_t n, FILE *f)
{
	REAL(fread);
	if (hit(READ)) {
		f->_flags |= 0x20; /* ferror() */
		return 0;
	}
	return real(s, size, n, f);
}

ssize_t
getline(char **s, size_t *cap, FILE *f)
{
	REAL(getline);
	if (hit(READ)) {
		f->_flags |= 0x20;
		return -1;
	}
	return real(s, cap, f);
}

int
fflush(FILE *f)
{
	REAL(fflush);
	if (f == stdout && hit(WRITE)) {
		f->_flags |= 0x20;
		return -1;
	}
	return real(f);
}

/* What _FORTIFY_SOURCE makes of open() without a mode. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

#define OTHER(kind, type, none, name, params, args)                            \
	type name params                                                       \
	{                                                                      \
		REAL(name);                                                    \
		return hit(kind) ? (none) : real args;                         \
	}

OTHER(OPEN, FILE *, NULL, fopen, (const char *p, const char *m), (p, m))
OTHER(OPEN, FILE *, NULL, fopen64, (const char *p, const char *m), (p, m))
OTHER(OPEN, FILE *, NULL, fdopen, (int fd, const char *m), (fd, m))
OTHER(OPEN, int, -1, mkstemp, (char *p), (p))
OTHER(OPEN, int, -1, mkstemp64, (char *p), (p))
OTHER(OPEN, char *, NULL, mkdtemp, (char *p), (p))
OTHER(OPEN, int, -1, __open_2, (const char *p, int flags), (p, flags))
OTHER(OPEN, int, -1, __open64_2, (const char *p, int flags), (p, flags))

#define OPENER(name)                                                           \
	int name(const char *path, int flags, ...)                             \
	{                                                                      \
		va_list ap;                                                    \
		int mode;                                                      \
                                                                               \
		REAL(name);                                                    \
		va_start(ap, flags);                                           \
		mode = va_arg(ap, int);                                        \
		va_end(ap);                                                    \
		return hit(OPEN) ? -1 : real(path, flags, mode);               \
	}

OPENER(open)
OPENER(open64)

/* The file is closed also where close() says that it failed. */
int
close(int fd)
{
	int r;

	REAL(close);
	r = real(fd);
	return fd != 2 && hit(CLOSE) ? -1 : r;
}

int
fclose(FILE *f)
{
	int r;

	REAL(fclose);
	r = real(f);
	return hit(CLOSE) ? -1 : r;
}

OTHER(FILE_OP, int, -1, fstat, (int fd, struct stat *s), (fd, s))
OTHER(FILE_OP, int, -1, fstat64, (int fd, struct stat64 *s), (fd, s))
OTHER(FILE_OP, int, -1, stat, (const char *p, struct stat *s), (p, s))
OTHER(FILE_OP, int, -1, stat64, (const char *p, struct stat64 *s), (p, s))
OTHER(FILE_OP, int, -1, lstat, (const char *p, struct stat *s), (p, s))
OTHER(FILE_OP, int, -1, lstat64, (const char *p, struct stat64 *s), (p, s))
OTHER(FILE_OP, off_t, -1, lseek, (int fd, off_t at, int how), (fd, at, how))
OTHER(
    FILE_OP, off64_t, -1, lseek64, (int fd, off64_t at, int how), (fd, at, how))
OTHER(FILE_OP, int, -1, ftruncate, (int fd, off_t n), (fd, n))
OTHER(FILE_OP, int, -1, ftruncate64, (int fd, off64_t n), (fd, n))
OTHER(FILE_OP, int, -1, fsync, (int fd), (fd))
OTHER(FILE_OP, int, -1, fdatasync, (int fd), (fd))
OTHER(FILE_OP, int, -1, rename, (const char *a, const char *b), (a, b))
OTHER(FILE_OP, void *, MAP_FAILED, mmap,
    (void *p, size_t n, int prot, int flags, int fd, off_t at),
    (p, n, prot, flags, fd, at))

/* These two return the error. */
OTHER(FILE_OP, int, error, posix_fallocate, (int fd, off_t from, off_t n),
    (fd, from, n))
OTHER(THREAD, int, error, pthread_create,
    (pthread_t * id, const pthread_attr_t *attr, void *(*run)(void *),
	void *arg),
    (id, attr, run, arg))
OTHER(THREAD, pid_t, -1, fork, (void), ())
/* NOLINTEND(bugprone-macro-parentheses) */
