/* Groups as bytes; see packed.h. */
#include "packed.h"
#include "varint.h"

enum { PACKED = 1, ONE = 2, PART = 4 };

void
packed_put(struct buf *b, const struct group *g)
{
	const double f[] = { g->avg, g->med, g->sd };
	int i;

	varint_add(b, (uint64_t)g->part * PART | (g->n == 1 ? ONE : 0) |
			  (g->code.packed ? PACKED : 0));
	for (i = 0; i < TABLE_VALS; i++)
		varint_add(b, varint_fold(g->sum[i]));
	if (g->n > 1) {
		varint_add(b, g->n);
		varint_add(b, varint_fold(g->min));
		varint_add(b, varint_fold(g->max));
		buf_put(b, (const char *)f, sizeof(f));
	}
}

static const char *
get_num(const char *s, int64_t *v)
{
	uint64_t u;

	s = varint_get(s, &u);
	*v = varint_unfold(u);
	return s;
}

const char *
packed_get(struct group *g, const char *s)
{
	double f[3];
	uint64_t head;
	int i;

	s = varint_get(s, &head);
	g->part = (uint32_t)(head / PART);
	g->code.packed = (head & PACKED) != 0;
	for (i = 0; i < TABLE_VALS; i++)
		s = get_num(s, &g->sum[i]);
	g->n = 1;
	g->min = g->max = g->sum[0];
	g->avg = g->med = (double)g->sum[0];
	g->sd = 0;
	if ((head & ONE) == 0) {
		s = varint_get(s, &g->n);
		s = get_num(get_num(s, &g->min), &g->max);
		memcpy(f, s, sizeof(f));
		s += sizeof(f);
		g->avg = f[0];
		g->med = f[1];
		g->sd = f[2];
	}
	return s;
}
