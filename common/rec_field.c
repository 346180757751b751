/* Legends, columns and fields of records; see rec.h. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "cols.h"
#include "err.h"
#include "esc.h"
#include "num.h"
#include "rec_impl.h"

static void
bind(struct rec_type *t, struct rec_col *c)
{
	int i;

	c->pos = -1;
	for (i = 0; i < t->nnames && c->pos < 0; i++)
		if (strcmp(t->names[i], c->name) == 0)
			c->pos = i;
}

struct rec_col *
rec_col(struct rec_type *t, const char *name, enum rec_need need)
{
	struct rec_col *c = xcalloc(1, sizeof(*c));

	c->name = name;
	c->need = need;
	t->cols =
	    xrealloc(t->cols, (size_t)t->ncols + 1, sizeof(struct rec_col *));
	t->cols[t->ncols++] = c;
	bind(t, c);
	t->checked = false;
	return c;
}

int
rec_ncols(const struct rec_type *t)
{
	return t->nnames;
}

const char *
rec_colname(const struct rec_type *t, int i)
{
	return t->names[i];
}

static void
add_name(struct rec_type *t, const char *s, size_t n)
{
	t->names = xrealloc(t->names, (size_t)t->nnames + 1, sizeof(char *));
	t->names[t->nnames++] = xmemdup(s, n);
}

void
rec_bind_legend(struct rec *r)
{
	struct rec_type *t = r->type;
	const char *s = r->line + 1 + t->taglen, *end = r->line + r->len;
	int i;

	for (i = 0; i < t->nnames; i++)
		free(t->names[i]);
	t->nnames = 0;
	while (s < end) { /* s is at a TAB */
		const char *tab = memchr(s + 1, '\t', (size_t)(end - s - 1));

		if (tab == NULL)
			tab = end;
		add_name(t, s + 1, (size_t)(tab - s - 1));
		s = tab;
	}
	for (i = 0; i < t->ncols; i++)
		bind(t, t->cols[i]);
	t->has_legend = true;
	t->checked = false;
}

void
rec_check_legend(struct rec *r)
{
	struct rec_type *t = r->type;
	const struct col_def *d;
	int i;

	if (!t->has_legend)
		rec_die(
		    r, "record '%s' before its legend '#%s'", t->tag, t->tag);
	for (i = 0; i < t->ncols; i++) {
		const struct rec_col *c = t->cols[i];

		if (c->pos >= 0 || c->need == REC_OPT)
			continue;
		d = col_find(t->tag, c->name);
		rec_die(r, "%s records have no column '%s'%s%s", t->tag,
		    c->name, d != NULL ? ": it is written by " : "",
		    d != NULL ? d->by : "");
	}
	t->checked = true;
}

/* Fills p with the places behind each TAB of s[0..n), at most max; the
 * number of TABs. */
static int
find_tabs(const char *s, size_t n, const char **p, int max)
{
	const char *end = s + n;
	int k = 0;

#ifdef __SSE2__
	const __m128i tabs = _mm_set1_epi8('\t');

	for (; end - s >= 16; s += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		unsigned m =
		    (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, tabs));

		for (; m != 0; m &= m - 1, k++)
			if (k < max)
				p[k] = s + __builtin_ctz(m) + 1;
	}
#endif
	for (; s < end; s++)
		if (*s == '\t') {
			if (k < max)
				p[k] = s + 1;
			k++;
		}
	return k;
}

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
	n = find_tabs(r->line, r->len, rd->field, want);
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
