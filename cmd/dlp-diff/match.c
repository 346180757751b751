/* Rows into pairs; see match.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "match.h"

void
match_judge(struct pair *p, double floor)
{
	const struct sum *a = &p->side[0], *b = &p->side[1];
	double d = b->mean - a->mean, least;

	p->noise = stat_noise(a, b);
	least = floor * (a->mean > b->mean ? a->mean : b->mean);
	if (p->noise >= 0 && p->noise < least)
		p->noise = least;
	if (p->noise > least)
		least = p->noise;
	if (!a->any)
		p->change = IS_NEW;
	else if (!b->any)
		p->change = IS_GONE;
	else if (d == 0)
		p->change = SAME;
	else if (fabs(d) <= least)
		p->change = NOISE;
	else
		p->change = d > 0 ? SLOWER : FASTER;
}

static struct pair *
add(struct pairs *p, const char *by)
{
	if (p->n == p->cap) {
		p->cap = p->cap > 0 ? p->cap * 2 : 64;
		p->v = xrealloc(p->v, p->cap, sizeof(*p->v));
	}
	p->v[p->n] = (struct pair){ .by = by };
	return &p->v[p->n++];
}

static void
join_row(struct pair *p, struct row *r)
{
	p->row = xrealloc(p->row, p->n + 1, sizeof(struct row *));
	p->row[p->n++] = r;
}

/* 1: it ran on the first side, 2: on the second */
static int
where(const struct model *m, const struct row *r)
{
	size_t i, k;
	int is = 0;

	for (k = 0; k < 2 && k < r->n_side; k++)
		for (i = 0; i < r->side[k].n && !(is >> k & 1); i++)
			if (m->side[k].step[r->side[k].v[i].step].used)
				is |= 1 << k;
	return is;
}

struct left { /* rows that have no partner yet */
	struct row **v;
	size_t n;
};

/* What a row's group shares; NULL if it has none of that. */
static const uint32_t *
group_key(const struct row *r, bool by_type, uint32_t key[2])
{
	key[0] = by_type ? r->type : r->name;
	key[1] = r->dir;
	return key[0] != SMAP_NONE ? key : NULL;
}

/* Pairs of what is left by name or type: groups that are on both sides. */
static void
match_left(
    struct pairs *p, const struct model *m, struct left *left, bool by_type)
{
	struct smap groups = { 0 };
	uint32_t key[2], *g = xcalloc(left->n + 1, sizeof(*g));
	size_t i, k = 0;

	for (i = 0; i < left->n; i++) {
		g[i] = SMAP_NONE;
		if (group_key(left->v[i], by_type, key) == NULL)
			continue;
		g[i] = smap_put(&groups, (const char *)key, sizeof(key), NULL);
		groups.val[g[i]] |= (uint64_t)where(m, left->v[i]);
	}
	for (i = 0; i < groups.n; i++) {
		if (groups.val[i] != 3)
			continue;
		groups.val[i] = 4 + p->n;
		add(p, by_type ? "type" : "name");
	}
	for (i = 0; i < left->n; i++) {
		if (g[i] != SMAP_NONE && groups.val[g[i]] >= 4)
			join_row(&p->v[groups.val[g[i]] - 4], left->v[i]);
		else
			left->v[k++] = left->v[i];
	}
	left->n = k;
	free(g);
	smap_free(&groups);
}

static const struct model *sorting; /* for qsort */

static int
text_order(uint32_t x, uint32_t y)
{
	const struct smap *t = &sorting->rows.texts;

	if (x == y || x == SMAP_NONE || y == SMAP_NONE)
		return (y == SMAP_NONE) - (x == SMAP_NONE);
	return strcmp(smap_str(t, x, NULL), smap_str(t, y, NULL));
}

static int
row_order(const struct row *x, const struct row *y)
{
	int c = text_order(x->name, y->name);

	if (c == 0)
		c = text_order(x->dir, y->dir);
	if (c == 0)
		c = text_order(x->shapes, y->shapes);
	return c;
}

static int
by_change(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double p = fabs(x->side[1].mean - x->side[0].mean);
	double q = fabs(y->side[1].mean - y->side[0].mean);

	if (p != q)
		return p < q ? 1 : -1;
	p = x->side[0].mean + x->side[1].mean;
	q = y->side[0].mean + y->side[1].mean;
	if (p != q)
		return p < q ? 1 : -1;
	return row_order(x->row[0], y->row[0]);
}

void
match_rows(struct pairs *p, struct model *m, double floor)
{
	struct left left = { 0 };
	size_t i, k, n = m->rows.keys.n;

	left.v = xcalloc(n + 1, sizeof(struct row *));
	for (i = 0; i < n; i++) {
		int is = where(m, &m->rows.v[i]);

		if (is == 3)
			join_row(add(p, "key"), &m->rows.v[i]);
		else if (is != 0)
			left.v[left.n++] = &m->rows.v[i];
	}
	if (m->by == BY_OP) {
		match_left(p, m, &left, false);
		match_left(p, m, &left, true);
	}
	for (i = 0; i < left.n; i++)
		join_row(add(p, NULL), left.v[i]);
	for (i = 0; i < p->n; i++) {
		for (k = 0; k < 2; k++)
			stat_rows(&p->v[i].side[k], &m->side[k], k, p->v[i].row,
			    p->v[i].n);
		match_judge(&p->v[i], floor);
	}
	sorting = m;
	if (p->n > 1)
		qsort(p->v, p->n, sizeof(*p->v), by_change);
	free(left.v);
}

void
match_free(struct pairs *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free(p->v[i].row);
	free(p->v);
	memset(p, 0, sizeof(*p));
}
