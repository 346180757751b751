/* The lists in emit_nvtx's tail: sizes and input_op_ids. */
#include "buf.h"
#include "marker.h"

#define LIST_MAX 262144u

static bool
is_size(char c)
{
	return (c >= '0' && c <= '9') || c == ',' || c == '-';
}

/* Brackets balanced, nothing but numbers in them. */
static bool
put_sizes(struct buf *b, struct mview v)
{
	size_t i, deep = 0;

	for (i = 0; i < v.n; i++) {
		char c = v.s[i];

		if (c == ' ')
			continue;
		if (c == ']' ? deep == 0 : c != '[' && !is_size(c))
			return false;
		deep += c == '[';
		deep -= c == ']';
		if (deep == 0 && i + 1 < v.n)
			return false;
		buf_putc(b, c);
	}
	return deep == 0;
}

bool
marker_sizes(const struct marker *m, struct mview *v)
{
	static struct buf out;

	buf_clear(&out);
	if (m->sizes.s == NULL || m->sizes.n > LIST_MAX)
		return false;
	buf_reserve(&out, m->sizes.n);
	if (!put_sizes(&out, m->sizes))
		return false;
	*v = (struct mview){ out.s, out.len };
	return true;
}

/* A number at *p, minus allowed; *p goes behind it. */
static bool
number(const char **p, const char *e, int64_t *v)
{
	bool neg = *p < e && **p == '-';
	const char *s = *p + neg;
	int64_t u = 0;
	int n;

	for (n = 0; s < e && *s >= '0' && *s <= '9' && n < 18; s++, n++)
		u = u * 10 + (*s - '0');
	*p = s;
	*v = neg ? -u : u;
	return n > 0;
}

bool
marker_input(const struct marker *m, size_t *at, int64_t *op_id, int64_t *out)
{
	const char *e, *p;

	if (m->input_ids.s == NULL || *at >= m->input_ids.n)
		return false;
	e = m->input_ids.s + m->input_ids.n;
	p = memchr(m->input_ids.s + *at, '(', m->input_ids.n - *at);
	if (p == NULL)
		return false;
	p++;
	if (!number(&p, e, op_id) || p == e || *p++ != ',' ||
	    !number(&p, e, out))
		return false;
	*at = (size_t)(p - m->input_ids.s);
	return true;
}
