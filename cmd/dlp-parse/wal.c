/*
 * Reads a write-ahead log as SQLite does (https://sqlite.org/fileformat2.html,
 * "The Write-Ahead Log"). Numbers are big-endian; sums are over words in the
 * order of bytes that the first number says.
 */
#include "infile.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"

#define MAGIC 0x377f0682u /* its last bit: words are big-endian */
#define HEADER 32         /* bytes, of the log */
#define FRAME 24          /* bytes, before each page */
#define PAGE_AT 8         /* in the header: the size of a page */
#define HEADER_SALT 16    /* in the header, and in a frame: 8 bytes that */
#define FRAME_SALT 8      /* differ after the log begins again */
#define COMMIT_AT 4       /* in a frame: not 0 if it ends a change */

struct sums {
	bool big;
	uint32_t a, b;
};

static uint32_t
word(const unsigned char *s, bool big)
{
	return big ? (uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 |
			 (uint32_t)s[2] << 8 | s[3]
		   : (uint32_t)s[3] << 24 | (uint32_t)s[2] << 16 |
			 (uint32_t)s[1] << 8 | s[0];
}

static void
sum(struct sums *c, const unsigned char *s, size_t n)
{
	const unsigned char *end = s + n;

	for (; s < end; s += 8) {
		c->a += word(s, c->big) + c->b;
		c->b += word(s + 4, c->big) + c->a;
	}
}

static bool
sum_is(const struct sums *c, const unsigned char *s)
{
	return word(s, true) == c->a && word(s + 4, true) == c->b;
}

static size_t
read_at(int fd, unsigned char *to, size_t n, int64_t at)
{
	size_t got = 0;
	ssize_t k;

	while (got < n &&
	       (k = pread(fd, to + got, n - got, at + (int64_t)got)) > 0)
		got += (size_t)k;
	return got;
}

/* The frames; those that an earlier use of the log left behind have another
 * salt. */
static const char *
frames_fault(int fd, struct sums *c, const unsigned char *salt, size_t page,
    unsigned char *s, int64_t *at)
{
	int64_t whole = *at; /* the end of the last change */
	size_t n;

	for (;; *at += (int64_t)(FRAME + page)) {
		n = read_at(fd, s, FRAME + page, *at);
		if (n >= FRAME_SALT + 8 && memcmp(s + FRAME_SALT, salt, 8) != 0)
			n = 0;
		if (n > 0 && n < FRAME + page)
			return "is cut off";
		if (n == 0)
			break;
		sum(c, s, 8);
		sum(c, s + FRAME, page);
		if (!sum_is(c, s + 16))
			return "is damaged";
		if (word(s + COMMIT_AT, true) != 0)
			whole = *at + (int64_t)(FRAME + page);
	}
	return whole < *at ? "ends in the middle of a change" : NULL;
}

const char *
wal_fault(const char *path, int64_t *at)
{
	unsigned char head[HEADER], *s;
	struct sums c = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *fault = NULL;
	size_t n, page;

	*at = 0;
	if (fd < 0)
		return NULL; /* SQLite will say so */
	n = read_at(fd, head, HEADER, 0);
	if (n > 0 && n < HEADER)
		fault = "is cut off";
	else if (n == HEADER) {
		c.big = (head[3] & 1) != 0;
		sum(&c, head, HEADER - 8);
		page = word(head + PAGE_AT, true);
		if ((word(head, true) & ~1u) != MAGIC || page < 512 ||
		    page > 65536 || (page & (page - 1)) != 0 ||
		    !sum_is(&c, head + HEADER - 8)) {
			fault = "is damaged";
		} else {
			s = xmalloc(FRAME + page);
			*at = HEADER;
			fault = frames_fault(
			    fd, &c, head + HEADER_SALT, page, s, at);
			free(s);
		}
	}
	close(fd);
	return fault;
}
