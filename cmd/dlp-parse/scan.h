/* The first pass over a table, and its join keys. */
#ifndef DLP_PARSE_SCAN_H
#define DLP_PARSE_SCAN_H

#include <stdint.h>

struct cursor;
struct profile;

void scan_cursor(struct profile *p, struct cursor *c);

/* The join key's process of a gid. */
int64_t key_pid(const struct profile *p, int64_t gid);
int64_t key_corr(int64_t corr);

#endif
