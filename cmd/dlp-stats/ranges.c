/* The table of ranges' names; see ranges.h. */
#include <stdlib.h>

#include "err.h"
#include "map.h"
#include "ranges.h"

static struct table *table;
static struct ranges_kern *kerns;
static size_t nkerns, cap;
static struct map parts; /* thread, style, mode, name -> number + 1 */

void
ranges_section(void)
{
	ranges_done();
	table = table_new(3, false);
}

void
ranges_done(void)
{
	table_free(table);
	table = NULL;
	nkerns = 0;
	map_clear(&parts);
}

static void
add(struct table_key *k, const struct range *r, uint32_t part, int64_t a,
    int64_t b, int64_t c)
{
	int64_t v[3] = { a, b, c };

	table_add_to(table, k, r != NULL ? r->name : "",
	    r != NULL ? r->name_len : 0, part, v);
}

void
ranges_proj(struct table_key *k, const struct proj *p)
{
	uint32_t style = p->r->push ? RANGES_PUSH : 0;

	add(k, p->r, RANGES_TIME + style, p->hi - p->lo,
	    p->r->end - p->r->start, 0);
	add(k, p->r, RANGES_OPS + style, p->n_gpu, p->level, p->n_child);
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
	add(k, r, part, dur, first, once);
}

bool
ranges_close(void)
{
	return table_close(table);
}

void
ranges_each_proj(table_fn *fn, void *ctx)
{
	table_each(table, 0, RANGES_KERN - 1, fn, ctx);
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
