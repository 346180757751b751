/* See pylit_json.h. */
#include "pylit_json.h"

#include "json_text.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
put_utf8(struct buf *out, unsigned long c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		buf_putc(out, (char)c);
	} else if (c < 0x800) {
		buf_putc(out, (char)(0xc0 | c >> 6));
		buf_putc(out, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		buf_putc(out, (char)(0xe0 | c >> 12));
		buf_putc(out, (char)(0x80 | (c >> 6 & 63)));
		buf_putc(out, (char)(0x80 | (c & 63)));
	} else {
		buf_putc(out, (char)(0xf0 | c >> 18));
		buf_putc(out, (char)(0x80 | (c >> 12 & 63)));
		buf_putc(out, (char)(0x80 | (c >> 6 & 63)));
		buf_putc(out, (char)(0x80 | (c & 63)));
	}
}

static int
digit_in(char c, int base)
{
	int v = is_digit(c)         ? c - '0'
		: (c | 0x20) >= 'a' ? (c | 0x20) - 'a' + 10
				    : base;

	return v < base ? v : -1;
}

/* A number of up to max digits; moves *p past them. */
static unsigned long
code(const char **p, const char *e, int max, int base)
{
	unsigned long v = 0;
	int d;

	for (; max > 0 && *p < e && (d = digit_in(**p, base)) >= 0; max--) {
		v = v * (unsigned)base + (unsigned)d;
		++*p;
	}
	return v;
}

/* Decodes one escape; s is after the backslash. Returns the place after it. */
static const char *
escape(struct buf *out, const char *s, const char *e)
{
	static const char from[] = "abfnrtv\\'\"";
	static const char to[] = "\a\b\f\n\r\t\v\\'\"";
	const char *f;
	char c = *s;

	if (c == '\n')
		return s + 1;
	if (c == 'x' || c == 'u' || c == 'U') {
		s++;
		put_utf8(out, code(&s, e, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16));
		return s;
	}
	if (c >= '0' && c <= '7') {
		put_utf8(out, code(&s, e, 3, 8));
		return s;
	}
	f = c != '\0' ? strchr(from, c) : NULL;
	if (f == NULL)
		buf_putc(out, '\\');
	buf_putc(out, f != NULL ? to[f - from] : c);
	return s + 1;
}

void
pl_text(const struct pl_atom *a, struct buf *out)
{
	const char *s = a->raw.s, *e = s + a->raw.n, *b;

	while (a->esc && (b = memchr(s, '\\', (size_t)(e - s))) != NULL &&
	       b + 1 < e) {
		buf_put(out, s, (size_t)(b - s));
		s = escape(out, b + 1, e);
	}
	buf_put(out, s, (size_t)(e - s));
}

static void
put_atom(struct buf *out, const struct pl_atom *a)
{
	static const char *const words[][2] = { { "True", "true" },
		{ "False", "false" }, { "None", "null" } };
	static struct buf tmp;
	size_t i;

	if (a->kind == PL_NUM) {
		buf_put(out, a->raw.s, a->raw.n);
		return;
	}
	for (i = 0; a->kind == PL_WORD && i < 3; i++)
		if (strlen(words[i][0]) == a->raw.n &&
		    memcmp(words[i][0], a->raw.s, a->raw.n) == 0) {
			buf_puts(out, words[i][1]);
			return;
		}
	if (!a->esc) {
		json_quote(out, a->raw.s, a->raw.n, TEXT_JSON_BYTES);
		return;
	}
	buf_clear(&tmp);
	pl_text(a, &tmp);
	json_quote(out, tmp.s, tmp.len, TEXT_JSON_BYTES);
}

/* Goes to the next item of the open container: its comma and key. */
static bool
next_item(struct pylit *l, struct buf *out)
{
	bool dict = l->close[l->depth - 1] == '}';
	bool first = l->first[l->depth - 1];
	struct mview key;

	if (dict ? !pl_key(l, &key) : !pl_item(l))
		return false;
	if (out == NULL)
		return true;
	if (!first)
		buf_putc(out, ',');
	if (dict) {
		json_quote(out, key.s, key.n, TEXT_JSON_BYTES);
		buf_putc(out, ':');
	}
	return true;
}

static bool
put_value(struct pylit *l, struct buf *out)
{
	struct pl_atom a;
	char c = pl_peek(l);

	if (c == '[' || c == '(' || c == '{') {
		if (out != NULL)
			buf_putc(out, c == '{' ? '{' : '[');
		return pl_enter(l, c);
	}
	if (!pl_atom(l, &a))
		return false;
	if (out != NULL)
		put_atom(out, &a);
	return true;
}

bool
pl_json(struct pylit *l, struct buf *out)
{
	unsigned base = l->depth;

	if (!put_value(l, out))
		return false;
	while (l->depth > base) {
		bool dict = l->close[l->depth - 1] == '}';

		if (next_item(l, out)) {
			if (!put_value(l, out))
				return false;
		} else if (l->bad) {
			return false;
		} else if (out != NULL) {
			buf_putc(out, dict ? '}' : ']');
		}
	}
	return true;
}

bool
pl_skip(struct pylit *l)
{
	return pl_json(l, NULL);
}
