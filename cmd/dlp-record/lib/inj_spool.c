/*
 * The spool file: chunks that are mapped and shared, so that what was published
 * is in the file even if the process is killed. Blocks are allocated before a
 * chunk is mapped: on a full disk a store into a mapping would otherwise end
 * the process with SIGBUS.
 *
 * Each thread fills a chunk of its own without locks. When a thread ends, its
 * chunk goes to a list from which the next new thread takes it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inj.h"

struct inj_free { /* a chunk with room left; lies at the chunk's end */
	struct rspool_chunk *chunk;
	struct inj_free *next;
};

static __thread struct rspool_chunk *chunk; /* the thread's; NULL: none */
static __thread uint32_t used;              /* of it, not yet published too */
static __thread uint32_t own_turn;          /* the file that it is of */
static __thread uint32_t own_tid;
static __thread bool inside; /* while it writes a record */

uint32_t
spool_tid(void)
{
	if (own_tid == 0)
		own_tid = (uint32_t)syscall(SYS_gettid);
	return own_tid;
}

/* Notes why there is no room, once. The note itself needs none: it is a file
 * beside the spool. */
static void
now_full(const char *why)
{
	char path[1200];
	ssize_t n;
	int fd;

	if (atomic_exchange(&inj.full, true))
		return;
	snprintf(path, sizeof(path), "%s/full.%ld", inj.dir, (long)inj.pid);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0) {
		n = write(fd, why, strlen(why));
		(void)n;
		close(fd);
	}
}

/* fstat() of a program that is built today needs glibc 2.33; on the machines
 * that dlp-record is for, the kernel's struct stat is that of glibc. */
static int
file_status(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}

/* True if the descriptor is still the spool's: a program may close descriptors
 * that it did not open, and open files of its own under their numbers. */
static bool
still_ours(void)
{
	struct stat st;

	if (file_status(inj.fd, &st) == 0 && st.st_dev == inj.dev &&
	    st.st_ino == inj.ino)
		return true;
	inj.fd = open(inj.path, O_RDWR | O_CLOEXEC);
	return inj.fd >= 0;
}

static struct rspool_chunk *
map_chunk(void)
{
	uint64_t n = atomic_fetch_add(&inj.chunks, 1);
	uint64_t size = (n + 1) * RSPOOL_CHUNK;
	off_t at = (off_t)(n * RSPOOL_CHUNK);
	struct rspool_chunk *c;
	struct rlimit lim;
	int err;

	if (inj.opt.max_bytes > 0 && size > (uint64_t)inj.opt.max_bytes) {
		now_full("--max");
		return NULL;
	}
	/* growing beyond the limit would send SIGXFSZ to the program */
	if (getrlimit(RLIMIT_FSIZE, &lim) == 0 &&
	    lim.rlim_cur != RLIM_INFINITY && size > lim.rlim_cur) {
		now_full("the file size limit (ulimit -f)");
		return NULL;
	}
	err = still_ours() ? posix_fallocate(inj.fd, at, RSPOOL_CHUNK) : EBADF;
	if (err != 0) {
		now_full(strerror(err));
		return NULL;
	}
	c = mmap(NULL, RSPOOL_CHUNK, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, inj.fd, at);
	if (c == MAP_FAILED) {
		now_full(strerror(errno));
		return NULL;
	}
	madvise(c, RSPOOL_CHUNK, MADV_DONTFORK);
	c->magic = RSPOOL_MAGIC;
	c->version = RSPOOL_VERSION;
	c->pid = (uint32_t)inj.pid;
	__atomic_store_n(&c->used, sizeof(*c), __ATOMIC_RELEASE);
	return c;
}

/* A chunk that another thread left, or NULL. */
static struct rspool_chunk *
left_over(void)
{
	struct inj_free *f;
	struct rspool_chunk *c = NULL;

	pthread_mutex_lock(&inj.lock);
	f = inj.free_chunks;
	if (f != NULL) {
		inj.free_chunks = f->next;
		c = f->chunk;
	}
	pthread_mutex_unlock(&inj.lock);
	free(f);
	return c;
}

/* The end of a thread. */
static void
leave_chunk(void *arg)
{
	struct inj_free *f;

	(void)arg;
	if (chunk == NULL || inj.pid != getpid())
		return;
	if (own_turn != atomic_load(&inj.turn)) {
		munmap(chunk, RSPOOL_CHUNK);
		return;
	}
	f = malloc(sizeof(*f));
	if (f != NULL) {
		f->chunk = chunk;
		pthread_mutex_lock(&inj.lock);
		f->next = inj.free_chunks;
		inj.free_chunks = f;
		pthread_mutex_unlock(&inj.lock);
	}
	chunk = NULL;
}

/* The thread gets a chunk with room for n bytes. */
static bool
next_chunk(size_t n)
{
	struct rspool_thread t = { .rec.type = RSPOOL_THREAD,
		.rec.size = sizeof(t),
		.tid = spool_tid() };
	struct rspool_chunk *old = chunk;
	bool first = old == NULL;
	char name[32] = "";

	if (atomic_load(&inj.full) || inj.fd < 0)
		return false;
	own_turn = atomic_load(&inj.turn);
	chunk = old == NULL ? left_over() : NULL;
	if (chunk != NULL && chunk->used + n + 64 > RSPOOL_CHUNK) {
		munmap(chunk, RSPOOL_CHUNK);
		chunk = NULL;
	}
	if (chunk == NULL)
		chunk = map_chunk();
	if (old != NULL)
		munmap(old, RSPOOL_CHUNK);
	if (chunk == NULL)
		return false;
	/* the first record of a chunk, or of a thread in it */
	used = chunk->used;
	t.serial = atomic_fetch_add(&inj.serial, 1);
	memcpy((char *)chunk + used, &t, sizeof(t));
	used += sizeof(t);
	__atomic_store_n(&chunk->used, used, __ATOMIC_RELEASE);
	if (inj.has_key)
		pthread_setspecific(inj.key, chunk);
	if (first) {
		prctl(PR_GET_NAME, name);
		spool_text(RSPOOL_TASK, t.tid, 0, name, strlen(name));
	}
	return true;
}

