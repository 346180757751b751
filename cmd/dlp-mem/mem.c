/* Memory in use; see mem.h. */
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

struct space *
mem_space(struct mem *m, uint32_t src, int64_t dev, bool host)
{
	struct space *s;
	size_t i;

	for (i = 0; i < m->n_space; i++) {
		s = &m->space[i];
		if (s->src == src && s->dev == dev && s->host == host)
			return s;
	}
	m->space = xrealloc(m->space, m->n_space + 1, sizeof(*m->space));
	s = &m->space[m->n_space++];
	memset(s, 0, sizeof(*s));
	s->src = src;
	s->dev = dev;
	s->host = host;
	return s;
}

/* The last one takes the place of another. */
static void
drop(struct space *s, size_t i)
{
	struct alloc *last = &s->v[--s->n];

	s->n_dead -= s->v[i].dead;
	if (!s->v[i].dead)
		map_del(&s->at, (uint64_t)s->v[i].addr);
	if (i == s->n)
		return;
	s->v[i] = *last;
	if (!last->dead)
		*map_put(&s->at, (uint64_t)last->addr, NULL) = i;
}

/* A new peak: what was released before it is forgotten. */
static void
bury(struct space *s)
{
	size_t i = s->n;

	while (i-- > 0 && s->n_dead > 0)
		if (s->v[i].dead)
			drop(s, i);
}

int64_t
space_free(struct mem *m, struct space *s, int64_t addr)
{
	uint64_t *at = map_get(&s->at, (uint64_t)addr);
	struct alloc *a;
	int64_t bytes;

	s->n_free++;
	if (at == NULL) {
		m->unknown_free++;
		return 0;
	}
	a = &s->v[*at];
	bytes = a->bytes;
	s->used = num_sub(s->used, bytes);
	if (a->seq > s->peak_seq) {
		drop(s, *at);
		return -bytes;
	}
	a->dead = true;
	s->n_dead++;
	map_del(&s->at, (uint64_t)addr);
	return -bytes;
}

int64_t
space_alloc(struct mem *m, struct space *s, const struct alloc *a)
{
	if (map_get(&s->at, (uint64_t)a->addr) != NULL) {
		m->twice++;
		space_free(m, s, a->addr);
		s->n_free--;
	}
	if (s->n == s->cap) {
		s->cap = s->cap > 0 ? s->cap * 2 : 64;
		s->v = xrealloc(s->v, s->cap, sizeof(*s->v));
	}
	s->v[s->n] = *a;
	s->v[s->n].seq = ++m->seq;
	*map_put(&s->at, (uint64_t)a->addr, NULL) = s->n++;
	s->used = num_add(s->used, a->bytes);
	s->n_alloc++;
	if (s->used > s->peak) {
		bury(s);
		s->peak = s->used;
		s->peak_seq = m->seq;
		s->peak_start = a->start;
		s->peak_where = a->where;
	}
	return a->bytes;
}

void
mem_clear(struct mem *m)
{
	size_t i;

	for (i = 0; i < m->n_space; i++) {
		free(m->space[i].v);
		map_free(&m->space[i].at);
	}
	free(m->space);
	smap_free(&m->names);
	map_free(&m->totals);
	memset(m, 0, sizeof(*m));
}
