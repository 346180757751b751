/*
 * Text on its way out of the program, to other programs and to people: the
 * characters that a format or a terminal must not get, and their replacements.
 * The rules are one table in text_out.c.
 */
#pragma once

#include <stdbool.h>

#include "buf.h"

/*
 * The rules. The first four should be enough; the others keep the output of
 * some commands as it has been. They differ in control characters, in
 * characters that change the direction of text or have no width ("hidden", see
 * utf8.h), and in bytes that are not UTF-8.
 */
enum text_rule {
	TEXT_FIELD,      /* a field's escapes stay: TSV */
	TEXT_RAW,        /* line ends and TABs stay: CSV with --guard */
	TEXT_JSON,       /* the inside of a JSON string */
	TEXT_JSON_VALUE, /* text that is JSON already */

	TEXT_JSON_STATS, /* dlp-stats: control characters by number */
	TEXT_JSON_TRACE, /* dlp-trace: U+FFFD for hidden characters */
	TEXT_JSON_BYTES, /* JSON inside a record, whose writer does the rest */
	TEXT_TSV_STATS,  /* dlp-stats: a blank for TAB, LF and CR */
	TEXT_COLUMN_STATS, /* dlp-stats: a blank for hidden characters */
	TEXT_RULES
};

/* Appends the n bytes of s (not escaped, see esc.h) by the rule. */
void text_put(struct buf *b, const char *s, size_t n, enum text_rule rule);

/* The same for a field's escaped text. */
void text_put_field(
    struct buf *b, const char *s, size_t n, enum text_rule rule);

/* Characters of valid UTF-8. */
size_t text_chars(const char *s, size_t n);

/* Appends a field's escaped text as a terminal shows it: its escapes stay
 * visible, bytes that are not printable UTF-8 become \xHH. Returns the number
 * of columns; wide characters take two. */
int text_show(struct buf *b, const char *s, size_t n);

/* The number of bytes of the shown text s[0..n) that fit into width columns,
 * from its beginning or its end; *used: their columns. */
size_t text_head(const char *s, size_t n, int width, int *used);
size_t text_tail(const char *s, size_t n, int width, int *used);

/* Appends blanks; none if n is not positive. */
void text_blanks(struct buf *b, int n);

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
