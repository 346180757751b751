/* See mk_json.h. */
#define MK_JSON_BODY
#include "mk_json.h"

bool
json_parse(struct json *j, struct mview text)
{
	static jsmntok_t tok[JSON_TOKENS];
	jsmn_parser p;

	j->text = text;
	j->tok = tok;
	j->n = 0;
	if (text.n > JSON_BYTES)
		return false;
	jsmn_init(&p);
	j->n = jsmn_parse(&p, text.s, text.n, tok, JSON_TOKENS);
	return j->n > 0 && tok[0].type == JSMN_OBJECT;
}

struct mview
json_text(const struct json *j, int i)
{
	return mv(j->text.s + j->tok[i].start, j->text.s + j->tok[i].end);
}

int
json_next(const struct json *j, int i)
{
	int end = j->tok[i].end;

	for (i++; i < j->n && j->tok[i].start < end; i++)
		;
	return i;
}

int
json_get(const struct json *j, int i, const char *key)
{
	int k, end = json_next(j, i);

	if (j->tok[i].type != JSMN_OBJECT)
		return -1;
	for (k = i + 1; k + 1 < end; k = json_next(j, k + 1))
		if (mv_eq(json_text(j, k), key))
			return k + 1;
	return -1;
}
