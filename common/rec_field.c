/* The fields of records; see rec.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "num.h"
#include "rec_impl.h"

const char *const *
rec_split(const struct rec *r)
{
	struct rec_fields *f = r->fields;
	struct rec_reader *rd = r->rd;
	int want = r->type->nnames, n;

	if (f->n >= 0)
		return f->at;
	/* more room than fields, so that tabs_find() need not check it */
	if (rd->field_cap < want + 65) {
		rd->field_cap = want + 128;
		f->at = xrealloc(f->at, (size_t)rd->field_cap, sizeof(*f->at));
	}
	n = tabs_find(r->line, r->len, f->at, rd->field_cap);
	if (n != want)
		rec_die(r, "%s record has %d fields, its legend %d",
		    r->type->tag, n, want);
	f->at[want] = r->line + r->len + 1;
	f->n = want;
	return f->at;
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
rec_sum(const struct rec *r, const struct rec_col *c, int64_t *v)
{
	size_t n, sign;
	const char *s = rec_raw(r, c, &n);

	sign = s != NULL && *s == '-';
	if (s == NULL || n < 19 + sign || n > 40 ||
	    strspn(s + sign, "0123456789") != n - sign || num_i64(s, n, v))
		return rec_i64(r, c, v);
	*v = num_limit(sign ? -1 : 1, 0);
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
