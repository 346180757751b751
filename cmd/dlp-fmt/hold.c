/*
 * A stream in which there is only one record type besides op and str, and
 * that is neither agg nor kern: its rows are held until the stream ends, or
 * until there are so many that nothing else can be meant. A second type ends
 * that: then -T must say what is to be printed.
 */
#include <stdlib.h>

#include "err.h"
#include "fmt.h"

#define MOST 4096 /* rows */

static struct rec_type *type;
static struct column *col;
static int ncol;
static bool two; /* types */
static size_t nheld;
static struct buf text;
static size_t *len; /* per cell, + 1; 0 is unset */

void
hold_legend(struct fmt *f, const struct rec *r)
{
	int i;

	if (f->nnames > 0 || r->type == f->join.op || r->type == f->join.str)
		return;
	if (type == NULL) {
		type = r->type;
		select_default(f, r);
		col = f->col;
		ncol = f->ncol;
		f->col = NULL;
		f->ncol = 0;
		len = xcalloc((size_t)ncol * MOST + 1, sizeof(*len));
	}
	two |= type != r->type;
	for (i = 0; type == r->type && i < ncol; i++)
		join_legend(col[i].from);
}

bool
hold_row(struct fmt *f, const struct rec *r)
{
	size_t n, *l = len + nheld * (size_t)ncol;
	int i;

	if (two || r->type != type)
		return false;
	for (i = 0; i < ncol; i++) {
		const char *s = join_raw(&f->join, r, col[i].from, &n);

		l[i] = s != NULL ? n + 1 : 0;
		if (s != NULL)
			buf_put(&text, s, n);
	}
	return ++nheld == MOST;
}

void
hold_print(struct fmt *f, void (*put)(struct fmt *f, const struct cell *v))
{
	struct cell *v;
	const char *s = text.s;
	const size_t *l = len;
	size_t k;
	int i;

	if (two || type == NULL)
		return;
	f->type = type;
	f->col = col;
	f->ncol = ncol;
	v = xcalloc((size_t)ncol + 1, sizeof(*v));
	for (k = 0; k < nheld; k++) {
		for (i = 0; i < ncol; i++, l++) {
			v[i].s = *l > 0 ? s : NULL;
			v[i].n = *l > 0 ? *l - 1 : 0;
			s += v[i].n;
		}
		put(f, v);
	}
	free(v);
	buf_free(&text);
	free(len);
	len = NULL;
}
