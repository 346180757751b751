/*
 * Collectives: which kernels communicate, by the rules for their names, and
 * which kernels of the ranks are one collective.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "num.h"
#include "collective.h"
#include "shipped.h"

enum { COMM_TYPE, COMM_ENDS, COMM_WORDS };

static void
read_ends(struct comm_rules *c, size_t i)
{
	const struct namerules *rules = &c->rules;
	const char *s = rules->v[i].word[COMM_ENDS];
	size_t k = 0;

	while (strcmp(rules->v[k].word[COMM_TYPE],
		   rules->v[i].word[COMM_TYPE]) != 0)
		k++;
	c->types[i].name = rules->v[k].word[COMM_TYPE]; /* one text per type */
	c->types[i].together = strcmp(s, "all") == 0;
	c->types[i].pair = strcmp(s, "pair") == 0;
	if (!c->types[i].together && !c->types[i].pair &&
	    strcmp(s, "some") != 0)
		die("%s:%u: not all, some or pair: '%s'", rules->file,
		    rules->v[i].line, s);
}

void
comm_open(struct comm_rules *c, const char *path)
{
	static const char *const words[] = { "TYPE", "ENDS" };
	size_t i;

	if (path != NULL)
		namerules_load(&c->rules, path, words, COMM_WORDS);
	else
		namerules_parse(&c->rules, "comm.rules",
		    shipped_text("comm.rules"), words, COMM_WORDS);
	c->types = xcalloc(c->rules.n + 1, sizeof(*c->types));
	for (i = 0; i < c->rules.n; i++)
		read_ends(c, i);
}

const struct comm_type *
comm_find(struct comm_rules *c, const char *name, size_t n)
{
	const struct namerule *u;
	struct buf low = { 0 };
	uint32_t id;
	bool is_new;

	id = smap_put(&c->names, name, n, &is_new);
	if (is_new) {
		name_lower(&low, name, n);
		u = namerules_find(&c->rules, buf_str(&low), low.len);
		c->names.val[id] =
		    u != NULL ? (uint64_t)(u - c->rules.v) + 1 : 0;
		buf_free(&low);
	}
	return c->names.val[id] > 0 ? &c->types[c->names.val[id] - 1] : NULL;
}

#define OPEN_MAX_COLLS 65536 /* collectives that may wait for ranks */
#define LATE_NS 1000000000   /* for how long, with clocks that agree */
#define ENDS_NS 1000000      /* how far ends of one may differ */

static bool
has_part(const struct rank_coll *c, uint32_t part)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->v[i].part == part)
			return true;
	return false;
}

/* Kernels whose ends differ by more than a millisecond, and by more than a
 * twentieth of their length, are not one collective. */
static bool
ends_fit(const struct rank_coll *c, const struct arrival *a)
{
	int64_t end = num_add(a->start, a->dur), d, most = ENDS_NS;

	d = end > c->end ? num_sub(end, c->end) : num_sub(c->end, end);
	if (a->dur / 20 > most)
		most = a->dur / 20;
	return d <= most;
}

static struct rank_coll *
find_open(struct open_colls *cs, const struct comm_type *type,
    const struct arrival *a)
{
	struct rank_coll *c;

	for (c = cs->open; c < cs->open + cs->n; c++)
		if (c->type->name == type->name && !has_part(c, a->part) &&
		    (!cs->aligned || !type->together || ends_fit(c, a)))
			return c;
	return NULL;
}

static struct rank_coll *
add_coll(struct open_colls *cs, const struct comm_type *type)
{
	struct rank_coll *c;

	ARRAY_GROW(cs->open, cs->n, cs->cap);
	c = &cs->open[cs->n++];
	memset(c, 0, sizeof(*c));
	c->type = type;
	c->id = cs->ids++;
	c->nth =
	    (*map_put(&cs->count, (uint64_t)(uintptr_t)type->name, NULL))++;
	c->bytes = PART_NONE;
	c->end = INT64_MIN;
	return c;
}

void
coll_put(struct open_colls *cs, const struct comm_type *type, uint32_t name,
    int64_t bytes, struct arrival a)
{
	int64_t end = num_add(a.start, a.dur);
	struct rank_coll *c = find_open(cs, type, &a);

	if (c == NULL) {
		c = add_coll(cs, type);
		c->name = name;
	}
	if (bytes != PART_NONE && bytes > c->bytes)
		c->bytes = bytes;
	if (end > c->end)
		c->end = end;
	ARRAY_GROW(c->v, c->n, c->cap);
	c->v[c->n++] = a;
}

/* A rank launches its part before the collective ends. */
static bool
is_whole(const struct open_colls *cs, const struct rank_coll *c, int64_t now)
{
	if (now == INT64_MAX || (cs->ranks > 0 && c->n >= cs->ranks))
		return true;
	return cs->aligned && num_add(c->end, LATE_NS) < now;
}

void
coll_flush(struct open_colls *cs, int64_t now)
{
	size_t i = 0;

	if (cs->n > OPEN_MAX_COLLS) {
		cs->overfull++;
		now = cs->n > 0 ? INT64_MAX : now;
	}
	while (i < cs->n && is_whole(cs, &cs->open[i], now)) {
		cs->done(cs->ctx, &cs->open[i]);
		free(cs->open[i++].v);
	}
	cs->n -= i;
	if (i > 0)
		memmove(cs->open, cs->open + i, cs->n * sizeof(*cs->open));
}

void
coll_forget(struct open_colls *cs)
{
	smap_free(&cs->names);
	map_free(&cs->count);
	free(cs->open);
	cs->open = NULL;
	cs->n = cs->cap = 0;
	cs->ids = cs->overfull = 0;
}
