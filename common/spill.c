/* Memory that may lie in files; see spill.h. */
#define _GNU_SOURCE /* madvise, mremap */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "err.h"
#include "spill.h"

/* memory that a process may use for other data */
#define SPILL_ROOM ((size_t)32 << 20)

#define SPILL_BOUND ((size_t)256 << 20) /* unless spill_bound() is called */

#define SPILL_LEAST ((size_t)1 << 20)

#define LOOK 4096        /* calls between two checks of the process's size */
#define REST (LOOK * 16) /* calls after a check that freed nothing */

_Thread_local bool spill_on;

static size_t bound = SPILL_BOUND;
static size_t held; /* bytes of large blocks that are in memory */

static struct mapping {
	void *p;
	size_t bytes;
	int fd; /* of a block that grows, otherwise -1: there are few of them */
} * maps;
static size_t nmaps, maps_cap;

static unsigned uses, wait = LOOK;

void
spill_bound(size_t bytes)
{
	bound = bytes;
}

static size_t
bytes_of(size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size)
		die("out of memory");
	return n * size;
}

/* A file has all of its bytes on disk: a mapping cannot say that it is full. */
static void
make_room(int fd, size_t from, size_t bytes)
{
	int err = posix_fallocate(fd, (off_t)from, (off_t)(bytes - from));

	if (err != 0) {
		errno = err;
		die_errno("temporary file (see TMPDIR)");
	}
}

static void *
map_file(size_t bytes, bool grows)
{
	int fd = temp_fd();
	void *p;

	make_room(fd, 0, bytes);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die_errno("temporary file (see TMPDIR)");
	ARRAY_GROW(maps, nmaps, maps_cap);
	if (!grows)
		close(fd);
	maps[nmaps++] = (struct mapping){ p, bytes, grows ? fd : -1 };
	spill_on = true;
	return p;
}

/* True if a block that changes its size fits into that much memory; then it is
 * counted. */
static bool
fits(size_t most, size_t old, size_t bytes)
{
	size_t rest;

	/* another thread may be here: not even a write of the same value */
	if (bytes < SPILL_LEAST && old < SPILL_LEAST)
		return true;
	rest = held - (old >= SPILL_LEAST ? old : 0);
	if (bytes < SPILL_LEAST)
		bytes = 0;
	if (bytes > 0 && (bytes > most || rest > most - bytes))
		return false;
	held = rest + bytes;
	return true;
}

void *
spill_alloc(size_t n, size_t size)
{
	size_t bytes = bytes_of(n, size);

	return fits(bound, 0, bytes) ? xcalloc(n, size)
				     : map_file(bytes, false);
}

void *
spill_keep(size_t bytes)
{
	return fits(bound / 2, 0, bytes) ? xmalloc(bytes)
					 : map_file(bytes, false);
}

/* Its index among the mappings; nmaps if it is ordinary memory. */
static size_t
mapping_of(const void *p)
{
	size_t i = 0;

	while (i < nmaps && maps[i].p != p)
		i++;
	return i;
}

void
spill_free(void *p, size_t n, size_t size)
{
	size_t i, bytes = n * size;

	if (p != NULL && bytes >= SPILL_LEAST) {
		i = mapping_of(p);
		if (i < nmaps) {
			munmap(p, bytes);
			if (maps[i].fd >= 0)
				close(maps[i].fd);
			maps[i] = maps[--nmaps];
			spill_on = nmaps > 0;
			return;
		}
		held -= bytes;
	}
	free(p);
}

void *
spill_realloc(void *p, size_t old_n, size_t n, size_t size)
{
	size_t old = old_n * size, bytes = bytes_of(n, size);
	size_t at = old < SPILL_LEAST ? nmaps : mapping_of(p);
	void *q;

	if (at == nmaps && fits(bound, old, bytes))
		return xrealloc(p, n, size);
	if (at < nmaps && bytes > old && maps[at].fd >= 0) {
		/* A larger file without a copy, for which both would be in
		 * memory. */
		make_room(maps[at].fd, maps[at].bytes, bytes);
		maps[at].p =
		    mremap(maps[at].p, maps[at].bytes, bytes, MREMAP_MAYMOVE);
		if (maps[at].p == MAP_FAILED)
			die_errno("temporary file (see TMPDIR)");
		maps[at].bytes = bytes;
		return maps[at].p;
	}
	q = fits(bound, 0, bytes) ? xcalloc(n, size) : map_file(bytes, true);
	if (p != NULL)
		memcpy(q, p, old < bytes ? old : bytes);
	spill_free(p, old_n, size);
	return q;
}

/* True if more of the process is in memory than may be, or the system does not
 * say how much. */
static bool
too_large(void)
{
	char text[128], *s;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	size_t bytes;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	s = strchr(text, ' ');
	bytes = s == NULL ? 0 : strtoull(s, NULL, 10);
	bytes *= (size_t)sysconf(_SC_PAGESIZE);
	return bytes == 0 || bytes > bound + SPILL_ROOM;
}

void
spill_step(void)
{
	size_t i;

	if (++uses < wait)
		return;
	uses = 0;
	wait = LOOK;
	if (!too_large())
		return;
	for (i = 0; i < nmaps; i++)
		madvise(maps[i].p, maps[i].bytes, MADV_DONTNEED);
	if (too_large())
		wait = REST;
}

int
temp_fd(void)
{
	const char *dir = getenv("TMPDIR");
	struct buf b = { 0 };
	int fd;

	buf_puts(&b, dir != NULL && *dir != '\0' ? dir : "/tmp");
	buf_putc(&b, '/');
	buf_puts(&b, err_prog_name());
	buf_puts(&b, ".XXXXXX");
	buf_str(&b);
	fd = mkstemp(b.s);
	if (fd < 0)
		die_errno("%s", b.s);
	unlink(b.s);
	buf_free(&b);
	return fd;
}
