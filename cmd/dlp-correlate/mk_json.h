/* JSON in markers: jsmn with a bounded number of tokens. */
#ifndef DLP_MK_JSON_H
#define DLP_MK_JSON_H

#define JSMN_PARENT_LINKS
#define JSMN_STRICT
#ifndef MK_JSON_BODY
#define JSMN_HEADER
#endif
#include <jsmn.h>

#include "mview.h"

#define JSON_TOKENS 2048
#define JSON_BYTES 1000000

struct json { /* one parsed text; the tokens are shared: one at a time */
	struct mview text;
	const jsmntok_t *tok;
	int n;
};

/* false: no JSON object, or too big. */
bool json_parse(struct json *j, struct mview text);

/* A token's text, strings without their quotes. */
struct mview json_text(const struct json *j, int i);

/* The token behind the whole value i. */
int json_next(const struct json *j, int i);

/* The value of a key in object i, or -1. */
int json_get(const struct json *j, int i, const char *key);

#endif
