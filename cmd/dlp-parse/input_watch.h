/* Files that are read without a lock: whether they stayed as they were. */
#ifndef DLP_PARSE_INPUT_WATCH_H
#define DLP_PARSE_INPUT_WATCH_H

#include <sys/stat.h>

/* Remembers a file as it is now; keeps the pointer to its path. */
void watch_add(const char *path, const struct stat *st);

/* Fatal if one of them was written since: what was read of it is of no one
 * moment. */
void watch_check(void);

#endif
