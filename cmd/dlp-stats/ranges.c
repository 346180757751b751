/* The table of ranges' names; see ranges.h. */
#include <stdlib.h>

#include "err.h"
#include "map.h"
#include "num.h"
#include "ranges.h"

#define VALS 5

static struct table *table;
static struct ranges_kern *kerns;
static size_t nkerns, cap;
static struct map parts; /* thread, style, mode, name -> number + 1 */

void
ranges_section(void)
{
	ranges_done();
	table = table_new(VALS, false);
}

void
ranges_done(void)
{
	table_free(table);
	table = NULL;
	nkerns = 0;
	map_clear(&parts);
}

void
ranges_proj(struct table_key *k, const struct proj *p)
{
	const struct range *r = p->r;
	const int64_t v[] = { num_sub(p->hi, p->lo), num_sub(r->end, r->start),
		p->n_gpu, p->level >= 0 ? p->level : RANGES_NO_LEVEL,
		p->n_child };

	table_add_to(table, k, r->name, r->name_len,
	    r->push ? RANGES_PROJ : RANGES_START, v);
}

uint32_t
ranges_part(uint32_t thread, const struct ranges_kern *x)
{
	uint64_t *n = map_put(&parts,
	    (uint64_t)thread << 35 | (uint64_t)x->push << 34 |
		(uint64_t)x->mode << 32 | x->name,
	    NULL);

	if (*n != 0)
		return RANGES_KERN + (uint32_t)*n - 1;
	if (nkerns == cap) {
		cap = cap != 0 ? cap * 2 : 64;
		kerns = xrealloc(kerns, cap, sizeof(*kerns));
	}
	kerns[nkerns++] = *x;
	*n = nkerns;
	return RANGES_KERN + (uint32_t)nkerns - 1;
}

void
ranges_add(struct table_key *k, const struct range *r, uint32_t part,
    int64_t dur, bool first, bool once)
{
	const int64_t v[VALS] = { dur, first, once };

	table_add_to(table, k, r != NULL ? r->name : "",
	    r != NULL ? r->name_len : 0, part, v);
}

void
ranges_each_proj(table_fn *fn, void *ctx)
{
	table_each_code(table, RANGES_PROJ, RANGES_KERN - 1, fn, ctx);
}

void
ranges_each_kern(table_fn *fn, void *ctx)
{
	table_each(table, RANGES_KERN, UINT32_MAX, fn, ctx);
}

const struct ranges_kern *
ranges_kern_of(uint32_t part)
{
	return &kerns[part - RANGES_KERN];
}

void
ranges_name(const struct table_code *c, struct buf *b)
{
	table_text(table, c, b);
}
