/*
 * Opens a profile database: plain, compressed, from standard input, or as a
 * report that nsys can export. The file is only read and nothing in it is
 * executed: no extensions, triggers, views or unsafe functions.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Bytes read to find out what a file is. A block of zstd has up to 128 KiB and
 * is unpacked as a whole. */
#define HEAD_SIZE (1 << 17)
#define DB_HEAD_SIZE 100 /* of an SQLite database */

enum zip { ZIP_NONE, ZIP_XZ, ZIP_ZSTD, ZIP_GZIP };

struct infile { /* infile_init() */
	/* a pipe, of which n bytes have been read to see what it holds; fd -1
	 * if there is none */
	struct {
		const char *path;
		int fd;
		char *s;
		size_t n;
	} pushed;
	const char *unpacked; /* a temporary copy that has not been opened
			       * yet */
	enum zip unpacked_zip;
	struct watched *watched; /* files that are read without a lock */
	size_t nwatched;
};

void infile_init(struct infile *in);

/*
 * Opens the database in the file path; NULL or "-" is standard input. The
 * caller closes it with sqlite3_close(). Anything but a readable database is
 * fatal with one line. Temporary files are in TMPDIR and are gone when this
 * returns. *second is another connection to it, for a second thread; the caller
 * closes it too. It is NULL if a second connection might not see the same data,
 * the file is too small to be worth it, or there is only one processor.
 */
sqlite3 *infile_open(struct infile *in, const char *path, sqlite3 **second);

/* Makes a temporary copy of a compressed file (a database or a .dict) whose
 * first n bytes are in head, and returns its path. The next infile_open() opens
 * the copy, unless infile_forget() has removed it. */
const char *infile_unpack(struct infile *in, const char *name, int fd,
    const unsigned char *head, size_t n);
void infile_forget(struct infile *in);

/* Fatal if a file was written since it was opened, because the rows read so far
 * are not from one state of the file. */
void infile_check_unchanged(const struct infile *in);

/* Recognising a file by its name and its first bytes. */

/* Opens the file for reading; path NULL or "-" is standard input, which
 * head_name() names for messages. -1 with errno if it cannot be opened.
 * head_close() leaves standard input open. */
int head_open(const struct infile *in, const char *path);
const char *head_name(const char *path);
void head_close(int fd);

/* Reads up to size bytes; returns how many were read. */
size_t head_read(
    struct infile *in, const char *name, int fd, unsigned char *s, size_t size);

/* Puts back an open file that cannot be read twice, with the n bytes that were
 * read from it, at most HEAD_SIZE: the next head_open() of the same path and
 * head_read() return them again. */
void head_push(struct infile *in, const char *path, int fd,
    const unsigned char *s, size_t n);

/* Reads the header of an SQLite database that is no pipe; false if it is none.
 * Nothing else is read of it, and the place in the file stays: most files are
 * such, and small ones take longer to look at than to read. */
bool head_of_database(int fd, const struct stat *st, unsigned char *s);

bool head_is_report(const char *path);               /* one that nsys exports */
bool head_is_dict(const unsigned char *s, size_t n); /* of PyProf */
bool head_is_json(const unsigned char *s, size_t n);
bool head_is_pftrace(const unsigned char *s, size_t n); /* of Perfetto */

/* Fatal if the first bytes, or the ending of the name `like`, are of a kind of
 * file that users mistake for a profile (refuse.tab). */
void refuse_known(
    const char *name, const char *like, const unsigned char *s, size_t n);

/* The compression, by the first bytes of a file. */
enum zip zip_kind(const unsigned char *s, size_t n);

/* Unpacks what can be unpacked of the first n bytes of a compressed file into
 * out; returns how many of its size bytes were filled, 0 if the data is
 * damaged. */
size_t zip_peek(enum zip kind, const unsigned char *s, size_t n,
    unsigned char *out, size_t size);

/* Gives the n bytes in head and then everything from fd to put(), piece by
 * piece and decompressed. name is for messages; failures are fatal. partial:
 * compressed data that are truncated or corrupt end there, with a warning, and
 * the result is false. */
bool unpack_to(enum zip kind, const char *name, int fd,
    const unsigned char *head, size_t n, bool partial,
    void (*put)(void *ctx, const unsigned char *s, size_t n), void *ctx);

/* wal.c: what is wrong with the write-ahead log at path, not empty, and *at
 * which byte; NULL: nothing. SQLite ends silently at the last whole change. */
const char *wal_fault(const char *path, int64_t *at);
