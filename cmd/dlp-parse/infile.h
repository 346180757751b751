/*
 * Opening a profile database: plain, compressed, on standard input, or as a
 * report that nsys can export. Whatever the file holds, it is only read and
 * nothing in it is run: no extensions, triggers, views or unsafe functions.
 */
#ifndef DLP_PARSE_INFILE_H
#define DLP_PARSE_INFILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define HEAD_SIZE 4096 /* bytes looked at to tell what a file is */

enum zip { ZIP_NONE, ZIP_XZ, ZIP_ZSTD, ZIP_GZIP };

struct infile { /* infile_init() */
	/* a pipe, of which n bytes were read to see what it is; fd -1: none */
	struct {
		const char *path;
		int fd;
		unsigned char s[HEAD_SIZE];
		size_t n;
	} pushed;
	const char *unpacked; /* a temporary copy that is not open yet */
	enum zip unpacked_zip;
	struct watched *watched; /* files that are read without a lock */
	size_t nwatched;
};

void infile_init(struct infile *in);
void infile_free(struct infile *in);

/*
 * The database in the file path; NULL or "-" is standard input. The caller
 * closes it with sqlite3_close(). Anything else than a readable database is
 * fatal with one line. Temporary files lie in TMPDIR and are gone when this
 * returns.
 * *second is one more connection to it, for another thread: the caller's, too.
 * NULL where none is sure to see the same, the file is too small to be worth
 * it, or there is one processor.
 */
sqlite3 *infile_open(struct infile *in, const char *path, sqlite3 **second);

/* A temporary copy of a compressed file, whose first n bytes are in head: a
 * database or a .dict. The next infile_open() is of the copy, unless it was
 * removed, with infile_forget(). Returns its path. */
const char *infile_unpack(struct infile *in, const char *name, int fd,
    const unsigned char *head, size_t n);
void infile_forget(struct infile *in);

/* Fatal if a file was written since it was opened: the rows that were read
 * are of no one moment. */
void infile_check_unchanged(const struct infile *in);

/* What a file is, by its name and its first bytes. */

/* The file to be read; path NULL or "-" is standard input, whose name for
 * messages is head_name()'s. -1 with errno where it cannot be opened.
 * head_close() leaves standard input open. */
int head_open(const struct infile *in, const char *path);
const char *head_name(const char *path);
void head_close(int fd);

/* Reads up to size bytes; how many there are. */
size_t head_read(
    struct infile *in, const char *name, int fd, unsigned char *s, size_t size);

/* Puts back an open file that cannot be read twice, and the n bytes that were
 * read of it, at most HEAD_SIZE: the next head_open() of the same path and
 * head_read() give them again. */
void head_push(struct infile *in, const char *path, int fd,
    const unsigned char *s, size_t n);

bool head_is_report(const char *path); /* one that nsys exports */
bool head_is_sqlite(const unsigned char *s, size_t n);
bool head_is_dict(const unsigned char *s, size_t n); /* of PyProf */

/* Fatal: no database, and what it is. zip: it was unpacked here. */
void head_refuse(
    const char *name, enum zip zip, const unsigned char *s, size_t n);

/* Temporary copies: infile_copy.c. There is one at a time in the process. */

/* The compression by the first bytes of a file; and the tool that unpacks it:
 * xz, zstd or gzip, NULL for ZIP_NONE. */
enum zip zip_kind(const unsigned char *s, size_t n);
const char *zip_tool(enum zip kind);

/* Copies the n bytes in head and then everything from fd into the temporary
 * file, decompressed. name is for messages; failures are fatal. Returns the
 * path, which is valid until copy_remove(). */
const char *copy_unpack(enum zip kind, const char *name, int fd,
    const unsigned char *head, size_t n);

/* Runs "nsys export" on the report at path; returns the path of the database,
 * as above. Fatal, with the command to run, if there is no nsys. */
const char *copy_export(const char *path);

/* Removes the copy's name. This happens at exit, too, and when a signal ends
 * the process. */
void copy_remove(void);

#endif
