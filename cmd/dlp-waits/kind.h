/* What calls wait for, by name. */
#ifndef WAITS_KIND_H
#define WAITS_KIND_H

#include <stdbool.h>
#include <stddef.h>

/* A function of the operating system: wait, sleep, lock, io or other. */
const char *kind_of_os(const char *s, size_t n);

/* Whether an API call returns only when a GPU has done its work. */
bool kind_is_sync(const char *s, size_t n);

#endif
