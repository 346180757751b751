/*
 * Finding out what a file is and opening it as a database. A file that is
 * a database as it lies is opened in place: as immutable if nobody writes
 * it, so that no lock and no writable folder is needed; with its write-ahead
 * log if it has one. Everything else becomes a temporary copy first.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "input.h"
#include "input_tmp.h"

#define HEAD 4096 /* bytes looked at to tell what a file is */

/* SQLite's locks are on these bytes of a file (its file format, 1.9). */
#define LOCK_FIRST 0x40000000
#define LOCK_BYTES 512

/* What people hand over that is no database, by its first bytes. */
static const struct {
	const char *magic, *what;
} others[] = {
	{ "##dlp", "a dlp stream, not a database: give it to the next filter" },
	{ "{", "JSON, not a profile database" },
	{ "[", "JSON, not a profile database" },
	{ "Salted__", "encrypted (openssl)" },
	{ "age-encryption.org", "encrypted (age)" },
	{ "-----BEGIN PGP", "encrypted (pgp)" },
	{ "PK\003\004", "a zip archive: unpack it first" },
	{ "BZh", "bzip2 data: unpack it first" },
	{ "\177ELF", "a program, not a profile database" },
	{ "==", "text of a profiler, not its database" },
};

static const char compressed[][6] = { ".xz", ".zst", ".zstd", ".gz" };

static bool
ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n >= m && strncasecmp(s + n - m, end, m) == 0;
}

/* Whether the name says that the file is a report for nsys to export, once
 * an ending for compression is taken off. */
static bool
is_report(const char *path)
{
	size_t i, n = strlen(path);

	for (i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++)
		if (ends_with(path, n, compressed[i])) {
			n -= strlen(compressed[i]);
			break;
		}
	return ends_with(path, n, ".nsys-rep") || ends_with(path, n, ".qdrep");
}

static bool
is_sqlite(const unsigned char *s, size_t n)
{
	return n >= 16 && memcmp(s, "SQLite format 3", 16) == 0;
}

static void
not_database(const char *name, const unsigned char *s, size_t n)
{
	size_t i, m;

	if (n == 0)
		die("%s: empty file", name);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		m = strlen(others[i].magic);
		if (n >= m && memcmp(s, others[i].magic, m) == 0)
			die("%s: %s", name, others[i].what);
	}
	if (ends_with(name, strlen(name), ".qdstrm"))
		die("%s: an unfinished report: QdstrmImporter makes a"
		    " .nsys-rep of it",
		    name);
	die("%s: not a database, or an encrypted one", name);
}

static size_t
read_head(const char *name, int fd, unsigned char *s, size_t size)
{
	size_t n = 0;
	ssize_t r;

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

/* A file shorter than its own header says was cut off on its way. */
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
	/* The count holds only if the last writer knew of it. */
	if (be32(s + 24) != be32(s + 92) || want <= (unsigned long long)size)
		return;
	die("%s: truncated: %lld of %llu bytes", name, (long long)size, want);
}

