/* The nodes of the tree; see node.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "node.h"
#include "num.h"

/* The path s[0..n) without its last component; 0: the whole model. */
static size_t
up(const char *s, size_t n)
{
	while (n > 0 && s[n - 1] != '/')
		n--;
	return n;
}

static int
slashes(const char *s, size_t n)
{
	int level = 0;
	size_t i;

	for (i = 0; i < n; i++)
		level += s[i] == '/';
	return level;
}

/* Parents first, so that their numbers are lower. */
static uint32_t
path_node(struct tree *t, const char *s, size_t n)
{
	const char *name = n > 0 ? s : NODE_ALL;
	size_t len = n > 0 ? n : strlen(NODE_ALL);
	uint32_t i = smap_find(&t->paths, name, len), parent = 0;

	if (i != SMAP_NONE)
		return i;
	if (n > 0)
		parent = path_node(t, s, up(s, n - 1));
	i = smap_put(&t->paths, name, len, NULL);
	if (i >= t->cap) {
		t->cap = t->cap > 0 ? t->cap * 2 : 64;
		t->v = xrealloc(t->v, t->cap, sizeof(*t->v));
	}
	memset(&t->v[i], 0, sizeof(t->v[i]));
	t->v[i].parent = parent;
	t->v[i].level = slashes(s, n);
	return i;
}

uint32_t
tree_node(struct tree *t, const char *name, size_t n)
{
	return path_node(t, name, up(name, n));
}

static void
stat_add(struct stat *s, int64_t v, bool first)
{
	if (first || v < s->min)
		s->min = v;
	if (first || v > s->max)
		s->max = v;
	s->sum = num_add(s->sum, v);
}

static void
close_cell(struct node *n, struct cell *c)
{
	int m;

	for (m = 0; m < NMETRICS; m++)
		stat_add(&n->stat[m],
		    m <= M_GPU ? flat_len(&c->flat[m]) : c->sum[m],
		    n->n_iter == 0);
	n->n_iter++;
	c->used = false;
	c->sum[M_OVERHEAD] = c->sum[M_IDLE] = 0;
	flat_clear(&c->flat[M_CPU]);
	flat_clear(&c->flat[M_GPU]);
}

/* NULL: the iteration is over. */
static struct cell *
cell(struct node *n, int64_t iter)
{
	struct cell *c = &n->cell[iter & 1];

	if (c->used && c->iter < iter)
		close_cell(n, c);
	if (c->used && c->iter > iter)
		return NULL;
	c->used = true;
	c->iter = iter;
	return c;
}

/* What comes late is in the sum, but no longer in the iteration's value. */
static void
late(struct tree *t, struct node *n, int metric, int64_t v)
{
	t->n_late += n == t->v;
	n->stat[metric].sum = num_add(n->stat[metric].sum, v);
}

void
tree_span(struct tree *t, uint32_t i, int64_t iter, int metric, int64_t key,
    int64_t lo, int64_t hi)
{
	struct cell *c;

	for (;; i = t->v[i].parent) {
		c = cell(&t->v[i], iter);
		if (c != NULL)
			flat_add(&c->flat[metric], key, lo, hi);
		else
			late(t, &t->v[i], metric, num_sub(hi, lo));
		if (i == 0)
			break;
	}
}

void
tree_value(struct tree *t, uint32_t i, int64_t iter, int metric, int64_t v)
{
	struct cell *c;

	for (;; i = t->v[i].parent) {
		c = cell(&t->v[i], iter);
		if (c != NULL)
			c->sum[metric] = num_add(c->sum[metric], v);
		else
			late(t, &t->v[i], metric, v);
		if (i == 0)
			break;
	}
}

void
tree_close(struct tree *t)
{
	size_t i;
	int k;

	for (i = 0; i < t->paths.n; i++)
		for (k = 0; k < 2; k++)
			if (t->v[i].cell[k].used)
				close_cell(&t->v[i], &t->v[i].cell[k]);
}

void
tree_free(struct tree *t)
{
	size_t i;
	int k;

	for (i = 0; i < t->paths.n; i++)
		for (k = 0; k < 4; k++)
			flat_free(&t->v[i].cell[k / 2].flat[k % 2]);
	free(t->v);
	smap_free(&t->paths);
	memset(t, 0, sizeof(*t));
}
