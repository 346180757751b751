/* SQLite on files from strangers; see sqldb.h. */
#include "sqldb.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "out.h"

#define SQLDB_LENGTH (1 << 26) /* the longest value or row, in bytes */

/*
 * A way for SQLite to read a file that nobody writes. If pages are requested in
 * sequence, as in a pass over a table, several are read by one system call,
 * because a call for each page would cost more than the page itself.
 */
#define STREAMS 8 /* places of a file that are read in turn: tables */
#define PIECE (32 * 1024)
/* gaps of at most this many bytes are still in sequence */
#define NEAR (16 * 1024)

struct vfs_stream {
	sqlite3_int64 at; /* its contents: n bytes from this place; empty if
			   * n is 0 */
	sqlite3_int64 n;
	sqlite3_int64 end; /* of the last read */
	uint64_t used;     /* time of the last use; 0 is never */
	unsigned char s[PIECE];
};

/* Precedes SQLite's own file, whose methods it uses, except two. */
struct vfs_file {
	const sqlite3_io_methods *real;
	sqlite3_io_methods own;
	sqlite3_int64 size;
	uint64_t clock;
	struct vfs_stream *streams;
};

/* SQLite registers it once for the process. */
static sqlite3_vfs *real;
static sqlite3_vfs own = { .zName = "dlp-ahead" };

static struct vfs_file *
file_of(sqlite3_file *f)
{
	return (struct vfs_file *)(void *)((char *)f +
					   (real->szOsFile + 15) / 16 * 16);
}

/* The stream whose last read ended here; otherwise the one that was not used
 * for the longest time, with *goes_on false. */
