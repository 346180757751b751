/*
 * JSON as tokens: json_is_strict() must judge a text as jsmn's own strict
 * mode does, which rejects what is only like JSON.
 */
#include <stdio.h>
#include <string.h>

#include "json_tok.h"

static int failed;

static void
expect(bool ok, const char *what)
{
	if (ok)
		return;
	printf("%s\n", what);
	failed = 1;
}

static const struct {
	const char *text;
	bool lenient, strict;
} texts[] = {
	{ "", false, false },
	{ "{}", true, true },
	{ "[1, -2, true, null]", true, true },
	{ "{\"a\": {\"b\": [1]}}", true, true },
	{ "{\"a\": 1", false, false },
	{ "{'a': 1}", true, false }, /* a Python dict */
	{ "{a: 1}", true, false },
	{ "{1: 2}", true, false },
	{ "[inf]", true, false },
	{ "{\"a\" 1 2}", true, false },
	{ "{{}: 1}", true, false },
	{ "12", true, false }, /* its end is not there */
	{ "12 ", true, true },
	{ "[\"\\u00zz\"]", false, false },
};

static void
check_strict(void)
{
	struct json_doc j = { 0 };
	size_t i;
	bool ok;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ok = json_parse(&j, texts[i].text, strlen(texts[i].text), 100);
		expect(ok == texts[i].lenient, texts[i].text);
		expect(!ok || json_is_strict(&j) == texts[i].strict,
		    texts[i].text);
	}
	json_free(&j);
}

static void
check_walk(void)
{
	static const char s[] = "{\"x\": [[1, 2], \"t\\n\\u20ac\\ud83d\\ude00"
				"\\ud800\\/\", {}], \"n\": -7}";
	static const char plain[] =
	    "t\n\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd/";
	struct json_doc j = { 0 };
	struct buf b = { 0 };
	int64_t v = 0;
	int x, k;

	expect(!json_parse(&j, s, strlen(s), 5), "more tokens than allowed");
	expect(json_parse(&j, s, strlen(s), 1000), "parse");
	x = json_get(&j, 0, "x");
	expect(x > 0 && json_type(&j, x) == JSON_ARRAY, "x");
	k = json_next(&j, x + 1);
	expect(json_type(&j, k) == JSON_STRING, "the sibling of an array");
	json_unescape(&j, k, &b);
	expect(strcmp(buf_str(&b), plain) == 0, "unescape");
	k = json_next(&j, k);
	expect(json_type(&j, k) == JSON_OBJECT, "the last sibling");
	expect(json_next(&j, k) == json_next(&j, x), "the end of the array");
	k = json_get(&j, 0, "n");
	expect(k > 0 && json_i64(&j, k, &v) && v == -7, "a number");
	expect(!json_i64(&j, x, &v), "an array is no number");
	expect(json_get(&j, 0, "y") == -1, "no such key");
	expect(json_get(&j, x, "x") == -1, "no object");
	buf_free(&b);
	json_free(&j);
}

int
main(void)
{
	check_strict();
	check_walk();
	return failed;
}
