/* The records of a section's end. */
#include <string.h>

#include "mem.h"
#include "out.h"
#include "stage.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

static void
put_name(const struct mem *m, uint32_t no)
{
	size_t n = 0;
	const char *s = no != SMAP_NONE ? smap_str(&m->names, no, &n) : NULL;

	out_raw(s, n);
}

static void
put_where(const struct mem *m, const struct where *w)
{
	put_name(m, w->iter);
	put_name(m, w->phase);
	put_name(m, w->layer);
	put_name(m, w->at);
	put_name(m, w->api);
}

static void
put_space(const struct space *s)
{
	out_i64(s->dev);
	out_raw(s->host ? "host" : "device", s->host ? 4 : 6);
}

static void
begin(struct out_type **types, const char *tag, const char *const *names, int n,
    bool with_src)
{
	struct out_type **t = &types[with_src];

	if (*t == NULL)
		*t = out_type(tag, names, n - !with_src);
	out_rec(*t);
}

static void
finish(const struct mem *m, const struct space *s)
{
	if (s->src != SMAP_NONE)
		put_name(m, s->src);
	out_end();
}

static void
put_live(const struct mem *m, const struct space *s, const struct alloc *a)
{
	static const char *const names[] = { "dev", "space", "bytes", "kind",
		"addr", "start_ns", "iter", "phase", "layer", "at", "api",
		"src" };
	static struct out_type *types[2];

	begin(types, "live", names, N(names), s->src != SMAP_NONE);
	put_space(s);
	out_i64(a->bytes);
	put_name(m, a->where.kind);
	out_i64(a->addr);
	out_i64(a->start);
	put_where(m, &a->where);
	finish(m, s);
}

static size_t
n_live(const struct space *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->v[i].seq <= s->peak_seq;
	return n;
}

static void
put_peak(const struct mem *m, const struct space *s)
{
	static const char *const names[] = { "dev", "space", "peak_bytes",
		"total_bytes", "start_ns", "iter", "phase", "layer", "at",
		"api", "n_live", "before_bytes", "end_bytes", "n_alloc",
		"n_free", "src" };
	static const struct where nowhere = { SMAP_NONE, SMAP_NONE, SMAP_NONE,
		SMAP_NONE, SMAP_NONE, SMAP_NONE };
	static struct out_type *types[2];
	bool known = s->n_alloc > 0;
	uint64_t *total =
	    s->host ? NULL : map_get(&m->totals, mem_dev_key(s->src, s->dev));

	begin(types, "peak", names, N(names), s->src != SMAP_NONE);
	put_space(s);
	out_opt(known, s->peak);
	out_opt(total != NULL, total != NULL ? (int64_t)*total : 0);
	out_opt(known, s->peak_start);
	put_where(m, known ? &s->peak_where : &nowhere);
	out_opt(known, (int64_t)n_live(s));
	out_opt(known, s->before);
	out_opt(known, s->used);
	out_opt(known, (int64_t)s->n_alloc);
	out_opt(known, (int64_t)s->n_free);
	finish(m, s);
}

/* Devices of which no event tells: their peak is not known. */
static void
put_unknown(struct mem *m)
{
	uint64_t key, bytes;
	struct space s = { 0 };
	size_t it = 0;

	while (map_next(&m->totals, &it, &key, &bytes)) {
		s.src = (uint32_t)(key >> 32);
		s.dev = (int64_t)(uint32_t)key;
		put_peak(m, &s);
	}
}

void
mem_end(struct mem *m)
{
	const struct space *s;
	size_t i, k;

	if (m->n_space == 0)
		put_unknown(m);
	for (i = 0; i < m->n_space; i++)
		put_peak(m, &m->space[i]);
	for (i = 0; i < m->n_space; i++) {
		s = &m->space[i];
		for (k = 0; k < s->n; k++)
			if (s->v[k].seq <= s->peak_seq)
				put_live(m, s, &s->v[k]);
	}
	stage_note("mem_free_unknown", m->unknown_free);
	stage_note("mem_allocated_twice", m->twice);
}
