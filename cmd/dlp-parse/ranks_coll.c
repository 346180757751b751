/* Collectives by the names of kernels; see ranks_coll.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "namerule.h"
#include "ranks_coll.h"
#include "run.h"
#include "select.h"
#include "shipped.h"

enum { COMM_TYPE, COMM_ENDS, COMM_WORDS };
enum ends { ENDS_NO, ENDS_ALL, ENDS_SOME };

static struct namerules rules;

static enum ends
ends_of(const char *name, size_t n)
{
	static const char *const words[] = { "TYPE", "ENDS" };
	const struct namerule *u;
	struct buf low = { 0 };

	if (rules.n == 0)
		namerules_parse(&rules, "comm.rules",
		    shipped_text("comm.rules"), words, COMM_WORDS);
	name_lower(&low, name, n);
	u = namerules_find(&rules, buf_str(&low), low.len);
	buf_free(&low);
	if (u == NULL || strcmp(u->word[COMM_ENDS], "pair") == 0)
		return ENDS_NO;
	return strcmp(u->word[COMM_ENDS], "all") == 0 ? ENDS_ALL : ENDS_SOME;
}

/* Of a kernel's name, by its string id; the hash of the name. */
static enum ends
look_up(struct profile *p, struct map *seen, int64_t id, uint64_t *key)
{
	struct buf name = { 0 };
	bool is_new;
	uint64_t *val = map_put(seen, (uint64_t)id, &is_new);

	if (is_new && p->dialect->string(p->ctx, id, &name)) {
		*key = hash_bytes(name.s, name.len);
		*val = *key << 2 | (uint64_t)ends_of(buf_str(&name), name.len);
	}
	buf_free(&name);
	*key = *val >> 2;
	return (enum ends)(*val & 3);
}

static void
put(struct colls *c, uint64_t key, int64_t t)
{
	if (c->n == c->cap) {
		c->cap = c->cap > 0 ? c->cap * 2 : 256;
		c->v = xrealloc(c->v, c->cap, sizeof(*c->v));
	}
	c->v[c->n++] = (struct align_ev){ key, t };
}

static int
by_time(const void *va, const void *vb)
{
	const struct align_ev *a = va, *b = vb;

	return (a->t > b->t) - (a->t < b->t);
}

static void
read_table(struct profile *p, const struct cursor *table, struct map *seen,
    struct colls *all, struct colls *some)
{
	struct cursor c = *table;
	struct event ev;
	uint64_t key;

	cursor_open(&c);
	while (cursor_read(&c, &ev)) {
		int64_t id = ev.gpu.kern.short_name;
		enum ends e;

		if (id == EV_UNSET)
			id = ev.name;
		if (id == EV_UNSET || ev.end == EV_UNSET || ev.text != NULL)
			continue;
		e = look_up(p, seen, id, &key);
		if (e != ENDS_NO)
			put(e == ENDS_ALL ? all : some, key, ev.end);
	}
	cursor_close(&c);
}

void
colls_read(struct colls *c, struct profile *p)
{
	struct colls some = { 0 };
	struct map seen = { 0 };
	int i;

	for (i = 0; i < p->ncur; i++)
		if (p->cur[i].src->kind == EV_KERN && !p->cur[i].src->launches)
			read_table(p, &p->cur[i], &seen, c, &some);
	map_free(&seen);
	if (c->n == 0) {
		*c = some;
		some.v = NULL;
	}
	free(some.v);
	if (c->n > 0)
		qsort(c->v, c->n, sizeof(*c->v), by_time);
}
