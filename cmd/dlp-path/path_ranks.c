/* The ranks of --no-straggler, and their collectives, as dlp-ranks found them.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "path.h"

uint32_t
path_rank_no(struct path *p, const struct rec *r)
{
	struct path_rank k = { .src = PATH_NONE, .no = -1 };
	uint32_t i;

	if (p->no_straggler || !p->replay)
		k.src = smap_put_view(&p->texts, rec_get(r, COL_src));
	for (i = 0; i < p->n_rank; i++)
		if (p->rank[i].src == k.src)
			return i;
	ARRAY_GROW(p->rank, p->n_rank, p->rank_cap);
	k.parts.size = k.iters.size = sizeof(struct path_part);
	p->rank[p->n_rank] = k;
	return (uint32_t)p->n_rank++;
}

void
path_ranks_clear(struct path *p)
{
	while (p->n_rank > 0) {
		path_list_free(&p->rank[--p->n_rank].parts);
		path_list_free(&p->rank[p->n_rank].iters);
	}
	path_list_free(&p->arrivals);
	p->arrivals.size = sizeof(struct path_arrival);
	map_clear(&p->arrival_of);
	p->alone = 0;
}

static int
by_coll(const void *va, const void *vb)
{
	const struct path_arrival *a = va, *b = vb;

	if (a->coll != b->coll)
		return a->coll < b->coll ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static uint64_t
arrival_key(uint32_t rank, int64_t start, int64_t dur)
{
	return hash_mix(hash_mix((uint64_t)rank + 1) ^ (uint64_t)start) ^
	       (uint64_t)dur;
}

void
path_ranks_link(struct path *p)
{
	struct path_arrival *v = p->arrivals.v, *a;
	const struct path_work *w;
	struct map at = { 0 };
	uint64_t *no;
	size_t i;

	if (p->arrivals.n > 0)
		qsort(v, p->arrivals.n, sizeof(*v), by_coll);
	for (i = 0; i < p->arrivals.n; i++)
		*map_put(&at, arrival_key(v[i].rank, v[i].start, v[i].dur),
		    NULL) = i;
	for (i = 0; i < p->works.n && p->arrivals.n > 0; i++) {
		w = path_work_at(p, (int64_t)i);
		no = map_get(&at, arrival_key(p->stream[w->stream].rank,
				      w->start, w->end - w->start));
		a = no != NULL ? &v[*no] : NULL;
		if (a == NULL || a->work >= 0 || w->tag != TAG_COMM ||
		    a->start != w->start || a->dur != w->end - w->start)
			continue;
		a->work = (int64_t)i;
		*map_put(&p->arrival_of, i, NULL) = *no + 1;
	}
	map_free(&at);
}

struct path_arrival *
path_arrival_of(const struct path *p, int64_t work)
{
	const uint64_t *no = map_get(&p->arrival_of, (uint64_t)work);

	return no != NULL ? (struct path_arrival *)p->arrivals.v + *no - 1
			  : NULL;
}

struct path_arrival *
path_all_arrived(const struct path *p, struct path_arrival *a, size_t *n)
{
	struct path_arrival *v = p->arrivals.v, *first = a, *end = a;
	const struct path_part *x, *y;

	while (first > v && first[-1].coll == a->coll)
		first--;
	for (end = first; end < v + p->arrivals.n && end->coll == a->coll;
	     end++) {
		if (!end->here)
			return NULL;
		x = path_part(&p->rank[end->rank], end->part);
		y = path_part(&p->rank[a->rank], a->part);
		if (x->iter != y->iter)
			return NULL;
	}
	*n = (size_t)(end - first);
	return first;
}
