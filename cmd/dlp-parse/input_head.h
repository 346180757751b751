/* What a file is, by its name and its first bytes. */
#ifndef DLP_PARSE_INPUT_HEAD_H
#define DLP_PARSE_INPUT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define HEAD_SIZE 4096 /* bytes looked at to tell what a file is */

/* The file to be read; path NULL or "-" is standard input, whose name for
 * messages head_name() tells. -1 with errno where it cannot be opened.
 * head_close() leaves standard input open. */
int head_open(const char *path);
const char *head_name(const char *path);
void head_close(int fd);

/* Reads up to size bytes; how many there are. */
size_t head_read(const char *name, int fd, unsigned char *s, size_t size);

/* Puts back an open file that cannot be read twice, and what was read of it,
 * at most HEAD_SIZE bytes: the next head_open() of the same path and
 * head_read() give them again. */
void head_push(const char *path, int fd, const unsigned char *s, size_t n);

bool head_is_report(const char *path); /* one that nsys exports */
bool head_is_sqlite(const unsigned char *s, size_t n);

bool head_is_dict(const unsigned char *s, size_t n); /* of PyProf */

/* Fatal if the file is shorter than its own header says. */
void head_check_length(
    const char *name, const unsigned char *s, size_t n, off_t size);

/* Fatal: no database, and what it is. */
void head_refuse(const char *name, const unsigned char *s, size_t n);

#endif