/* Room for n bytes in the thread's chunk; NULL if there is none. The thread is
 * inside until the record is published. */
static struct rspool_rec *
take_room(size_t n)
{
	/* a signal handler of the program that uses NVTX, while the thread
	 * writes a record */
	if (inside || n > RSPOOL_CHUNK / 2)
		return NULL;
	if (chunk != NULL && own_turn != atomic_load(&inj.turn)) {
		munmap(chunk, RSPOOL_CHUNK);
		chunk = NULL;
	}
	inside = true;
	if (chunk == NULL || used + n > RSPOOL_CHUNK) {
		inside = false;
		if (!next_chunk(n) || used + n > RSPOOL_CHUNK)
			return NULL;
		inside = true;
	}
	return (void *)((char *)chunk + used);
}

void
spool_record(enum rspool_type type, void *rec, size_t size, const char *s,
    size_t n, const char *more, size_t n_more)
{
	size_t all = (size + n + n_more + 7) & ~(size_t)7;
	struct rspool_rec *r = rec, *to = take_room(all);

	if (to == NULL) {
		atomic_fetch_add(&inj.lost, 1);
		return;
	}
	r->type = (uint16_t)type;
	r->size = (uint32_t)all;
	memcpy(to, rec, size);
	if (n > 0)
		memcpy((char *)to + size, s, n);
	if (n_more > 0)
		memcpy((char *)to + size + n, more, n_more);
	used += (uint32_t)all;
	__atomic_store_n(&chunk->used, used, __ATOMIC_RELEASE);
	inside = false;
}

void
spool_text(
    enum rspool_type type, uint32_t id, int64_t t, const char *s, size_t n)
{
	struct rspool_text r = { .t = t, .id = id };

	r.len = (uint32_t)(n < RSPOOL_TEXT_MAX ? n : RSPOOL_TEXT_MAX);
	spool_record(type, &r, sizeof(r), s, r.len, NULL, 0);
}

void
spool_fact(const char *key, const char *value)
{
	char s[1400];
	int n = snprintf(s, sizeof(s), "%s=%s", key, value);

	if (n > 0)
		spool_text(RSPOOL_FACT, 0, 0, s,
		    n < (int)sizeof(s) ? (size_t)n : sizeof(s) - 1);
}

void
spool_fact_i64(const char *key, int64_t value)
{
	char s[32];

	snprintf(s, sizeof(s), "%lld", (long long)value);
	spool_fact(key, s);
}

void
spool_note(int severity, const char *fmt, ...)
{
	char s[1400];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	if (n > 0)
		spool_text(RSPOOL_NOTE, (uint32_t)severity, inj_now(), s,
		    n < (int)sizeof(s) ? (size_t)n : sizeof(s) - 1);
}

void
spool_count(const char *name, uint64_t n)
{
	if (n > 0)
		spool_text(RSPOOL_COUNT, 0, (int64_t)n, name, strlen(name));
}

void
spool_clock(void)
{
	struct rspool_clock r = { .mono = inj_now() };
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	r.real = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	r.mono += (inj_now() - r.mono) / 2;
	SPOOL(RSPOOL_CLOCK, &r);
}

/* In the child of a fork the chunks are not mapped. */
void
spool_child(void)
{
	chunk = NULL;
	used = 0;
	own_tid = 0;
	inside = false;
	inj.free_chunks = NULL;
	if (inj.fd >= 0)
		close(inj.fd);
	inj.fd = -1;
}

/* Threads leave their chunks of this file when they write again, or end. */
void
spool_close(void)
{
	struct inj_free *f;

	pthread_mutex_lock(&inj.lock);
	atomic_fetch_add(&inj.turn, 1);
	while ((f = inj.free_chunks) != NULL) {
		inj.free_chunks = f->next;
		munmap(f->chunk, RSPOOL_CHUNK);
		free(f);
	}
	if (inj.fd >= 0)
		close(inj.fd);
	inj.fd = -1;
	pthread_mutex_unlock(&inj.lock);
	atomic_store(&inj.chunks, 0);
	atomic_store(&inj.full, false);
	atomic_store(&inj.lost, 0);
}

/* A process that replaces itself (exec) has one file for each program. */
bool
spool_open(void)
{
	struct stat st;
	int i;

	inj.fd = -1;
	for (i = 0; i < 10000 && inj.fd < 0; i++) {
		snprintf(inj.path, sizeof(inj.path), "%s/p%ld.%d" RSPOOL_SUFFIX,
		    inj.dir, (long)inj.pid, i);
		inj.fd =
		    open(inj.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (inj.fd < 0 && errno != EEXIST)
			return false;
	}
	if (inj.fd < 0)
		return false;
	/* out of the way of programs that expect low numbers */
	i = fcntl(inj.fd, F_DUPFD_CLOEXEC, 500);
	if (i >= 0) {
		close(inj.fd);
		inj.fd = i;
	}
	if (file_status(inj.fd, &st) != 0)
		return false;
	inj.dev = st.st_dev;
	inj.ino = st.st_ino;
	if (!inj.has_key)
		inj.has_key = pthread_key_create(&inj.key, leave_chunk) == 0;
	return true;
}
