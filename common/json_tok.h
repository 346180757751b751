/*
 * JSON as an array of tokens (jsmn): the root is token 0, and what a token
 * holds follows it. A key is a token whose value is the next one.
 *
 *	struct json_doc doc = { 0 };
 *
 *	if (json_parse(&doc, s, n, 2048) && (i = json_get(&doc, 0, "args")) > 0)
 *		for (k = i + 1; k < json_next(&doc, i); k = json_next(&doc, k))
 *			...
 *	json_free(&doc);
 */
#pragma once

#include <stdint.h>

#include "buf.h"
#include "mview.h"

/* JSON_WORD is a number, true, false, null. */
enum json_type { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_WORD };

struct json_doc { /* zeroed before the first use; can be parsed into again */
	const char *s; /* the text; the caller owns it */
	size_t len;
	int n;     /* tokens */
	void *tok; /* jsmn's */
	unsigned cap;
};

/*
 * Reads a text of at most `most` tokens. False if the text is not JSON, or has
 * more. The reader is lenient: any text between commas is a word, and keys need
 * no quotes. Tokens are valid until the next call.
 */
bool json_parse(struct json_doc *j, const char *s, size_t n, unsigned most);

/* True if the parsed text follows JSON's rules for words and keys, and is not
 * merely similar, such as a Python dict. */
bool json_is_strict(const struct json_doc *j);

void json_free(struct json_doc *j);

enum json_type json_type(const struct json_doc *j, int i);

/* The token's text as it is written; a string without its quotes. */
struct mview json_raw(const struct json_doc *j, int i);

/* True if the token's text is lit. */
bool json_is(const struct json_doc *j, int i, const char *lit);

/* Appends a string's text with its escapes resolved; half of a surrogate pair
 * becomes U+FFFD. */
void json_unescape(const struct json_doc *j, int i, struct buf *out);

/* The same of a string's raw text. */
void json_unescape_text(struct mview v, struct buf *out);

/* A word that is an integer; false if it is not, or does not fit. */
bool json_i64(const struct json_doc *j, int i, int64_t *v);

/* The token after token i and everything in it. */
int json_next(const struct json_doc *j, int i);

/* The value of a key in object i; -1 if i is not an object, or has no such key.
 */
int json_get(const struct json_doc *j, int i, const char *key);
