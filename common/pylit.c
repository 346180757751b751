/* The pull parser of Python literals; see pylit.h. */
#include "pylit.h"

#include "json_text.h"

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
