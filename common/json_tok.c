/* JSON as tokens; see json_tok.h. */
#define JSMN_STATIC
/* without them, time is quadratic in deep nesting */
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include <stdlib.h>

#include "err.h"
#include "json_tok.h"
#include "num.h"
#include "utf8.h"

static const jsmntok_t *
token(const struct json_doc *j, int i)
{
	return (const jsmntok_t *)j->tok + i;
}

bool
json_parse(struct json_doc *j, const char *s, size_t n, unsigned most)
{
	jsmn_parser p;
	int r = JSMN_ERROR_NOMEM;

	j->s = s;
	j->len = n;
	for (;;) {
		jsmn_init(&p);
		if (j->cap > 0)
			r = jsmn_parse(
			    &p, s, n, j->tok, j->cap < most ? j->cap : most);
		if (r != JSMN_ERROR_NOMEM || j->cap >= most)
			break;
		j->cap = j->cap == 0 ? 256 : j->cap * 4;
		j->tok = xrealloc(j->tok, j->cap, sizeof(jsmntok_t));
	}
	j->n = r > 0 ? r : 0;
	return r > 0;
}

/* True for a word of JSON in a place where JSON allows one. The first child of
 * a key is its value. */
static bool
is_strict_word(const struct json_doc *j, int i)
{
	const jsmntok_t *t = token(j, i);

	if (memchr("-0123456789tfn", j->s[t->start], 14) == NULL ||
	    (size_t)t->end == j->len ||
	    memchr("\t\r\n ,]}", j->s[t->end], 7) == NULL)
		return false;
	return t->parent < 0 || token(j, t->parent)->type != JSMN_STRING ||
	       t->parent == i - 1;
}

bool
json_is_strict(const struct json_doc *j)
{
	int i, parent;

	for (i = 0; i < j->n; i++) {
		parent = token(j, i)->parent;
		if (parent >= 0 && token(j, parent)->type == JSMN_OBJECT &&
		    token(j, i)->type != JSMN_STRING)
			return false;
		if (token(j, i)->type == JSMN_PRIMITIVE &&
		    !is_strict_word(j, i))
			return false;
	}
	return j->n > 0;
}

void
json_free(struct json_doc *j)
{
	free(j->tok);
	memset(j, 0, sizeof(*j));
}

enum json_type
json_type(const struct json_doc *j, int i)
{
	switch (token(j, i)->type) {
	case JSMN_OBJECT:
		return JSON_OBJECT;
	case JSMN_ARRAY:
		return JSON_ARRAY;
	case JSMN_STRING:
		return JSON_STRING;
	default:
		return JSON_WORD;
	}
}

struct mview
json_raw(const struct json_doc *j, int i)
{
	return mv(j->s + token(j, i)->start, j->s + token(j, i)->end);
}

bool
json_is(const struct json_doc *j, int i, const char *lit)
{
	return mv_eq(json_raw(j, i), lit);
}

/* The four digits of \uXXXX, which jsmn has checked. */
static uint32_t
unit(const char *s)
{
	char hex[5] = { s[0], s[1], s[2], s[3], '\0' };

	return (uint32_t)strtoul(hex, NULL, 16);
}

/* Decodes the character after "\u"; returns the place after it. */
static const char *
put_unit(struct buf *out, const char *s, const char *e)
{
	uint32_t c = unit(s);

	s += 4;
	if (c >= 0xd800 && c < 0xdc00 && e - s >= 6 && s[0] == '\\' &&
	    s[1] == 'u' && unit(s + 2) >= 0xdc00 && unit(s + 2) < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (unit(s + 2) - 0xdc00);
		s += 6;
	}
	/* a NUL would end the text */
	utf8_put(out, c == 0 ? 0xfffd : c);
	return s;
}

void
json_unescape_text(struct mview v, struct buf *out)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *s = v.s, *e = v.s + v.n, *f;

	while (s < e) {
		if (*s != '\\' || s + 1 == e) {
			buf_putc(out, *s++);
			continue;
		}
		s += 2;
		if (s[-1] == 'u' && e - s >= 4) {
			s = put_unit(out, s, e);
			continue;
		}
		f = memchr(from, s[-1], sizeof(from) - 1);
		buf_putc(out, f != NULL ? to[f - from] : s[-1]);
	}
}

void
json_unescape(const struct json_doc *j, int i, struct buf *out)
{
	json_unescape_text(json_raw(j, i), out);
}

bool
json_i64(const struct json_doc *j, int i, int64_t *v)
{
	struct mview raw = json_raw(j, i);

	return json_type(j, i) == JSON_WORD && num_i64(raw.s, raw.n, v);
}

int
json_next(const struct json_doc *j, int i)
{
	int end = token(j, i)->end;

	for (i++; i < j->n && token(j, i)->start < end; i++)
		;
	return i;
}

int
json_get(const struct json_doc *j, int i, const char *key)
{
	int k, end = json_next(j, i);

	if (json_type(j, i) != JSON_OBJECT)
		return -1;
	for (k = i + 1; k + 1 < end; k = json_next(j, k + 1))
		if (json_is(j, k, key))
			return k + 1;
	return -1;
}
