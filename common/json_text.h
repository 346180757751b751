/* The pieces of JSON: strings, numbers, whole values. */
#ifndef DLP_JSON_TEXT_H
#define DLP_JSON_TEXT_H

#include <stdbool.h>

#include "text_out.h"

/* Appends text as a JSON string, with its quotes; rule is one of TEXT_JSON_*.
 */
void json_quote(struct buf *out, const char *s, size_t n, enum text_rule rule);

/* The same for a field's escaped text. */
void json_quote_field(
    struct buf *out, const char *s, size_t n, enum text_rule rule);

/* True if all of s is one. */
bool json_is_num(const char *s, size_t n);

/* True if s is one value of JSON; the only text allowed between tokens is
 * blanks. */
bool json_valid(const char *s, size_t n);

#endif
