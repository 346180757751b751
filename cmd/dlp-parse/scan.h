/* The first pass over a table. */
#ifndef DLP_PARSE_SCAN_H
#define DLP_PARSE_SCAN_H

#include <stdint.h>

struct cursor;
struct profile;

void scan_cursor(struct profile *p, struct cursor *c);

/* The join key's number: EV_UNSET for none. */
int64_t key_corr(int64_t corr);

#endif
