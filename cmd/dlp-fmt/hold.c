/*
 * A stream without agg and kern: the rows of its main type are held until the
 * stream ends, or until there are so many that nothing else can be meant.
 * Iterations are what a stream that has them is about; facts about the
 * profile are what it is about only if it has nothing else. Of two other
 * types none is the main one: then -T must say what is to be printed.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "hold.h"
#include "select.h"

#define MOST 4096 /* rows */

static const struct {
	const char *type;
	int rank;
} ranks[] = { { "iter", 3 }, { "cand", 2 }, { "dev", 0 }, { "proc", 0 },
	{ "thread", 0 }, { "diag", 0 } };

static struct rec_type *type;
static int rank; /* of type */
static struct column *col;
static struct column *col_of[4]; /* by rank: readers know their columns */
static int ncol;
static bool two; /* types */
static size_t nheld;
static struct buf text;
static size_t *len; /* per cell, + 1; 0 is unset */

static int
rank_of(const struct rec_type *t)
{
	size_t i;

	for (i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (strcmp(ranks[i].type, rec_type_tag(t)) == 0)
			return ranks[i].rank;
	return 1;
}

/* Begins to hold the type's rows, and forgets another's. */
static void
hold_type(struct fmt *f, const struct rec *legend)
{
	type = legend->type;
	rank = rank_of(type);
	two = false;
	nheld = 0;
	buf_clear(&text);
	free(len);
	select_default(f, legend);
	col = col_of[rank] = f->col;
	ncol = f->ncol;
	f->col = NULL;
	f->ncol = 0;
	len = xcalloc((size_t)ncol * MOST + 1, sizeof(*len));
}

void
hold_legend(struct fmt *f, const struct rec *r)
{
	int i;

	if (f->nnames > 0 || r->type == f->join.op || r->type == f->join.str)
		return;
	if (type == NULL || rank_of(r->type) > rank)
		hold_type(f, r);
	two |= type != r->type && rank_of(r->type) == rank;
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
hold_print(
    struct fmt *f, void (*put)(struct fmt *f, const struct writer_cell *v))
{
	struct writer_cell *v;
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
