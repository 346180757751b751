/* The ranks of --no-straggler, and their collectives, as dlp-ranks found them.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "path.h"

uint32_t
path_rank_no(struct path *p, struct mview src)
{
	uint32_t id = PATH_NONE, i;

	if ((p->no_straggler || !p->replay) && src.s != NULL)
		id = smap_put(&p->texts, src.s, src.n, NULL);
	for (i = 0; i < p->n_rank; i++)
		if (p->rank[i].src == id)
			return i;
	ARRAY_GROW(p->rank, p->n_rank, p->rank_cap);
	p->rank[p->n_rank] = (struct path_rank){ .src = id, .no = -1 };
	p->rank[p->n_rank].parts.size = sizeof(struct path_part);
	p->rank[p->n_rank].iters.size = sizeof(struct path_part);
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

static void
see_path_rank(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	uint32_t no = path_rank_no(p, rec_view(r, p->rank_src));

	stage_pass(st, r);
	p->ranks = true;
	p->rank[no].no = rec_int(r, p->rank_no_col, -1);
}

static void
see_arrival(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	struct path_arrival a = { .work = -1 };
	int64_t wait;

	stage_pass(st, r);
	if (!rec_i64(r, p->arrive.coll, &a.coll) ||
	    !rec_i64(r, p->arrive.start, &a.start) ||
	    !rec_i64(r, p->arrive.dur, &a.dur) ||
	    !rec_i64(r, p->arrive.wait, &wait) || wait < 0 || wait > a.dur)
		return;
	a.comm = a.dur - wait;
	a.rank = path_rank_no(p, rec_view(r, p->arrive.src));
	*(struct path_arrival *)path_add(&p->arrivals) = a;
}

void
path_ranks_listen(struct stage *st, struct path *p)
{
	struct rec_type *t;

	if (p->replay && !p->no_straggler)
		return;
	t = stage_on(st, "rank", see_path_rank, NULL, NULL);
	REC_COLS(
	    t, REC_OPT, { &p->rank_no_col, "rank" }, { &p->rank_src, "src" });
	if (!p->replay)
		return;
	t = stage_on(st, "arrive", see_arrival, NULL, NULL);
	REC_COLS(t, REC_NEED, { &p->arrive.coll, "coll_id" },
	    { &p->arrive.start, "start_ns" }, { &p->arrive.dur, "dur_ns" },
	    { &p->arrive.wait, "wait_ns" });
	p->arrive.src = rec_col(t, "src", REC_OPT);
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
