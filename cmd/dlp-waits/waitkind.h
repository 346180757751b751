/* What calls wait for, by name. */
#ifndef WAITS_WAITKIND_H
#define WAITS_WAITKIND_H

#include <stdbool.h>
#include <stddef.h>

/* A function of the operating system: wait, sleep, lock, io or other. */
const char *waitkind_of_os(const char *s, size_t n);

/* Whether an API call returns only when a GPU has done its work. */
bool waitkind_is_sync(const char *s, size_t n);

#endif
