/* What a file is, by its name and its first bytes. */
#ifndef DLP_PARSE_INPUT_HEAD_H
#define DLP_PARSE_INPUT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define HEAD_SIZE 4096 /* bytes looked at to tell what a file is */

/* Reads up to size bytes; how many there are. */
size_t head_read(const char *name, int fd, unsigned char *s, size_t size);

/* Puts back what was read of standard input, at most HEAD_SIZE bytes: the
 * next head_read() of it gives them again. */
void head_push(const unsigned char *s, size_t n);

bool head_is_report(const char *path); /* one that nsys exports */
bool head_is_sqlite(const unsigned char *s, size_t n);

bool head_is_dict(const unsigned char *s, size_t n); /* of PyProf */

/* Fatal if the file is shorter than its own header says. */
void head_check_length(
    const char *name, const unsigned char *s, size_t n, off_t size);

/* Fatal: no database, and what it is. */
void head_refuse(const char *name, const unsigned char *s, size_t n);

#endif
