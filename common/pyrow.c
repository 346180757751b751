/* See pyrow.h. */
#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "pylit_json.h"
#include "pyrow.h"

static void
add(struct pyrow *r, struct mview key, struct mview value)
{
	if (r->n == r->cap) {
		r->cap = r->cap == 0 ? 32 : r->cap * 2;
		r->v = xrealloc(r->v, r->cap, sizeof(*r->v));
	}
	r->v[r->n++] = (struct pyrow_item){ key, value };
}

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
		add(r, key, mv(from, l.p));
	}
	return !l.bad && pl_peek(&l) == '\0';
}

void
pyrow_free(struct pyrow *r)
{
	free(r->v);
	memset(r, 0, sizeof(*r));
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
