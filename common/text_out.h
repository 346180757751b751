/*
 * Text on its way out of the program, to other programs and to people: which
 * characters a format or a terminal must not get as they are, and what stands
 * for them. The rules are one table in text_out.c.
 */
#ifndef DLP_TEXT_OUT_H
#define DLP_TEXT_OUT_H

#include "buf.h"

/*
 * The rules. The first four are meant to be all. The others are what some
 * commands have done until now: they differ from these in control characters,
 * in those that turn the direction of text or have no width ("hidden", see
 * utf8.h), and in bytes that are no UTF-8.
 */
enum text_rule {
	TEXT_FIELD,      /* a field's escapes stay: TSV */
	TEXT_RAW,        /* as it is: CSV */
	TEXT_JSON,       /* the inside of a JSON string */
	TEXT_JSON_VALUE, /* what is JSON already */

	TEXT_JSON_STATS,   /* dlp-stats: hidden characters stay */
	TEXT_JSON_TRACE,   /* dlp-trace: U+FFFD for them */
	TEXT_JSON_BYTES,   /* dlp-markers: all bytes from 0x80 on stay */
	TEXT_TSV_STATS,    /* dlp-stats: a blank for a TAB, \n, \r */
	TEXT_COLUMN_STATS, /* dlp-stats: a blank for what is hidden */
	TEXT_RULES
};

/* Appends the n bytes of s (not escaped, see esc.h) by the rule. */
void text_put(struct buf *b, const char *s, size_t n, enum text_rule rule);

/* The same of a field's escaped text. */
void text_put_field(
    struct buf *b, const char *s, size_t n, enum text_rule rule);

/* Characters of valid UTF-8. */
size_t text_chars(const char *s, size_t n);

/* Appends a field's escaped text as a terminal shows it: its escapes stay
 * visible, bytes that are no printable UTF-8 become \xHH. Returns the columns
 * that it takes; wide characters take two. */
int text_show(struct buf *b, const char *s, size_t n);

/* How many bytes of the shown text s[0..n) fit in width columns, from its
 * beginning or from its end; *used: the columns that they take. */
size_t text_head(const char *s, size_t n, int width, int *used);
size_t text_tail(const char *s, size_t n, int width, int *used);

/* Appends blanks; none if n is not positive. */
void text_blanks(struct buf *b, int n);

#endif
