/*
 * Opens a file as a database. A database is opened in place: as immutable if
 * nobody writes it, so that neither a lock nor a writable folder is needed;
 * with its write-ahead log if it has one. Any other file first becomes a
 * temporary copy.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "beside.h"
#include "buf.h"
#include "infile.h"
#include "magic.h"
#include "sqldb.h"

/* A file that is read without a lock. */
struct watched {
	const char *path; /* kept, not copied */
	struct stat st;   /* as it was opened */
};

void
infile_init(struct infile *in)
{
	memset(in, 0, sizeof(*in));
	in->pushed.fd = -1;
}

void
infile_free(struct infile *in)
{
	free(in->watched);
}

static void
watch_add(struct infile *in, const char *path, const struct stat *st)
{
	in->watched =
	    xrealloc(in->watched, in->nwatched + 1, sizeof(*in->watched));
	in->watched[in->nwatched].path = path;
	in->watched[in->nwatched++].st = *st;
}

/* A new file under the same name is no reason to complain. */
static bool
written(const struct stat *was, const struct stat *is)
{
	return was->st_dev == is->st_dev && was->st_ino == is->st_ino &&
	       (was->st_size != is->st_size ||
		   was->st_mtim.tv_sec != is->st_mtim.tv_sec ||
		   was->st_mtim.tv_nsec != is->st_mtim.tv_nsec);
}

void
infile_check_unchanged(const struct infile *in)
{
	const struct watched *w;
	struct stat st;

	for (w = in->watched; w < in->watched + in->nwatched; w++)
		if (stat(w->path, &st) == 0 && written(&w->st, &st))
			die("%s: was written while it was read", w->path);
}

#define OF_DLPROF                                                              \
	"a report of DLProf: give its database (dlprof_dldb.sqlite), or the"   \
	" profile that it was made from"
#define OF_PYPROF                                                              \
	"a table of PyProf: give the .dict, or the profile that it was made"   \
	" from"
#define OF_STATS "a table of nsys stats: give the profile that it was made from"

/* Files that users mistake for a database, by their first bytes. */
static const struct {
	const char *magic, *what;
} others[] = {
	{ "##dlp",
	    "a dlp stream, not a database: the next filter and dlp REPORT"
	    " read it as it is, from a file or standard input" },
	{ "{'", "a .dict of PyProf: give it alone" },
	{ "{", "JSON, not a profile database" },
	{ "[", "JSON, not a profile database" },
	{ "Salted__", "encrypted (openssl)" },
	{ "age-encryption.org", "encrypted (age)" },
	{ "-----BEGIN PGP", "encrypted (pgp)" },
	{ "PK\003\004", "a zip archive: unpack it first" },
	{ "BZh", "bzip2 data: unpack it first" },
	{ "\177ELF", "a program, not a profile database" },
	{ "==", "text of a profiler, not its database" },
	{ "All Iterations", OF_DLPROF },
	{ "System Config", OF_DLPROF },
	{ "Kernel Report", OF_DLPROF },
	{ "Iteration Report", OF_DLPROF },
	{ "Op Type Summary Report", OF_DLPROF },
	{ "Tensor Core Report", OF_DLPROF },
	{ "Group Op Report", OF_DLPROF },
	{ "Expert Systems Feedback", OF_DLPROF },
	{ "\"Idx\",\"", OF_PYPROF },
	{ "Idx ", OF_PYPROF },
	{ "Idx,", OF_PYPROF },
	{ "Time (%),Total Time (ns),", OF_STATS },
	{ "Total (MB),Count,", OF_STATS },
};

/* The same by the ending of the name, for private formats. */
static const struct {
	const char *end, *what;
} named[] = {
	{ ".qdstrm", "an unfinished report: QdstrmImporter makes a .nsys-rep"
		     " of it" },
	{ ".ncu-rep", "a report of Nsight Compute: dlp-ncu reads what ncu"
		      " --import FILE --csv --page raw makes of it" },
	{ ".nvvp", "a session of the Visual Profiler: give the database that"
		   " nvprof -o wrote" },
};

