/* Kernels that move data between GPUs; see comm.h. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "comm.h"
#include "err.h"
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
comm_match(const struct comm_rules *c, const char *name, size_t n)
{
	const struct namerule *u;
	struct buf low = { 0 };

	name_lower(&low, name, n);
	u = namerules_find(&c->rules, buf_str(&low), low.len);
	buf_free(&low);
	return u != NULL ? &c->types[u - c->rules.v] : NULL;
}

const struct comm_type *
comm_find(struct comm_rules *c, const char *name, size_t n)
{
	const struct comm_type *t;
	bool is_new;
	uint32_t id = smap_put(&c->names, name, n, &is_new);

	if (is_new) {
		t = comm_match(c, name, n);
		c->names.val[id] = t != NULL ? (uint64_t)(t - c->types) + 1 : 0;
	}
	return c->names.val[id] > 0 ? &c->types[c->names.val[id] - 1] : NULL;
}

const struct comm_type *
comm_named(const struct comm_rules *c, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < c->rules.n; i++)
		if (text_is(name, n, c->types[i].name))
			return &c->types[i];
	return NULL;
}

void
comm_close(struct comm_rules *c)
{
	namerules_free(&c->rules);
	smap_free(&c->names);
	free(c->types);
	c->types = NULL;
}
