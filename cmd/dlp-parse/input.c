/*
 * Opening a file as a database, by what it is. A database is opened as it
 * lies: as immutable if nobody writes it, so that no lock and no writable
 * folder is needed; with its write-ahead log if it has one. Everything else
 * becomes a temporary copy first.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "buf.h"
#include "err.h"
#include "input.h"
#include "input_db.h"
#include "input_head.h"
#include "input_nsys.h"
#include "input_tmp.h"
#include "input_watch.h"
#include "input_zip.h"

/* SQLite's locks are on these bytes of a file (its file format, 1.9). */
#define LOCK_FIRST 0x40000000
#define LOCK_BYTES 512

/* The size of the file that SQLite keeps beside a database, with *first its
 * first byte; 0 if there is none. It is beside the file, not beside a link. */
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
#define SECOND_AT (8 << 20) /* bytes: below, a thread gains nothing */
#endif

static sqlite3 *second;

static void
open_second(const char *path, const struct stat *st)
{
	if (st->st_size >= SECOND_AT && beside_can())
		second = input_db_again(path, st);
}

sqlite3 *
input_second(void)
{
	sqlite3 *db = second;

	second = NULL;
	return db;
}

/* A copy by us or nsys: checked, opened, and its name removed. */
static sqlite3 *
open_copy(const char *path, const char *name)
{
	unsigned char head[HEAD_SIZE];
	struct stat st;
	sqlite3 *db;
	size_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot read the temporary copy", name);
	n = head_read(name, fd, head, sizeof(head));
	close(fd);
	if (!head_is_sqlite(head, n))
		head_refuse(name, head, n);
	head_check_length(name, head, n, st.st_size);
	db = input_db(path, name, true, st.st_size);
	open_second(path, &st);
	tmp_remove();
	return db;
}

static sqlite3 *
open_in_place(const char *path, int fd, const unsigned char *head, size_t n,
    const struct stat *st)
{
	char first;
	off_t wal = file_beside(path, "-wal", &first);
	sqlite3 *db;

	check_writer(path, fd);
	if (wal == 0) {
		head_check_length(path, head, n, st->st_size);
		watch_add(path, st);
		/* one that is done with can be kept, its head zeros */
		if (file_beside(path, "-journal", &first) > 0 && first != 0)
			die("%s: was left in the middle of a change"
			    " (PATH-journal): open it once with sqlite3",
			    path);
	}
	close(fd);
	db = input_db(path, path, wal == 0, st->st_size + wal);
	if (wal == 0)
		open_second(path, st);
	return db;
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

static const char *unpacked; /* the temporary copy, made before */

const char *
input_unpack(const char *name, int fd, const unsigned char *head, size_t n)
{
	unpacked = zip_copy(zip_kind(head, n), name, fd, head, n);
	return unpacked;
}

void
input_forget(void)
{
	unpacked = NULL;
	tmp_remove();
}

sqlite3 *
input_open(const char *path)
{
	bool std = path == NULL || strcmp(path, "-") == 0;
	const char *name = head_name(path);
	unsigned char head[HEAD_SIZE];
	struct stat st;
	enum zip zip;
	sqlite3 *db;
	size_t n;
	int fd;

	if (unpacked != NULL) {
		db = open_copy(unpacked, name);
		unpacked = NULL;
		return db;
	}
	fd = head_open(path);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot open", name);
	if (S_ISDIR(st.st_mode))
		die("%s: is a directory", name);
	n = head_read(name, fd, head, sizeof(head));
	zip = zip_kind(head, n);
	if (n == 0)
		head_refuse(name, head, n);
	if (!std && !head_is_sqlite(head, n) && head_is_report(path))
		return open_report(path, fd, zip);
	if (zip == ZIP_NONE && !head_is_sqlite(head, n))
		head_refuse(name, head, n);
	if (!std && zip == ZIP_NONE && S_ISREG(st.st_mode))
		return open_in_place(path, fd, head, n, &st);
	db = open_copy(zip_copy(zip, name, fd, head, n), name);
	head_close(fd);
	return db;
}