static const char compressed[][6] = { ".xz", ".zst", ".zstd", ".gz" };

static bool
ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n >= m && strncasecmp(s + n - m, end, m) == 0;
}

/* True if the name, without an ending for compression, is that of a report that
 * nsys can export. */
bool
head_is_report(const char *path)
{
	size_t i, n = strlen(path);

	for (i = 0; i < ARRAY_LEN(compressed); i++)
		if (ends_with(path, n, compressed[i])) {
			n -= strlen(compressed[i]);
			break;
		}
	return ends_with(path, n, ".nsys-rep") || ends_with(path, n, ".qdrep");
}

bool
head_is_sqlite(const unsigned char *s, size_t n)
{
	return n >= 16 && memcmp(s, "SQLite format 3", 16) == 0;
}

bool
head_is_dict(const unsigned char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r'))
		i++;
	if (i == n || s[i++] != '{')
		return false;
	return i < n &&
	       (s[i] == '\'' || (s[i] == 'u' && i + 1 < n && s[i + 1] == '\''));
}

/* Refuses a stream of records that was unpacked here. */
static void
refuse_packed(const char *name, enum zip zip, const unsigned char *s, size_t n)
{
	const char *tool = zip_tool(zip);
	struct buf b = { 0 };

	if (tool == NULL || n < 5 || memcmp(s, "##dlp", 5) != 0)
		return;
	buf_puts(&b, tool);
	buf_puts(&b, " -dc ");
	if (strcmp(name, head_name(NULL)) != 0) {
		magic_word(&b, name);
		buf_putc(&b, ' ');
	}
	die("%s: a dlp stream that is compressed: it goes in by %s| dlp top -,"
	    " or another report or filter",
	    name, buf_str(&b));
}

void
head_refuse(const char *name, enum zip zip, const unsigned char *s, size_t n)
{
	size_t i, m;

	if (n == 0)
		die("%s: empty file", name);
	refuse_packed(name, zip, s, n);
	for (i = 0; i < ARRAY_LEN(others); i++) {
		m = strlen(others[i].magic);
		if (n >= m && memcmp(s, others[i].magic, m) == 0)
			die("%s: %s", name, others[i].what);
	}
	for (i = 0; i < ARRAY_LEN(named); i++)
		if (ends_with(name, strlen(name), named[i].end))
			die("%s: %s", name, named[i].what);
	die("%s: not a database, or an encrypted one", name);
}

static bool
is_std(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0;
}

const char *
head_name(const char *path)
{
	return is_std(path) ? "standard input" : path;
}

int
head_open(const struct infile *in, const char *path)
{
	if (is_std(path))
		return STDIN_FILENO;
	if (in->pushed.fd >= 0 && in->pushed.path == path)
		return in->pushed.fd;
	return open(path, O_RDONLY | O_CLOEXEC);
}

void
head_close(int fd)
{
	if (fd > STDIN_FILENO)
		close(fd);
}

void
head_push(struct infile *in, const char *path, int fd, const unsigned char *s,
    size_t n)
{
	memcpy(in->pushed.s, s, n);
	in->pushed.n = n;
	in->pushed.path = path;
	in->pushed.fd = fd;
}

size_t
head_read(
    struct infile *in, const char *name, int fd, unsigned char *s, size_t size)
{
	size_t n = 0;
	ssize_t r;

