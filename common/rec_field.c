/* The fields of records; see rec.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "num.h"
#include "rec_impl.h"
#include "tabs.h"

static void
split(const struct rec *r)
{
	struct rec_reader *rd = r->rd;
	int want = r->type->nnames, n;

	if (rd->field_cap < want + 1) {
		rd->field_cap = want + 64;
		rd->field = xrealloc(
		    rd->field, (size_t)rd->field_cap, sizeof(*rd->field));
	}
	n = tabs_find(r->line, r->len, rd->field, want);
	if (n != want)
		rec_die(r, "%s record has %d fields, its legend %d",
		    r->type->tag, n, want);
	rd->field[want] = r->line + r->len + 1;
	rd->nsplit = want;
}

const char *
rec_field(const struct rec *r, int i, size_t *n)
{
	const struct rec_reader *rd = r->rd;

	if (rd->nsplit < 0)
		split(r);
	*n = (size_t)(rd->field[i + 1] - rd->field[i]) - 1;
	return rd->field[i];
}

const char *const *
rec_split(const struct rec *r)
{
	if (r->rd->nsplit < 0)
		split(r);
	return r->rd->field;
}

const char *
rec_raw(const struct rec *r, const struct rec_col *c, size_t *n)
{
	const char *s;

	if (c->pos < 0)
		return NULL;
	s = rec_field(r, c->pos, n);
	return *n == 1 && s[0] == '-' ? NULL : s;
}

const char *
rec_str(
    const struct rec *r, const struct rec_col *c, struct buf *tmp, size_t *n)
{
	const char *s = rec_raw(r, c, n);

	if (s == NULL)
		return NULL;
	buf_clear(tmp);
	if (esc_has(s, *n))
		esc_undo(tmp, s, *n);
	else
		buf_put(tmp, s, *n);
	*n = tmp->len;
	return buf_str(tmp);
}

struct mview
rec_view(const struct rec *r, const struct rec_col *c)
{
	struct mview v = { NULL, 0 };

	v.s = rec_raw(r, c, &v.n);
	return v;
}

bool
rec_is(const struct rec *r, const struct rec_col *c, const char *word)
{
	return mv_eq(rec_view(r, c), word);
}

bool
rec_i64(const struct rec *r, const struct rec_col *c, int64_t *v)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	if (s == NULL)
		return false;
	if (!num_i64(s, n, v))
		rec_die(r, "%s: %s is no integer: '%.*s'", r->type->tag,
		    c->name, (int)(n < 40 ? n : 40), s);
	return true;
}

bool
rec_f64(const struct rec *r, const struct rec_col *c, double *v)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	if (s == NULL)
		return false;
	if (!num_f64(s, n, v))
		rec_die(r, "%s: %s is no number: '%.*s'", r->type->tag, c->name,
		    (int)(n < 40 ? n : 40), s);
	return true;
}
