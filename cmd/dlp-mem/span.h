/* Memory while ranges are open, added up by their names. */
#ifndef MEM_SPAN_H
#define MEM_SPAN_H

#include "mem.h"

/* A range, at its start; path is escaped. */
void span_open(struct mem *m, uint32_t src, const char *path, size_t n,
    int64_t start, int64_t end);

/* The use of a space has changed by so many bytes at time t. */
void span_change(
    struct mem *m, const struct space *s, int64_t t, int64_t bytes);

void span_end(struct mem *m); /* the records */
void span_clear(void);

#endif