	if (fd == in->pushed.fd && in->pushed.n <= size) {
		memcpy(s, in->pushed.s, in->pushed.n);
		n = in->pushed.n;
		in->pushed.fd = -1;
	}
	while (n < size) {
		r = read(fd, s + n, size - n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			die_errno("%s: cannot read", name);
		if (r == 0)
			break;
		n += (size_t)r;
	}
	return n;
}

static uint32_t
be32(const unsigned char *s)
{
	return (uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 |
	       (uint32_t)s[2] << 8 | s[3];
}

/* A file shorter than its own header says was cut off while it was copied. */
static void
check_length(const char *name, const unsigned char *s, size_t n, off_t size)
{
	unsigned long long page, want;

	if (n < 100)
		die("%s: truncated: %zu bytes of a database", name, n);
	page = (unsigned long long)s[16] << 8 | s[17];
	if (page == 1)
		page = 65536;
	want = be32(s + 28) * page;
	/* The count holds only if the last writer kept it up to date. */
	if (be32(s + 24) != be32(s + 92) || want <= (unsigned long long)size)
		return;
	die("%s: truncated: %lld of %llu bytes", name, (long long)size, want);
}

/* Fatal: SQLite's error, in words that help the owner of the file. */
static void
refuse(sqlite3 *db, const char *name, bool wal)
{
	switch (sqlite3_errcode(db)) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		die("%s: locked: another process is writing it", name);
	case SQLITE_NOTADB:
		die("%s: not a database, or an encrypted one", name);
	case SQLITE_CORRUPT:
		die("%s: corrupt database: %s", name, sqldb_error(db));
	default:
		if (wal)
			die("%s: its write-ahead log cannot be read here (%s);"
			    " copy both files to a writable folder",
			    name, sqldb_error(db));
		die("%s: cannot open the database: %s", name, sqldb_error(db));
	}
}

static int
begin_reading(sqlite3 *db)
{
	return sqlite3_exec(
	    db, "BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
}

/* Opens the database at path, of size bytes including its log; name is for
 * messages, failures are fatal. immutable: nobody writes it, and it has no
 * write-ahead log. */
static sqlite3 *
open_db(const char *path, const char *name, bool immutable, off_t size)
{
	sqlite3 *db = NULL;
	int r;

	r = sqldb_read(&db, path, immutable, size);
	if (db == NULL)
		die("out of memory");
	/* SQLite reads the file only now. The file is read several times;
	 * additions to its write-ahead log from now on are not seen. */
	if (r != SQLITE_OK || begin_reading(db) != SQLITE_OK)
		refuse(db, name, !immutable);
	return db;
}

/* A second connection, for a thread, to the database that was just opened as
 * immutable; st describes the file. NULL if that fails. */
static sqlite3 *
open_again(const char *path, const struct stat *st)
{
	sqlite3 *db = NULL;
	struct stat now;

	if (sqldb_read(&db, path, true, 0) == SQLITE_OK &&
	    begin_reading(db) == SQLITE_OK && stat(path, &now) == 0 &&
	    now.st_dev == st->st_dev && now.st_ino == st->st_ino)
		return db;
	sqlite3_close(db);
	return NULL;
}

/* SQLite's locks are on these bytes of a file (its file format, 1.9). */
#define LOCK_FIRST 0x40000000
#define LOCK_BYTES 512

/* The size of a file that SQLite keeps next to a database, with *first its
 * first byte; 0 if it does not exist. SQLite puts it next to the file itself,
 * not next to a link. */
static off_t
file_beside(const char *path, const char *suffix, char *first)
{
	struct buf b = { NULL, 0, 0 };
	char *real = realpath(path, NULL);
	struct stat st;
	off_t size = 0;
	int fd;

	buf_puts(&b, real != NULL ? real : path);
	buf_puts(&b, suffix);
	buf_putc(&b, '\0');
	*first = 1;
	if (stat(b.s, &st) == 0 && S_ISREG(st.st_mode)) {
		size = st.st_size;
		fd = open(b.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && read(fd, first, 1) != 1)
			*first = 1;
		if (fd >= 0)
			close(fd);
	}
	buf_free(&b);
	free(real);
	return size;
}

static void
check_writer(const char *name, int fd)
{
	struct flock l;

	memset(&l, 0, sizeof(l));
	l.l_type = F_RDLCK;
	l.l_whence = SEEK_SET;
	l.l_start = LOCK_FIRST;
	l.l_len = LOCK_BYTES;
	if (fcntl(fd, F_GETLK, &l) == 0 && l.l_type == F_WRLCK)
		die("%s: locked: process %ld is writing it", name,
		    (long)l.l_pid);
}

#ifndef SECOND_AT
#define SECOND_AT                                                              \
	(8 << 20) /* bytes: a thread does not pay for smaller files            \
		   */
#endif

static sqlite3 *
open_second(const char *path, const struct stat *st)
{
	if (st->st_size < SECOND_AT || !beside_can())
		return NULL;
	return open_again(path, st);
}

/* Opens a copy made by dlp-parse or nsys: checks it, opens it and removes its
 * name. */
static sqlite3 *
open_copy(struct infile *in, const char *path, const char *name, enum zip zip,
    sqlite3 **second)
{
	unsigned char head[HEAD_SIZE];
	struct stat st;
	sqlite3 *db;
	size_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot read the temporary copy", name);
	n = head_read(in, name, fd, head, sizeof(head));
	close(fd);
	if (!head_is_sqlite(head, n))
		head_refuse(name, zip, head, n);
	check_length(name, head, n, st.st_size);
	db = open_db(path, name, true, st.st_size);
	*second = open_second(path, &st);
	copy_remove();
	return db;
}

static sqlite3 *
open_in_place(struct infile *in, const char *path, int fd,
    const unsigned char *head, size_t n, const struct stat *st,
    sqlite3 **second)
{
	char first;
	off_t wal = file_beside(path, "-wal", &first);
	sqlite3 *db;

	check_writer(path, fd);
	if (wal == 0) {
		check_length(path, head, n, st->st_size);
		watch_add(in, path, st);
		/* SQLite may keep a finished journal and zero its header */
		if (file_beside(path, "-journal", &first) > 0 && first != 0)
			die("%s: was left in the middle of a change"
			    " (PATH-journal): open it once with sqlite3",
			    path);
	}
	close(fd);
	db = open_db(path, path, wal == 0, st->st_size + wal);
	if (wal == 0)
		*second = open_second(path, st);
	return db;
}

/* The unpacked file is a report that nsys has to export. */
static sqlite3 *
open_report(
    struct infile *in, const char *path, int fd, enum zip zip, sqlite3 **second)
{
	close(fd);
	if (zip != ZIP_NONE)
		die("%s: unpack the report first", path);
	return open_copy(in, copy_export(path), path, ZIP_NONE, second);
}

const char *
infile_unpack(struct infile *in, const char *name, int fd,
    const unsigned char *head, size_t n)
{
	in->unpacked_zip = zip_kind(head, n);
	in->unpacked = copy_unpack(in->unpacked_zip, name, fd, head, n);
	return in->unpacked;
}

void
infile_forget(struct infile *in)
{
	in->unpacked = NULL;
	copy_remove();
}

sqlite3 *
infile_open(struct infile *in, const char *path, sqlite3 **second)
{
	bool std = path == NULL || strcmp(path, "-") == 0;
	const char *name = head_name(path), *copy = in->unpacked;
	unsigned char head[HEAD_SIZE];
	struct stat st;
	enum zip zip;
	sqlite3 *db;
	size_t n;
	int fd;

	*second = NULL;
	if (copy != NULL) {
		in->unpacked = NULL;
		return open_copy(in, copy, name, in->unpacked_zip, second);
	}
	fd = head_open(in, path);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot open", name);
	if (S_ISDIR(st.st_mode))
		die("%s: is a directory", name);
	n = head_read(in, name, fd, head, sizeof(head));
	zip = zip_kind(head, n);
	if (n == 0)
		head_refuse(name, ZIP_NONE, head, n);
	if (!std && !head_is_sqlite(head, n) && head_is_report(path))
		return open_report(in, path, fd, zip, second);
	if (zip == ZIP_NONE && !head_is_sqlite(head, n))
		head_refuse(name, ZIP_NONE, head, n);
	if (!std && zip == ZIP_NONE && S_ISREG(st.st_mode))
		return open_in_place(in, path, fd, head, n, &st, second);
	copy = copy_unpack(zip, name, fd, head, n);
	db = open_copy(in, copy, name, zip, second);
	head_close(fd);
	return db;
}
