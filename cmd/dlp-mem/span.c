/* Memory while ranges are open; see span.h. */
#include "span.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "stem.h"

struct use { /* of a space, in one range or in all of a name */
	int64_t peak, alloc, freed;
	uint64_t n_alloc;
	bool has_peak;
};

struct named { /* ranges of a name */
	uint32_t src;
	const char *path;
	uint64_t n;
	struct use *use; /* by space */
	size_t n_use;
};

struct open_span {
	int64_t end;
	uint32_t name;
};

static struct {
	struct smap keys;
	struct named *v;
	size_t n;
	struct open_span *open;
	size_t n_open, cap, limit;
} sp;

static struct use *
use_of(struct named *k, size_t space)
{
	if (space >= k->n_use) {
		k->use = xrealloc(k->use, space + 1, sizeof(*k->use));
		memset(k->use + k->n_use, 0,
		    (space + 1 - k->n_use) * sizeof(*k->use));
		k->n_use = space + 1;
	}
	return &k->use[space];
}

static void
take_peak(struct named *k, size_t space, int64_t used)
{
	struct use *u = use_of(k, space);

	if (!u->has_peak || used > u->peak)
		u->peak = used;
	u->has_peak = true;
}

static void
prune(int64_t t)
{
	size_t i, n = 0;

	for (i = 0; i < sp.n_open; i++)
		if (sp.open[i].end > t)
			sp.open[n++] = sp.open[i];
	sp.n_open = n;
	sp.limit = n * 2 + 64;
}

void
span_open(struct mem *m, uint32_t src, const char *path, size_t n,
    int64_t start, int64_t end)
{
	static struct buf key;
	struct named *k;
	bool fresh;
	uint32_t i;
	size_t s;

	buf_clear(&key);
	buf_i64(&key, src);
	buf_putc(&key, '\t');
	buf_put(&key, path, stem_len(path, n));
	i = smap_put(&sp.keys, key.s, key.len, &fresh);
	if (fresh) {
		sp.v = xrealloc(sp.v, ++sp.n, sizeof(*sp.v));
		memset(&sp.v[i], 0, sizeof(*sp.v));
		sp.v[i].src = src;
		sp.v[i].path = strchr(smap_str(&sp.keys, i, NULL), '\t') + 1;
	}
	k = &sp.v[i];
	k->n++;
	for (s = 0; s < m->n_space; s++)
		if (m->space[s].src == src)
			take_peak(k, s, m->space[s].used);
	if (sp.n_open > sp.limit)
		prune(start);
	if (sp.n_open == sp.cap) {
		sp.cap = sp.cap > 0 ? sp.cap * 2 : 64;
		sp.open = xrealloc(sp.open, sp.cap, sizeof(*sp.open));
	}
	sp.open[sp.n_open++] = (struct open_span){ end, i };
}

void
span_change(struct mem *m, const struct space *s, int64_t t, int64_t bytes)
{
	size_t i, no = (size_t)(s - m->space);
	struct named *k;
	struct use *u;

	prune(t);
	for (i = 0; i < sp.n_open; i++) {
		k = &sp.v[sp.open[i].name];
		if (k->src != s->src)
			continue;
		u = use_of(k, no);
		if (bytes > 0) {
			u->alloc = num_add(u->alloc, bytes);
			u->n_alloc++;
		} else
			u->freed = num_sub(u->freed, bytes);
		take_peak(k, no, s->used);
	}
}

static void
put(const struct mem *m, const struct named *k, size_t no)
{
	static const char *const names[] = { "range", "dev", "space", "n",
		"peak_bytes", "alloc_bytes", "free_bytes", "n_alloc", "src" };
	static struct out_type *types[2];
	struct out_type **t = &types[k->src != SMAP_NONE];
	const struct space *s = &m->space[no];
	const struct use *u = &k->use[no];

	if (*t == NULL)
		*t = out_type("memrange", names, k->src != SMAP_NONE ? 9 : 8);
	out_rec(*t);
	out_raw(k->path, strlen(k->path));
	out_i64(s->dev);
	out_raw(s->host ? "host" : "device", s->host ? 4 : 6);
	out_i64((int64_t)k->n);
	out_i64(u->peak);
	out_i64(u->alloc);
	out_i64(u->freed);
	out_i64((int64_t)u->n_alloc);
	if (k->src != SMAP_NONE)
		out_raw(smap_str(&m->names, k->src, NULL),
		    strlen(smap_str(&m->names, k->src, NULL)));
	out_end();
}

void
span_end(struct mem *m)
{
	size_t i, k;

	for (i = 0; i < sp.n; i++)
		for (k = 0; k < sp.v[i].n_use; k++)
			if (sp.v[i].use[k].has_peak)
				put(m, &sp.v[i], k);
}

void
span_clear(void)
{
	size_t i;

	for (i = 0; i < sp.n; i++)
		free(sp.v[i].use);
	free(sp.v);
	free(sp.open);
	smap_free(&sp.keys);
	memset(&sp, 0, sizeof(sp));
}