static struct vfs_stream *
stream_before(struct vfs_file *x, sqlite3_int64 at, bool *goes_on)
{
	struct vfs_stream *s, *oldest = x->streams;

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
	struct vfs_file *x = file_of(f);
	struct vfs_stream *s = x->streams;
	bool goes_on;
	sqlite3_int64 more;

	while (
	    s < x->streams + STREAMS && (at < s->at || at + n > s->at + s->n))
		s++;
	if (s == x->streams + STREAMS) { /* none holds these bytes */
		s = stream_before(x, at, &goes_on);
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
	struct vfs_file *x = file_of(f);

	free(x->streams);
	return x->real->xClose(f);
}

static int
open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags,
    int *out_flags)
{
	struct vfs_file *x = file_of(f);
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

/* The name with which to open files; NULL, for SQLite's own, after an error.
 * Only for connections that are opened as immutable. */
static const char *
vfs_ahead(void)
{
	if (real != NULL)
		return own.zName;
	if (sqlite3_initialize() != SQLITE_OK ||
	    (real = sqlite3_vfs_find(NULL)) == NULL)
		return NULL;
	/* the same as the real one, except for the files that it opens */
	own = *real;
	own.zName = "dlp-ahead";
	own.pNext = NULL;
	own.szOsFile =
	    (real->szOsFile + 15) / 16 * 16 + (int)sizeof(struct vfs_file);
	own.xOpen = open_file;
	if (sqlite3_vfs_register(&own, 0) == SQLITE_OK)
		return own.zName;
	real = NULL;
	return NULL;
}

/*
 * A file of a few pages can be a tree with more rows than there are atoms, if
 * pages are used many times. So SQLite's machine gets a number of steps per
 * byte: the widest statement takes about 100 for a row of 20 bytes, and each
 * table is read three times.
 */
#define STEPS_PER_BYTE 256
#define STEPS_AT_LEAST 20000000
#define STEPS_AT_ONCE 100000

/* All connections of the process share these, because they share the work:
 * connections to one file, and threads. */
static _Atomic int64_t steps_left;

/* A file: URI in which every byte of the path stands for itself. */
static void
put_uri(struct buf *b, const char *path, bool immutable)
{
	static const char hex[] = "0123456789ABCDEF";
	const unsigned char *s = (const unsigned char *)path;

	buf_puts(b, "file:");
	/* Two slashes would begin a host name. */
	if (s[0] == '/')
		buf_puts(b, "//");
	else /* :memory: is a name like others */
		buf_puts(b, "./");
	for (; *s != '\0'; s++)
		if (isalnum(*s) || strchr("/._-", *s) != NULL) {
			buf_putc(b, (char)*s);
		} else {
			buf_putc(b, '%');
			buf_putc(b, hex[*s >> 4]);
			buf_putc(b, hex[*s & 15]);
		}
	buf_puts(b, immutable ? "?immutable=1" : "?mode=ro");
	buf_putc(b, '\0');
}

static void
harden(sqlite3 *db)
{
	static const int off[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA,
		SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
		SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
		SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
		SQLITE_DBCONFIG_ENABLE_FKEY, SQLITE_DBCONFIG_WRITABLE_SCHEMA,
		SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML };
	static const int limits[][2] = {
		{ SQLITE_LIMIT_LENGTH, SQLDB_LENGTH },
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 32 },
		{ SQLITE_LIMIT_VDBE_OP, 100000 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};
	size_t i;

	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	for (i = 0; i < ARRAY_LEN(off); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	for (i = 0; i < ARRAY_LEN(limits); i++)
		sqlite3_limit(db, limits[i][0], limits[i][1]);
	sqlite3_drop_modules(db, NULL); /* no virtual tables */
	sqlite3_exec(db, "PRAGMA cell_size_check=1", NULL, NULL, NULL);
}

/* db is main or temp; by is the view or trigger that requests the access. The
 * file is open only for reading, so nothing that is allowed here can write it.
 */
static int
authorize(void *ctx, int what, const char *a, const char *b, const char *db,
    const char *by)
{
	static const char *const pragmas[] = { "table_info", "table_xinfo",
		"index_list", "integrity_check" };
	size_t i;

	(void)ctx;
	(void)b;
	if (by != NULL)
		return SQLITE_DENY;
	if (db != NULL && strcmp(db, "temp") == 0)
		return SQLITE_OK;
	switch (what) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_FUNCTION:
	case SQLITE_TRANSACTION:
		return SQLITE_OK;
	case SQLITE_UPDATE: /* requested when pragma_table_info is declared */
		return strcmp(a, "sqlite_master") == 0 ? SQLITE_OK
						       : SQLITE_DENY;
	case SQLITE_PRAGMA:
		for (i = 0; i < ARRAY_LEN(pragmas); i++)
			if (a != NULL && strcmp(a, pragmas[i]) == 0)
				return SQLITE_OK;
		return SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int
spend(void *ctx)
{
	(void)ctx;
	steps_left -= STEPS_AT_ONCE;
	return steps_left < 0;
}

int
sqldb_read(sqlite3 **db, const char *path, bool immutable, int64_t size)
{
	struct buf uri = { NULL, 0, 0 };
	int rc;

	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	put_uri(&uri, path, immutable);
	rc = sqlite3_open_v2(uri.s, db,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
	    immutable ? vfs_ahead() : NULL);
	buf_free(&uri);
	if (rc != SQLITE_OK)
		return rc;
	harden(*db);
	out_read((uint64_t)size);
	if (size > INT64_MAX / 4 / STEPS_PER_BYTE)
		size = INT64_MAX / 4 / STEPS_PER_BYTE;
	if (steps_left < INT64_MAX / 2)
		steps_left += STEPS_AT_LEAST + size * STEPS_PER_BYTE;
	sqlite3_progress_handler(*db, STEPS_AT_ONCE, spend, NULL);
	return sqlite3_set_authorizer(*db, authorize, NULL);
}

int
sqldb_write(sqlite3 **db, const char *path)
{
	int rc = sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE, NULL);

	if (rc == SQLITE_OK)
		harden(*db);
	return rc;
}

int
sqldb_temp(sqlite3 **db)
{
	int rc;

	/* counts of memory would cost a lock for each allocation */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	rc = sqlite3_open("", db);
	if (rc == SQLITE_OK)
		harden(*db);
	return rc;
}

const char *
sqldb_error(sqlite3 *db)
{
	static _Thread_local char text[80];

	switch (sqlite3_errcode(db)) {
	case SQLITE_TOOBIG:
		snprintf(text, sizeof(text),
		    "a value or row of more than %d MiB", SQLDB_LENGTH >> 20);
		return text;
	case SQLITE_INTERRUPT:
		return "corrupt database: more to read than a file of its"
		       " size can hold";
	case SQLITE_AUTH:
		return "not what a profiler writes: a view, or code, where a"
		       " table should be";
	default:
		return sqlite3_errmsg(db);
	}
}
