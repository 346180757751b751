/* Record types, their legends and columns; see rec.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "rec.h"

struct rec_type *
rec_type_new(const char *s, size_t n)
{
	struct rec_type *t = xcalloc(1, sizeof(*t));

	t->tag = xmemdup(s, n);
	t->taglen = n;
	return t;
}

void
rec_type_free(struct rec_type *t)
{
	int i;

	for (i = 0; i < t->ncols; i++)
		free(t->cols[i]);
	for (i = 0; i < t->nnames; i++)
		free(t->names[i]);
	free(t->cols);
	free(t->names);
	free(t->tag);
	free(t);
}

const char *
rec_type_tag(const struct rec_type *t)
{
	return t->tag;
}

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

void
rec_cols(
    struct rec_type *t, enum rec_need need, const struct rec_bind *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		*b[i].to = rec_col(t, b[i].name, need);
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
rec_type_legend(struct rec_type *t, const char *s, size_t n)
{
	const char *end = s + n;
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

const struct rec_col *
rec_type_lacks(const struct rec_type *t)
{
	int i;

	for (i = 0; i < t->ncols; i++)
		if (t->cols[i]->pos < 0 && t->cols[i]->need == REC_NEED)
			return t->cols[i];
	return NULL;
}