/* The size of the file that SQLite keeps beside a database; 0 if none. */
static off_t
beside(const char *path, const char *suffix)
{
	struct buf b = { NULL, 0, 0 };
	struct stat st;
	off_t size = 0;

	buf_puts(&b, path);
	buf_puts(&b, suffix);
	buf_putc(&b, '\0');
	if (stat(b.s, &st) == 0)
		size = st.st_size;
	buf_free(&b);
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

/* A file: URI in which every byte of the path is itself. */
static void
put_uri(struct buf *b, const char *path, bool immutable)
{
	static const char hex[] = "0123456789ABCDEF";
	const unsigned char *s = (const unsigned char *)path;

	buf_puts(b, "file:");
	/* Two slashes would begin a host name. */
	if (s[0] == '/')
		buf_puts(b, "//");
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
	static const int on[] = { SQLITE_DBCONFIG_DEFENSIVE };
	static const int off[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA,
		SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
		SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
		SQLITE_DBCONFIG_ENABLE_FKEY, SQLITE_DBCONFIG_DQS_DDL,
		SQLITE_DBCONFIG_DQS_DML };
	static const int limits[][2] = {
		{ SQLITE_LIMIT_LENGTH, 1 << 28 },
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 32 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(on) / sizeof(on[0]); i++)
		sqlite3_db_config(db, on[i], 1, NULL);
	for (i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db, limits[i][0], limits[i][1]);
	sqlite3_exec(db, "PRAGMA cell_size_check=1", NULL, NULL, NULL);
}

/* Fatal: what SQLite said, in the words of somebody with a file. */
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
		die("%s: corrupt database: %s", name, sqlite3_errmsg(db));
	default:
		if (wal)
			die("%s: its write-ahead log cannot be read here (%s);"
			    " copy both files to a writable folder",
			    name, sqlite3_errmsg(db));
		die("%s: cannot open the database: %s", name,
		    sqlite3_errmsg(db));
	}
}

static sqlite3 *
open_db(const char *path, const char *name, bool immutable)
{
	struct buf uri = { NULL, 0, 0 };
	sqlite3 *db = NULL;
	int r;

	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	put_uri(&uri, path, immutable);
	r = sqlite3_open_v2(uri.s, &db,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	buf_free(&uri);
	if (db == NULL)
		die("out of memory");
	if (r != SQLITE_OK)
		refuse(db, name, !immutable);
	harden(db);
	/* SQLite reads the file only now. */
	if (sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", NULL, NULL,
		NULL) != SQLITE_OK)
		refuse(db, name, !immutable);
	return db;
}

/* A copy by us or nsys: checked, opened, and its name removed. */
static sqlite3 *
open_copy(const char *path, const char *name)
{
	unsigned char head[HEAD];
	struct stat st;
	sqlite3 *db;
	size_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot read the temporary copy", name);
	n = read_head(name, fd, head, sizeof(head));
	close(fd);
	if (!is_sqlite(head, n))
		not_database(name, head, n);
	check_length(name, head, n, st.st_size);
	db = open_db(path, name, true);
	tmp_remove();
	return db;
}

static sqlite3 *
open_in_place(
    const char *path, int fd, const unsigned char *head, size_t n, off_t size)
{
	bool wal = beside(path, "-wal") > 0;

	check_writer(path, fd);
	if (!wal) {
		check_length(path, head, n, size);
		if (beside(path, "-journal") > 0)
			die("%s: was left in the middle of a change"
			    " (PATH-journal): open it once with sqlite3",
			    path);
	}
	close(fd);
	return open_db(path, path, !wal);
}

/* The file, unpacked, is the report for nsys. */
static sqlite3 *
open_report(const char *path, int fd, enum zip zip)
{
	close(fd);
	if (zip != ZIP_NONE)
		die("%s: unpack the report first", path);
	return open_copy(nsys_export(path), path);
}

sqlite3 *
input_open(const char *path)
{
	bool std = path == NULL || strcmp(path, "-") == 0;
	const char *name = std ? "standard input" : path;
	unsigned char head[HEAD];
	struct stat st;
	enum zip zip;
	sqlite3 *db;
	size_t n;
	int fd;

	fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot open", name);
	if (S_ISDIR(st.st_mode))
		die("%s: is a directory", name);
	n = read_head(name, fd, head, sizeof(head));
	zip = zip_kind(head, n);
	if (n == 0)
		not_database(name, head, n);
	if (!std && !is_sqlite(head, n) && is_report(path))
		return open_report(path, fd, zip);
	if (zip == ZIP_NONE && !is_sqlite(head, n))
		not_database(name, head, n);
	if (!std && zip == ZIP_NONE && S_ISREG(st.st_mode))
		return open_in_place(path, fd, head, n, st.st_size);
	db = open_copy(zip_copy(zip, name, fd, head, n), name);
	if (!std)
		close(fd);
	return db;
}
