/* The atoms of JSON. */
#ifndef DLP_JSON_TEXT_H
#define DLP_JSON_TEXT_H

#include <stdbool.h>

#include "buf.h"

/* Appends text as a JSON string, with its quotes. */
void json_quote(struct buf *out, const char *s, size_t n);

/* The length of the number, as JSON writes it, that s begins with; 0: none. */
size_t json_num_len(const char *s, size_t n);

/* Whether s is one. */
bool json_is_num(const char *s, size_t n);

#endif
