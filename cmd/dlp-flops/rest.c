/* The line that our columns are put behind; see rest.h. */
#include <string.h>

#include "err.h"
#include "rest.h"

static bool
is_ours(const struct rest *x, const char *name)
{
	int i;

	for (i = 0; i < x->n; i++)
		if (strcmp(name, x->names[i]) == 0)
			return true;
	return false;
}

static void
learn(struct rest *x, const struct rec *r)
{
	int i, n = rec_ncols(r->type);

	x->ours = xrealloc(x->ours, (size_t)n + 1, sizeof(*x->ours));
	x->some = false;
	for (i = 0; i < n; i++) {
		x->ours[i] = is_ours(x, rec_colname(r->type, i));
		x->some |= x->ours[i];
	}
}

void
rest_legend(struct rest *x, struct buf *b, const struct rec *r)
{
	int i;

	learn(x, r);
	buf_putc(b, '#');
	buf_puts(b, rec_type_tag(r->type));
	for (i = 0; i < rec_ncols(r->type); i++)
		if (!x->ours[i]) {
			buf_putc(b, '\t');
			buf_puts(b, rec_colname(r->type, i));
		}
	for (i = 0; i < x->n; i++) {
		buf_putc(b, '\t');
		buf_puts(b, x->names[i]);
	}
}

void
rest_put(const struct rest *x, struct buf *b, const struct rec *r)
{
	const char *s;
	size_t n;
	int i;

	if (!x->some) {
		buf_put(b, r->line, r->len);
		return;
	}
	buf_puts(b, rec_type_tag(r->type));
	for (i = 0; i < rec_ncols(r->type); i++)
		if (!x->ours[i]) {
			s = rec_field(r, i, &n);
			buf_putc(b, '\t');
			buf_put(b, s, n);
		}
}
