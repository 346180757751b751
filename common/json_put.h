/*
 * Writes objects of JSON, member by member: each function puts a comma before
 * its member where one is due. The caller writes the brackets.
 *
 *	buf_putc(b, '{');
 *	json_word(b, "id", id);  json_int(b, "n", true, n);
 *	buf_putc(b, '}');
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* The name of a member; its value follows. Between values of an array the name
 * is NULL. */
void json_name(struct buf *b, const char *name);
/* A field's escaped text; null if s is NULL, "-" or empty. */
void json_field(struct buf *b, const char *name, const char *s, size_t n);
/* The same of a string. */
void json_word(struct buf *b, const char *name, const char *s);
/* Text without escapes; null if s is NULL. */
void json_plain(struct buf *b, const char *name, const char *s);
/* null if has is false */
void json_int(struct buf *b, const char *name, bool has, int64_t v);
void json_bool(struct buf *b, const char *name, bool v);
/* A number with that many decimals; null if has is false. */
void json_real(
    struct buf *b, const char *name, bool has, double v, int decimals);
