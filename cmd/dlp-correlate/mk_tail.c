/*
 * The tail of emit_nvtx's texts: which of the commas begins it, and what it
 * says. Lists are only delimited here; who wants their contents reads them.
 */
#include "mk_tail.h"

/* The number that *p is at; negative ones, and what does not fit, are -1. */
static bool
number(const char **p, const char *e, int64_t *v)
{
	const char *s = *p;
	bool neg = s < e && *s == '-';
	int64_t u = 0;
	int n = 0;

	for (s += neg; s < e && *s >= '0' && *s <= '9'; s++, n++)
		if (n < 18)
			u = u * 10 + (*s - '0');
	if (n == 0)
		return false;
	*v = neg || n > 18 ? -1 : u;
	*p = s;
	return true;
}

/* A list to where the next key begins, or to the end of the text. */
static bool
list(const char **p, const char *e, struct mview *v)
{
	static const char next[] = ", input_op_ids = [";
	const char *s = *p, *q = memchr(s, 'i', (size_t)(e - s));

	if (q != NULL && q - s > 2 && e - q > 16 &&
	    memcmp(q - 2, next, sizeof(next) - 1) == 0)
		e = q - 2;
	if (s >= e || *s != '[')
		return false;
	*p = e;
	if (e[-1] != ']')
		return false;
	*v = mv(s, e);
	return true;
}

static const struct tail_key {
	const char *s;
	size_t n;
} keys[] = { { ", seq = ", 8 }, { ", op_id = ", 10 }, { ", sizes = [", 11 },
	{ ", input_op_ids = [", 18 } };

/* The key at s: its number, -1 if there is none; -2 if s is the beginning of
 * one, cut off by the end of the text. */
static int
key_at(const char *s, const char *e)
{
	size_t n = (size_t)(e - s);
	int i;

	for (i = 0; i < 4; i++) {
		const struct tail_key *k = &keys[i];

		if (n >= 3 && s[2] != k->s[2])
			continue;
		if (n >= k->n && memcmp(s, k->s, k->n) == 0)
			return i;
		if (n < k->n && memcmp(s, k->s, n) == 0)
			return -2;
	}
	return -1;
}

/*
 * The tail that begins with the comma at s. 1: a tail to the end of the text;
 * 0: none; -1: one that is cut off or malformed, what could be read is set.
 */
static int
tail(struct marker *m, const char *s, const char *e)
{
	int k = 0, n = 0;
	bool ok = true;

	for (; s < e && ok; n++) {
		k = key_at(s, e);
		if (k < 0)
			break;
		s += keys[k].n - (k >= 2);
		if (k == 0)
			ok = number(&s, e, &m->seq);
		else if (k == 1)
			ok = number(&s, e, &m->op_id);
		else
			ok = list(&s, e, k == 2 ? &m->sizes : &m->input_ids);
	}
	if (ok && s == e)
		return 1;
	return (n > 0 && (k >= 2 || s == e)) || k == -2 ? -1 : 0;
}

int
mk_tail(struct marker *m)
{
	const char *s = m->text.s, *e = s + m->text.n, *p = s;
	int r;

	while ((p = memchr(p, ',', (size_t)(e - p))) != NULL) {
		r = tail(m, p, e);
		if (r != 0) {
			m->name = mv(s, p);
			return r;
		}
		m->seq = m->op_id = -1;
		m->sizes.s = m->input_ids.s = NULL;
		p++;
	}
	return 0;
}
