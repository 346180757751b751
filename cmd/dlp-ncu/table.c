/* See table.h. */
#include <fnmatch.h>
#include <stdlib.h>

#include "err.h"
#include "esc.h"
#include "head.h"
#include "plain.h"
#include "table.h"
#include "unit.h"

struct rows {
	size_t *v, n, cap;
};

static void
add_col(struct table *t, struct head *h, const char *name, int field)
{
	t->cols = xrealloc(t->cols, (size_t)t->ncols + 1, sizeof(*t->cols));
	h->src = xrealloc(h->src, (size_t)t->ncols + 1, sizeof(*h->src));
	h->src[t->ncols] = (struct source){ field };
	t->cols[t->ncols++] = xstrdup(name);
}

static bool
has_col(const struct table *t, const char *name)
{
	int i;

	for (i = 0; i < t->ncols; i++)
		if (strcmp(t->cols[i], name) == 0)
			return true;
	return false;
}

static void
add_known(struct table *t, struct csv *c, struct head *h)
{
	size_t i;

	add_col(t, h, "ncu_tc", -1);
	for (i = 0; i < HEAD_KNOWN; i++)
		add_col(t, h, head_known[i].col,
		    head_find(c, head_known[i].metric, head_known[i].own));
}

static void
add_more(struct table *t, struct head *h, char *const *names,
    const char *pattern, const char *file)
{
	struct buf b = { NULL, 0, 0 };
	bool any = false;
	int i;

	for (i = 0; i < h->nfields; i++) {
		if (fnmatch(pattern, names[i], 0) != 0)
			continue;
		any = true;
		buf_clear(&b);
		buf_puts(&b, "ncu_");
		unit_column(&b, names[i], h->unit[i] != NULL ? h->unit[i] : "");
		if (!has_col(t, buf_str(&b)))
			add_col(t, h, buf_str(&b), i);
	}
	if (!any)
		die("-m: '%s' is no metric of %s", pattern, file);
	buf_free(&b);
}

/* Blanks differ between tools. */
static void
put_name(struct buf *out, const char *s, size_t n, bool plain)
{
	size_t i;

	if (plain) {
		buf_putc(out, '\1'); /* no name begins so */
		plain_name(out, s, n);
		return;
	}
	for (i = 0; i < n; i++)
		if (s[i] != ' ')
			buf_putc(out, s[i]);
}

/* (2, 64, 1) and 2,64,1 are the same. */
static void
put_dim(struct buf *out, const char *s, size_t n)
{
	size_t i;

	buf_putc(out, '\0');
	for (i = 0; i < n; i++)
		if (s[i] == ',' || (s[i] >= '0' && s[i] <= '9'))
			buf_putc(out, s[i]);
}

void
table_key(struct buf *out, const char *name, size_t nname, const char *grid,
    size_t ngrid, const char *block, size_t nblock, bool plain)
{
	buf_clear(out);
	put_name(out, name, nname, plain);
	put_dim(out, grid, ngrid);
	put_dim(out, block, nblock);
}

enum { C_TC, C_MMA, C_FLOP }; /* the first columns */

static void
put_tc(struct table *t, const struct csv *c, const struct head *h)
{
	double inst = 0, flop = 0;
	bool has = head_mma(h, c, h->src[C_MMA].field, &inst);

	has |= head_ops(h, c, h->src[C_FLOP].field, &flop);
	buf_puts(&t->text, !has                   ? "unknown"
			   : inst > 0 || flop > 0 ? "yes"
						  : "no");
}

static void
put_value(struct table *t, const struct csv *c, const struct head *h, int col)
{
	int f = h->src[col].field;
	const char *s = f >= 0 ? csv_field(c, f) : "";
	const char *unit = f >= 0 && h->unit[f] != NULL ? h->unit[f] : "";
	double v;

	if (col == C_TC) {
		put_tc(t, c, h);
	} else if ((col == C_MMA ? head_mma(h, c, f, &v)
				 : col == C_FLOP && head_ops(h, c, f, &v)) &&
		   v < 9e18 && v > -9e18) {
		buf_i64(&t->text, (int64_t)v);
	} else if (col <= C_FLOP || !unit_value(&t->text, s, unit)) {
		if (col <= C_FLOP || *s == '\0' || strcmp(s, "-") == 0 ||
		    strcmp(s, "n/a") == 0 || strcmp(s, "nan") == 0)
			buf_putc(&t->text, '-');
		else
			esc_put(&t->text, s, strlen(s));
	}
}

