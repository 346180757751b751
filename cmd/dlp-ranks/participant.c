/*
 * Participants, and their exposed communication: the part of the union of
 * their communication kernels in which no other kernel of theirs runs. A piece
 * of communication is counted when the stream has passed its end, because
 * everything that runs beside it has been launched by then.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "num.h"
#include "collective.h"

#define TIDY 4096 /* kernels after which past ones are dropped */

void
part_rank(struct rank_parts *ps, const char *src, size_t n, int64_t rank)
{
	uint32_t id;

	if (src == NULL || rank < 0)
		return;
	id = smap_put(&ps->srcs, src, n, NULL);
	ps->nrank++;
	ps->srcs.val[id] = (uint64_t)rank + 1;
}

void
part_src(struct rank_parts *ps, const char *src, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&ps->srcs, src, n, &is_new);

	if (is_new)
		ps->srcs.val[id] = ++ps->nsrc;
}

/* "3"; where that is taken, "3.1" with the device. */
static char *
make_label(struct rank_parts *ps, int64_t rank, int64_t dev)
{
	struct buf b = { 0 };
	bool is_new;

	buf_i64(&b, rank);
	smap_put(&ps->ranks, buf_str(&b), b.len, &is_new);
	while (!is_new) {
		buf_putc(&b, '.');
		buf_i64(&b, dev != PART_NONE ? dev : 0);
		smap_put(&ps->ranks, buf_str(&b), b.len, &is_new);
	}
	buf_str(&b);
	return b.s;
}

static uint32_t
add_part(
    struct rank_parts *ps, uint32_t src, int64_t rank, int64_t pid, int64_t dev)
{
	struct rank_part *p;

	ARRAY_GROW(ps->v, ps->n, ps->cap);
	p = &ps->v[ps->n];
	memset(p, 0, sizeof(*p));
	p->src = src;
	p->pid = pid;
	p->dev = dev;
	p->counted = INT64_MIN;
	if (rank == PART_NONE && src != SMAP_NONE && ps->srcs.val[src] > 0 &&
	    (ps->nrank > 0 || ps->nsrc > 1))
		rank = (int64_t)(ps->srcs.val[src] - 1);
	p->label =
	    make_label(ps, rank != PART_NONE ? rank : (int64_t)ps->n, dev);
	return (uint32_t)ps->n++;
}

uint32_t
part_find(struct rank_parts *ps, const char *src, size_t n, int64_t rank,
    int64_t pid, int64_t dev)
{
	struct {
		int64_t src, pid, dev;
	} key = { -1, pid, dev };
	uint32_t id, s = SMAP_NONE;
	bool is_new;

	if (src != NULL) {
		s = smap_put(&ps->srcs, src, n, NULL);
		key.src = s;
	}
	id = smap_put(&ps->keys, (const char *)&key, sizeof(key), &is_new);
	if (is_new)
		ps->keys.val[id] = add_part(ps, s, rank, pid, dev);
	return (uint32_t)ps->keys.val[id];
}

size_t
part_count(const struct rank_parts *ps)
{
	size_t n = ps->nrank > 0 ? ps->nrank : ps->nsrc;

	return n > 1 && ps->n <= n ? n : 0;
}

struct rank_share *
part_share(struct rank_parts *ps, uint32_t part, int64_t iter)
{
	uint64_t key = (uint64_t)part << 40 ^ (uint64_t)(iter + 1);
	uint64_t *at = map_put(&ps->share_at, key, NULL);
	struct rank_share *s;

	if (*at > 0)
		return &ps->share[*at - 1];
	ARRAY_GROW(ps->share, ps->nshare, ps->share_cap);
	s = &ps->share[ps->nshare++];
	*at = ps->nshare;
	memset(s, 0, sizeof(*s));
	s->part = part;
	s->label = ps->v[part].label;
	s->iter = iter;
	s->first = INT64_MAX;
	s->end = INT64_MIN;
	return s;
}

/* Communication that ended before now. */
static void
count_past(struct rank_parts *ps, uint32_t part, int64_t now)
{
	struct rank_part *p = &ps->v[part];

	while (p->comm.n > 0 && p->comm.v[0].end < now) {
		struct timed x = timeheap_pop(&p->comm);
		struct rank_share *h = part_share(ps, part, x.then);
		int64_t lo = x.at > p->counted ? x.at : p->counted;

		if (x.end <= lo)
			continue;
		h->comm_ns += x.end - lo;
		h->exposed_ns += x.end - lo - ivl_len_in(&p->other, lo, x.end);
		p->counted = x.end;
	}
}

/* Other kernels that are past, for communication too. */
static void
tidy(struct rank_part *p, int64_t now)
{
	int64_t end;
	size_t n = 0;

	if (p->comm.n > 0 && p->comm.v[0].at < now)
		now = p->comm.v[0].at;
	while (n < p->other.n && p->other.v[n].hi < now)
		n++;
	ivl_drop(&p->other, n, &end);
}

void
part_kern(struct rank_parts *ps, uint32_t part, bool comm, struct rank_span s,
    int64_t now)
{
	struct rank_part *p = &ps->v[part];
	struct rank_share *h = part_share(ps, part, s.iter);

	if (s.lo < h->first)
		h->first = s.lo;
	if (s.hi > h->end)
		h->end = s.hi;
	h->n += comm;
	if (comm)
		timeheap_push(&p->comm,
		    (struct timed){ .at = s.lo, .then = s.iter, .end = s.hi });
	else
		ivl_add(&p->other, s.lo, s.hi);
	count_past(ps, part, now);
	if (++p->added % TIDY == 0)
		tidy(p, now);
}

void
part_finish(struct rank_parts *ps)
{
	size_t i;

	for (i = 0; i < ps->n; i++)
		count_past(ps, (uint32_t)i, INT64_MAX);
}

void
part_forget(struct rank_parts *ps)
{
	size_t i;

	for (i = 0; i < ps->n; i++) {
		free(ps->v[i].label);
		timeheap_free(&ps->v[i].comm);
		ivl_free(&ps->v[i].other);
	}
	smap_free(&ps->srcs);
	smap_free(&ps->keys);
	smap_free(&ps->ranks);
	map_free(&ps->share_at);
	free(ps->v);
	free(ps->share);
	memset(ps, 0, sizeof(*ps));
}
