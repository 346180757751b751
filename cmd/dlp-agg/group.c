/* Groups; see group.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "group.h"
#include "num.h"
#include "part.h"

/* What a group costs besides its key and fields: itself, the map's entry, and
 * room to grow. */
#define GROUP_COST (2 * sizeof(struct group) + 128)

struct group *
group_new(const struct groups *a, struct group *g)
{
	memset(g, 0, sizeof(*g));
	g->acc = xcalloc((size_t)a->spec->nfield + 1, sizeof(*g->acc));
	return g;
}

static struct group *
add_group(struct groups *a, uint32_t id, size_t n)
{
	if (id >= a->cap) {
		a->cap = a->cap > 0 ? a->cap * 2 : 64;
		a->v = xrealloc(a->v, a->cap, sizeof(*a->v));
	}
	a->group_bytes +=
	    n + GROUP_COST + (size_t)a->spec->nfield * sizeof(*a->v[id].acc);
	return group_new(a, &a->v[id]);
}

struct group *
group_get(struct groups *a, const char *key, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&a->keys, key, n, &is_new);

	return is_new ? add_group(a, id, n) : &a->v[id];
}

static struct ivl *
source_ivl(struct group *g, size_t src)
{
	if (src >= g->nivl) {
		g->ivl = xrealloc(g->ivl, src + 1, sizeof(*g->ivl));
		memset(
		    g->ivl + g->nivl, 0, (src + 1 - g->nivl) * sizeof(*g->ivl));
		g->nivl = src + 1;
	}
	return &g->ivl[src];
}

void
group_interval(
    struct groups *a, struct group *g, size_t src, int64_t lo, int64_t hi)
{
	struct ivl *u = source_ivl(g, src);
	size_t cap = u->cap;

	ivl_add(u, lo, hi);
	a->n_pieces += u->cap - cap;
}

/* The k-th source of the section, by a key that is the same in all parts of
 * it. */
static void
keep_pieces(
    struct groups *a, struct group *g, size_t k, uint64_t section, uint64_t key)
{
	struct piece *p;
	size_t i, cap;
	const char *s;
	size_t n;

	if (k > 0) {
		s = smap_str(&a->srcs, (uint32_t)(k - 1), &n);
		key = hash_mix(key) ^ hash_bytes(s, n);
	}
	p = part_piece(g, key);
	p->section = section;
	p->src = k;
	cap = p->u.cap;
	for (i = 0; i < g->ivl[k].n; i++)
		ivl_add(&p->u, g->ivl[k].v[i].lo, g->ivl[k].v[i].hi);
	a->n_pieces += p->u.cap - cap;
}

void
group_close(struct groups *a, struct group *g, uint64_t section, uint64_t key)
{
	size_t k;

	for (k = 0; k < g->nivl; k++) {
		g->union_ns = num_add(g->union_ns, ivl_len(&g->ivl[k]));
		if (a->spec->partial && g->ivl[k].n > 0)
			keep_pieces(a, g, k, section, key);
		a->n_pieces -= g->ivl[k].cap;
		ivl_free(&g->ivl[k]);
	}
}

void
group_free(const struct groups *a, struct group *g)
{
	size_t i;
	int k;

	for (k = 0; k < a->spec->nfield; k++)
		acc_free(&g->acc[k]);
	free(g->acc);
	for (i = 0; i < g->nivl; i++)
		ivl_free(&g->ivl[i]);
	free(g->ivl);
	for (i = 0; i < g->npiece; i++)
		ivl_free(&g->piece[i].u);
	free(g->piece);
}

void
group_free_all(struct groups *a)
{
	size_t i;

	for (i = 0; i < a->keys.n; i++)
		group_free(a, &a->v[i]);
	smap_clear(&a->keys);
	a->group_bytes = a->n_values = a->n_pieces = 0;
}
