/* See sqlvfs.h. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sqlvfs.h"

#define STREAMS 8 /* places of a file that are read at a time: tables */
#define PIECE (32 * 1024)
#define NEAR (16 * 1024) /* bytes passed over that still are in sequence */

struct stream {
	sqlite3_int64 at; /* what it holds: n bytes from here, none if n is 0 */
	sqlite3_int64 n;
	sqlite3_int64 end; /* of what was read last */
	uint64_t used;     /* when: 0 is never */
	unsigned char s[PIECE];
};

/* Behind SQLite's own file, whose methods these are, but for two. */
struct file {
	const sqlite3_io_methods *real;
	sqlite3_io_methods own;
	sqlite3_int64 size;
	uint64_t clock;
	struct stream *streams;
};

static sqlite3_vfs *real;
static sqlite3_vfs own = { .zName = "dlp-ahead" };

static struct file *
file_of(sqlite3_file *f)
{
	return (
	    struct file *)(void *)((char *)f + (real->szOsFile + 15) / 16 * 16);
}

/* The stream that holds these bytes. */
static struct stream *
holding(struct file *x, sqlite3_int64 at, int n)
{
	struct stream *s;

	for (s = x->streams; s < x->streams + STREAMS; s++)
		if (at >= s->at && at + n <= s->at + s->n)
			return s;
	return NULL;
}

/* The stream that was read up to here; else the one longest not in use, with
 * *goes_on false. */
static struct stream *
before(struct file *x, sqlite3_int64 at, bool *goes_on)
{
	struct stream *s, *oldest = x->streams;

	for (s = x->streams; s < x->streams + STREAMS; s++) {
		*goes_on = s->used > 0 && at >= s->end && at - s->end <= NEAR;
		if (*goes_on)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	return oldest;
}

static int
read_page(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	struct file *x = file_of(f);
	struct stream *s = holding(x, at, n);
	bool goes_on;
	sqlite3_int64 more;

	if (s == NULL) {
		s = before(x, at, &goes_on);
		more = x->size - at < PIECE ? x->size - at : PIECE;
		s->n = 0;
		s->end = at + n;
		s->used = ++x->clock;
		if (!goes_on || more <= n ||
		    x->real->xRead(f, s->s, (int)more, at) != SQLITE_OK)
			return x->real->xRead(f, to, n, at);
		s->at = at;
		s->n = more;
		s->end = at + more;
	}
	s->used = ++x->clock;
	memcpy(to, s->s + (at - s->at), (size_t)n);
	return SQLITE_OK;
}

static int
close_file(sqlite3_file *f)
{
	struct file *x = file_of(f);

	free(x->streams);
	return x->real->xClose(f);
}

static int
open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags,
    int *out_flags)
{
	struct file *x = file_of(f);
	int rc = real->xOpen(real, name, f, flags, out_flags);

	(void)vfs;
	if (rc != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0)
		return rc;
	x->real = f->pMethods;
	x->clock = 0;
	if (x->real->xFileSize(f, &x->size) != SQLITE_OK)
		return SQLITE_OK;
	x->streams = calloc(STREAMS, sizeof(*x->streams));
	if (x->streams == NULL)
		return SQLITE_OK;
	x->own = *x->real;
	x->own.xRead = read_page;
	x->own.xClose = close_file;
	f->pMethods = &x->own;
	return SQLITE_OK;
}

const char *
sqlvfs_ahead(void)
{
	if (real != NULL)
		return own.zName;
	if (sqlite3_initialize() != SQLITE_OK ||
	    (real = sqlite3_vfs_find(NULL)) == NULL)
		return NULL;
	/* it is the real one but for the files that it opens */
	own = *real;
	own.zName = "dlp-ahead";
	own.pNext = NULL;
	own.szOsFile =
	    (real->szOsFile + 15) / 16 * 16 + (int)sizeof(struct file);
	own.xOpen = open_file;
	if (sqlite3_vfs_register(&own, 0) == SQLITE_OK)
		return own.zName;
	real = NULL;
	return NULL;
}
