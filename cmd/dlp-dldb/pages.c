/* Pages of an SQLite file; see pages.h. */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"

/* In the head of the file, big-endian numbers. */
#define HEAD 100
#define AT_SIZE 16     /* 2 bytes; 1 is 65536 */
#define AT_RESERVED 20 /* 1: bytes at the end of each page */
#define AT_CHANGES 24  /* 4 */
#define AT_N 28        /* 4: pages, if the next agrees with the changes */
#define AT_FORMAT 44   /* 4: of records; 4 has types of 0 and 1 */
#define AT_VACUUM 52   /* 4: pages have maps of pages */
#define AT_VALID 92    /* 4 */

#define LOCK_BYTE 0x40000000 /* the page with this byte is never used */
#define OUT (1 << 20)

static void
read_at(const struct pages *p, void *s, size_t n, off_t at)
{
	ssize_t r;

	do
		r = pread(p->fd, s, n, at);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		die_errno("%s", p->path);
	if ((size_t)r != n)
		die("%s: cut off", p->path);
}

static void
write_at(const struct pages *p, const unsigned char *s, size_t n, off_t at)
{
	ssize_t w;

	for (; n > 0; s += w, n -= (size_t)w, at += w) {
		w = pwrite(p->fd, s, n, at);
		if (w < 0 && errno != EINTR)
			die_errno("%s", p->path);
		if (w < 0)
			w = 0;
	}
}

static off_t
place(const struct pages *p, uint32_t no)
{
	return (off_t)(no - 1) * (off_t)p->size;
}

void
pages_open(struct pages *p, const char *file, const char *path)
{
	unsigned char head[HEAD];

	memset(p, 0, sizeof(*p));
	p->path = path;
	p->fd = open(file, O_RDWR | O_CLOEXEC);
	if (p->fd < 0)
		die_errno("%s", path);
	read_at(p, head, HEAD, 0);
	p->size = (unsigned)get_be(head + AT_SIZE, 2);
	if (p->size == 1)
		p->size = 65536;
	p->n = (uint32_t)get_be(head + AT_N, 4);
	if (p->n == 0 || p->size < 512 || head[AT_RESERVED] != 0 ||
	    get_be(head + AT_VACUUM, 4) != 0 ||
	    get_be(head + AT_FORMAT, 4) != 4 ||
	    memcmp(head + AT_CHANGES, head + AT_VALID, 4) != 0)
		die("%s: not as SQLite makes files here", path);
	p->out = xmalloc(OUT);
}

static void
flush(struct pages *p)
{
	size_t n = p->n_out / p->size;

	write_at(p, p->out, p->n_out, place(p, p->n - (uint32_t)n + 1));
	p->n_out = 0;
}

static uint32_t
add(struct pages *p, const unsigned char *page)
{
	if (p->n_out + p->size > OUT)
		flush(p);
	memcpy(p->out + p->n_out, page, p->size);
	p->n_out += p->size;
	if (++p->n == UINT32_MAX)
		die("%s: too large", p->path);
	return p->n;
}

uint32_t
pages_add(struct pages *p, const unsigned char *page)
{
	if (p->n == LOCK_BYTE / p->size)
		add(p, page); /* what stands there means nothing */
	return add(p, page);
}

void
pages_set(struct pages *p, uint32_t no, const unsigned char *page)
{
	write_at(p, page, p->size, place(p, no));
}

bool
pages_is_empty_tree(struct pages *p, uint32_t no)
{
	unsigned char head[8]; /* type, free block, cells */

	read_at(p, head, sizeof(head), place(p, no));
	return (head[0] & 8) != 0 && get_be(head + 3, 2) == 0;
}

void
pages_close(struct pages *p)
{
	unsigned char n[4];

	flush(p);
	put_be(n, p->n, 4);
	write_at(p, n, 4, AT_N);
	if (close(p->fd) != 0)
		die_errno("%s", p->path);
	free(p->out);
	memset(p, 0, sizeof(*p));
	p->fd = -1;
}
