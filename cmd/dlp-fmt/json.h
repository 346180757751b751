/* Values of records as JSON, RFC 8259. */
#ifndef FMT_JSON_H
#define FMT_JSON_H

#include <stdbool.h>
#include "buf.h"

void json_string(struct buf *b, const char *s, size_t n); /* escaped text */
/* What json_valid() has found to be JSON, as it stands, but that its strings
 * have escapes for what a terminal must not get. */
void json_raw(struct buf *b, const char *s, size_t n);
bool json_valid(const char *s, size_t n); /* is it a JSON value */

#endif
