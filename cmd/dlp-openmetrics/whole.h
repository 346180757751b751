/* A file that is there as a whole, or not at all. */
#ifndef OM_WHOLE_H
#define OM_WHOLE_H

#include <stddef.h>

/* Writes the file under another name beside it, whose end is no .prom, and
 * renames it. Failure is fatal, and leaves the file as it was. */
void whole_write(const char *path, const char *s, size_t n);

#endif
