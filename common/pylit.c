/* The pull parser of Python literals; see pylit.h. */
#include <stdlib.h>

#include "array.h"
#include "num.h"
#include "pylit.h"
#include "text_out.h"
#include "utf8.h"

void
pl_init(struct pylit *l, const char *s, size_t n)
{
	l->p = s;
	l->e = s + n;
	l->depth = 0;
	l->bad = false;
}

static bool
fail(struct pylit *l)
{
	l->bad = true;
	l->p = l->e;
	return false;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char
pl_peek(struct pylit *l)
{
	while (l->p < l->e && is_blank(*l->p))
		l->p++;
	return l->p < l->e ? *l->p : '\0';
}

bool
pl_enter(struct pylit *l, char open)
{
	char c = pl_peek(l);

	if (l->bad || l->depth == PL_DEPTH)
		return fail(l);
	if (open != '\0' ? c != open : c != '[' && c != '(')
		return fail(l);
	l->close[l->depth] = c == '(' ? ')' : c == '[' ? ']' : '}';
	l->first[l->depth++] = true;
	l->p++;
	return true;
}

bool
pl_item(struct pylit *l)
{
	char c = pl_peek(l);
	unsigned top = l->depth - 1;

	if (l->bad || l->depth == 0 || c == '\0')
		return fail(l);
	if (!l->first[top] && c != l->close[top]) {
		if (c != ',')
			return fail(l);
		l->p++;
		c = pl_peek(l);
	}
	l->first[top] = false;
	if (c != l->close[top])
		return true;
	l->p++;
	l->depth--;
	return false;
}

/* Skips a quoted text; p is at the quote. False if it does not end. */
static bool
quoted(struct pylit *l, struct pl_atom *a, bool raw)
{
	const char *s = l->p + 1, *p = s;
	char q = *l->p;

	a->kind = PL_STR;
	a->esc = false;
	for (; p < l->e && *p != q; p++) {
		if (*p != '\\')
			continue;
		a->esc = !raw;
		if (++p == l->e)
			break;
	}
	if (p >= l->e)
		return fail(l);
	a->raw = (struct mview){ s, (size_t)(p - s) };
	l->p = p + 1;
	return true;
}

static bool
is_quote(char c)
{
	return c == '\'' || c == '"';
}

/* The letters that can precede a quote: b'' u'' r'' br''. */
static size_t
str_prefix(const struct pylit *l, bool *raw)
{
	size_t i;

	*raw = false;
	for (i = 0; i < 3 && l->p + i < l->e; i++) {
		char c = l->p[i] | 0x20;

		if (is_quote(l->p[i]))
			return i;
		if (c != 'b' && c != 'u' && c != 'r')
			break;
		*raw |= c == 'r';
	}
	return i < 3 && l->p + i < l->e && is_quote(l->p[i]) ? i : SIZE_MAX;
}

/* Skips an expression that is not a literal, torch.device('cuda', 0) or <A at
 * 0x1>, up to the comma or bracket that ends it. */
static const char *
opaque_end(struct pylit *l, bool key)
{
	struct pl_atom skip;
	size_t deep = 0;
	bool angle = *l->p == '<';

	while (l->p < l->e) {
		char c = *l->p;

		if (is_quote(c)) {
			if (!quoted(l, &skip, false))
				return NULL;
			continue;
		}
		if (deep == 0 &&
		    (c == ')' || c == ']' || c == '}' ||
			(!angle && (c == ',' || (key && c == ':')))))
			return l->p;
		deep += c == '(' || c == '[' || c == '{';
		deep -= c == ')' || c == ']' || c == '}';
		if (c == '>')
			angle = false;
		l->p++;
	}
	return deep == 0 ? l->p : NULL;
}

static bool
atom(struct pylit *l, struct pl_atom *a, bool key)
{
	const char *s, *e;
	size_t pre;
	bool raw;

	if (l->bad || pl_peek(l) == '\0')
		return fail(l);
	pre = str_prefix(l, &raw);
	if (pre != SIZE_MAX) {
		l->p += pre;
		return quoted(l, a, raw);
	}
	s = l->p;
	e = opaque_end(l, key);
	while (e != NULL && e > s && is_blank(e[-1]))
		e--;
	if (e == NULL || e == s)
		return fail(l);
	a->raw = (struct mview){ s, (size_t)(e - s) };
	a->esc = false;
	a->kind = json_is_num(s, a->raw.n) ? PL_NUM : PL_WORD;
	return true;
}

bool
pl_atom(struct pylit *l, struct pl_atom *a)
{
	return atom(l, a, false);
}

bool
pl_key(struct pylit *l, struct mview *key)
{
	struct pl_atom a;

	if (!pl_item(l))
		return false;
	if (!atom(l, &a, true))
		return false;
	if (pl_peek(l) != ':')
		return fail(l);
	l->p++;
	*key = a.raw;
	return true;
}

/* Literals to JSON and to text. */

/* A number of up to max digits; moves *p past them. */
static unsigned long
code(const char **p, const char *e, int max, int base)
{
	static const char digits[] = "00112233445566778899aAbBcCdDeEfF";
	unsigned long v = 0;
	const char *d;

	for (; max > 0 && *p < e; max--, ++*p) {
		d = memchr(digits, **p, 2 * (size_t)base);
		if (d == NULL)
			break;
		v = v * (unsigned)base + (unsigned long)(d - digits) / 2;
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
		utf8_put(out, code(&s, e, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16));
		return s;
	}
	if (c >= '0' && c <= '7') {
		utf8_put(out, code(&s, e, 3, 8));
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
		if (mv_eq(a->raw, words[i][0])) {
			buf_puts(out, words[i][1]);
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

/* A line that is a dict. */

bool
pyrow_read(struct pyrow *r, const char *s, size_t n)
{
	struct pylit l;
	struct mview key;
	const char *from;

	r->n = 0;
	pl_init(&l, s, n);
	if (!pl_enter(&l, '{'))
		return false;
	while (pl_key(&l, &key)) {
		(void)pl_peek(&l);
		from = l.p;
		if (!pl_skip(&l))
			return false;
		ARRAY_GROW(r->v, r->n, r->cap);
		r->v[r->n++] = (struct pyrow_item){ key, mv(from, l.p) };
	}
	return !l.bad && pl_peek(&l) == '\0';
}

struct mview
pyrow_get(const struct pyrow *r, const char *key)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (mv_eq(r->v[i].key, key))
			return r->v[i].value;
	return (struct mview){ NULL, 0 };
}

bool
pyrow_i64(const struct pyrow *r, const char *key, int64_t *v)
{
	struct mview x = pyrow_get(r, key);

	while (x.n > 0 && (x.s[x.n - 1] == ' ' || x.s[x.n - 1] == '\t'))
		x.n--;
	return x.s != NULL && num_i64(x.s, x.n, v);
}

bool
pyrow_str(const struct pyrow *r, const char *key, struct buf *out)
{
	struct mview x = pyrow_get(r, key);
	struct pylit l;
	struct pl_atom a;

	if (x.s == NULL)
		return false;
	pl_init(&l, x.s, x.n);
	if (pl_peek(&l) == '[' || pl_peek(&l) == '(' || pl_peek(&l) == '{' ||
	    !pl_atom(&l, &a) || a.kind != PL_STR)
		return false;
	pl_text(&a, out);
	return true;
}

void
pyrow_list(struct pylit *l, struct mview value)
{
	pl_init(
	    l, value.s != NULL ? value.s : "()", value.s != NULL ? value.n : 2);
	(void)pl_enter(l, '\0');
}

bool
pyrow_item(struct pylit *l, struct pl_atom *a)
{
	char c;

	if (l->bad || !pl_item(l))
		return false;
	c = pl_peek(l);
	if (c == '[' || c == '(' || c == '{') {
		l->bad = true;
		return false;
	}
	return pl_atom(l, a);
}