static void
grow(struct table *t)
{
	if (t->nrows < t->cap)
		return;
	t->cap = t->cap == 0 ? 64 : t->cap * 2;
	t->at = xrealloc(t->at, t->cap * (size_t)t->ncols, sizeof(*t->at));
	t->used = xrealloc(t->used, t->cap, sizeof(*t->used));
}

static void
add_to(struct table *t, uint32_t key, size_t row)
{
	struct rows *l;

	if (key >= t->nlists) {
		t->lists =
		    xrealloc(t->lists, (size_t)key + 1, sizeof(*t->lists));
		memset(&t->lists[key], 0, sizeof(*t->lists));
		t->nlists = (size_t)key + 1;
	}
	l = &t->lists[key];
	if (l->n == l->cap) {
		l->cap = l->cap == 0 ? 4 : l->cap * 2;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = row;
}

static void
add_row(struct table *t, const struct csv *c, const struct head *h)
{
	static struct buf key;
	const char *name = csv_field(c, h->name), *g = csv_field(c, h->grid),
		   *b = csv_field(c, h->block);
	int i;

	grow(t);
	for (i = 0; i < t->ncols; i++) {
		t->at[t->nrows * (size_t)t->ncols + (size_t)i] = t->text.len;
		put_value(t, c, h, i);
		buf_putc(&t->text, '\0');
	}
	t->used[t->nrows] = false;
	for (i = 0; i < 2; i++) {
		table_key(&key, name, strlen(name), g, strlen(g), b, strlen(b),
		    i == 1);
		add_to(t, smap_put(&t->keys, key.s, key.len, NULL), t->nrows);
	}
	t->nrows++;
}

static char **
keep_names(const struct csv *c)
{
	char **names = xcalloc((size_t)c->n, sizeof(*names));
	int i;

	for (i = 0; i < c->n; i++)
		names[i] = xstrdup(csv_field(c, i));
	return names;
}

static void
free_all(char **v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

void
table_read(struct table *t, const char *path, char **more, int nmore)
{
	struct csv c;
	struct head h;
	char **names;
	bool has;
	int i;

	memset(t, 0, sizeof(*t));
	csv_open(&c, path);
	head_read(&h, &c);
	add_known(t, &c, &h);
	names = keep_names(&c);
	has = csv_next(&c);
	/* the row of units has no kernel */
	if (has && c.n == h.nfields && *csv_field(&c, h.name) == '\0') {
		for (i = 0; i < c.n; i++)
			h.unit[i] = xstrdup(csv_field(&c, i));
		has = csv_next(&c);
	}
	for (i = 0; i < nmore; i++)
		add_more(t, &h, names, more[i], c.in.name);
	for (; has; has = csv_next(&c))
		if (c.n == h.nfields)
			add_row(t, &c, &h);
		else
			t->bad++;
	if (t->nrows == 0)
		die("%s: no kernels in it", c.in.name);
	free_all(names, h.nfields);
	free_all(h.unit, h.nfields);
	free(h.ops);
	free(h.src);
	csv_close(&c);
}

uint32_t
table_find(const struct table *t, const struct buf *key)
{
	return smap_find(&t->keys, key->s, key->len);
}

size_t
table_row(struct table *t, uint32_t key, uint64_t n)
{
	const struct rows *l = &t->lists[key];

	if (n >= l->n)
		return SIZE_MAX;
	t->used[l->v[n]] = true;
	return l->v[n];
}

const char *
table_value(const struct table *t, size_t row, int col)
{
	return t->text.s + t->at[row * (size_t)t->ncols + (size_t)col];
}

void
table_free(struct table *t)
{
	size_t i;

	for (i = 0; i < t->nlists; i++)
		free(t->lists[i].v);
	free(t->lists);
	free_all(t->cols, t->ncols);
	smap_free(&t->keys);
	buf_free(&t->text);
	free(t->at);
	free(t->used);
}
