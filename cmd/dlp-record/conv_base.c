/*
 * What the steps of the conversion share: records and their rows, texts, names,
 * the clock, processes.
 */
#include "convert.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

const struct conv_count conv_counts[CONV_COUNTERS] = {
	[CONV_UNTIMED] = { "gpu_untimed",
	    "GPU records without times, left out" },
	[CONV_CLIPPED] = { "ends_clipped", NULL },
	[CONV_DROPPED] = { "cupti_dropped", "GPU records that CUPTI dropped" },
	[CONV_LOST] = { "records_lost",
	    "records for which the spool had no room" },
	[CONV_BAD] = { "cupti_records_bad",
	    "records of CUPTI that cannot be read" },
	[CONV_DAMAGED] = { "spool_damaged",
	    "damaged parts of the spool, left out" },
	[CONV_RELEASED] = { "released_before", NULL },
	[CONV_CUT] = { "processes_cut_off",
	    "processes that were killed, so that CUDA events of their last "
	    "second (--flush) may be missing" },
};

const void *
conv_rec(const struct conv *c, const struct conv_ref *ref)
{
	return c->dir.file[ref->proc].map + ref->at;
}

int64_t
conv_text(struct conv *c, const char *s, size_t n)
{
	return (int64_t)smap_put(&c->text, s, n, NULL) + 1;
}

int64_t
conv_known(
    struct conv *c, const struct map *m, uint64_t key, const char *otherwise)
{
	const uint64_t *id = map_get(m, key);
	const char *s = otherwise;
	size_t n = strlen(s);

	if (id != NULL)
		s = smap_str(&c->own, (uint32_t)*id, &n);
	return conv_text(c, s, n);
}

/*
 * Records that become rows: their table, when they happened, and where they
 * have dev, ctx, stream and corr (GPU work), their correlation id, and the node
 * of a graph; 0: they have none.
 */
enum conv_when { SPAN, MOMENT, OUR_MOMENT, NO_TIME }; /* of CUPTI, of ours */

static const struct conv_kind {
	uint16_t type;
	enum rec_table table;
	enum conv_when when;
	uint16_t lane, corr, node;
} kinds[] = {
#define AT(s, f) offsetof(struct rspool_##s, f)
#define GPU(s) SPAN, AT(s, dev), AT(s, corr)
	{ RSPOOL_KERNEL, RT_KERNEL, GPU(kernel), AT(kernel, node) },
	{ RSPOOL_COPY, RT_MEMCPY, GPU(copy), AT(copy, node) },
	{ RSPOOL_SET, RT_MEMSET, GPU(set), AT(set, node) },
	{ RSPOOL_GRAPHRUN, RT_GRAPH_TRACE, GPU(graphrun), 0 },
	{ RSPOOL_CALL, RT_CALLS, SPAN, 0, AT(call, corr), 0 },
	{ RSPOOL_SYNC, RT_SYNC, SPAN, 0, 0, 0 },
	{ RSPOOL_OVERHEAD, RT_OVERHEAD, SPAN, 0, 0, 0 },
	{ RSPOOL_MEMORY, RT_MEMORY, MOMENT, 0, 0, 0 },
	{ RSPOOL_POOL, RT_POOLS, MOMENT, 0, 0, 0 },
	{ RSPOOL_NODE, RT_NODES, OUR_MOMENT, 0, 0, 0 },
	{ RSPOOL_GRAPH, RT_GRAPHS, OUR_MOMENT, 0, 0, 0 },
	{ RSPOOL_EVENT, RT_CUDA_EVENT, NO_TIME, 0, 0, 0 },
	{ RSPOOL_CONTEXT, RT_CONTEXT, NO_TIME, 0, 0, 0 },
	{ RSPOOL_STREAM, RT_STREAM, NO_TIME, 0, 0, 0 },
#undef GPU
#undef AT
};

struct span { /* all with a time begin so */
	struct rspool_rec rec;
	int64_t start, end;
};

static const struct conv_kind *
kind_of(const struct rspool_rec *r)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].type == r->type)
			return &kinds[i];
	return NULL;
}

uint32_t
conv_corr(const struct conv *c, const struct conv_ref *ref)
{
	const char *r = conv_rec(c, ref);
	const struct conv_kind *k = kind_of((const void *)r);

	return k != NULL && k->corr != 0 ? *(const uint32_t *)(r + k->corr) : 0;
}

uint64_t
conv_node(const struct conv *c, const struct conv_ref *ref)
{
	const char *r = conv_rec(c, ref);
	const struct conv_kind *k = kind_of((const void *)r);

	return k != NULL && k->node != 0 ? *(const uint64_t *)(r + k->node) : 0;
}

bool
conv_is_gpu(const struct conv_ref *ref)
{
	return ref->table == RT_KERNEL || ref->table == RT_MEMCPY ||
	       ref->table == RT_MEMSET || ref->table == RT_GRAPH_TRACE;
}

/* The n lowest bytes of a number, as a key that sorts as it does. */
static unsigned char *
put_key(unsigned char *to, uint64_t v, int n)
{
	while (n-- > 0)
		*to++ = (unsigned char)(v >> 8 * n);
	return to;
}

void
conv_put(struct conv *c, enum rec_table t, struct conv_ref *ref)
{
	unsigned char key[9];

	if (conv_holds(c)) {
		conv_hold(c, t, ref);
		return;
	}
	put_key(
	    put_key(key, t, 1), (uint64_t)ref->start ^ (uint64_t)1 << 63, 8);
	ref->table = t;
	xsort_put(&c->rows, key, sizeof(key), ref, sizeof(*ref));
	if (ref->start > c->last)
		c->last = ref->start;
	if (ref->end > c->last)
		c->last = ref->end;
}

/* Work of the GPU: it is put into the order of its stream first. */
static void
put_gpu(struct conv *c, struct conv_ref *ref, enum rec_table t,
    const uint32_t lane[3])
{
	unsigned char key[4 * 4 + 16], *to = put_key(key, ref->proc, 4);
	int64_t on = c->proc[ref->proc].on;
	int i;

	c->has_cuda = true;
	/* with --arm CUPTI is there before the window is */
	if (on != DBW_NULL && ref->start > 0 && ref->start < on)
		return;
	if (ref->start <= 0 || ref->end <= 0 || ref->end < ref->start) {
		c->count[CONV_UNTIMED]++;
		return;
	}
	if (conv_holds(c)) {
		conv_hold(c, t, ref);
		return;
	}
	ref->table = t;
	for (i = 0; i < 3; i++)
		to = put_key(to, lane[i], 4);
	to = put_key(to, (uint64_t)ref->start, 8);
	put_key(to, (uint64_t)ref->end, 8);
	xsort_put(&c->gpu, key, sizeof(key), ref, sizeof(*ref));
}

void
conv_event(struct conv *c, struct conv_ref *ref)
{
	const struct conv_proc *p = &c->proc[ref->proc];
	const char *r = conv_rec(c, ref);
	const struct span *t = (const void *)r;
	const struct conv_kind *k = kind_of(&t->rec);

	if (k == NULL)
		return;
	switch (k->when) {
	case SPAN:
		ref->start = t->start > 0 ? conv_time(p, t->start) : 0;
		ref->end = t->end > 0 ? conv_time(p, t->end) : 0;
		break;
	case MOMENT:
		ref->start = ref->end =
		    t->start > 0 ? conv_time(p, t->start) : 0;
		break;
	case OUR_MOMENT:
		ref->start = ref->end = t->start;
		break;
	case NO_TIME: /* in the order of their table only */
		ref->start = ref->end = c->t0;
		break;
	}
	if (k->lane != 0)
		put_gpu(c, ref, k->table, (const void *)(r + k->lane));
	else
		conv_put(c, k->table, ref);
}

int64_t
conv_gpid(const struct conv_proc *p)
{
	return CONV_VM + p->pid * ((int64_t)1 << 24);
}

int64_t
conv_gtid(const struct conv_proc *p, uint32_t tid)
{
	return conv_gpid(p) + (int64_t)(tid & 0xffffff);
}

static int
by_number(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

uint64_t *
conv_sorted(const struct map *m, bool keys, size_t *n)
{
	uint64_t *v = xcalloc(m->n + 1, sizeof(*v)), key, val;
	size_t it = 0;

	for (*n = 0; *n < m->n && map_next(m, &it, &key, &val); (*n)++)
		v[*n] = keys ? key : val;
	qsort(v, *n, sizeof(*v), by_number);
	return v;
}

/* Between the two pairs of clocks the difference changes evenly. */
int64_t
conv_time(const struct conv_proc *p, int64_t t)
{
	double slope;
	int64_t span;

	if (!p->real_clock || p->n_clocks == 0)
		return t;
	span = p->real[1] - p->real[0];
	if (p->n_clocks < 2 || span <= 0)
		return t - p->real[0] + p->mono[0];
	slope = (double)(p->mono[1] - p->mono[0]) / (double)span;
	return p->mono[0] + (int64_t)((double)(t - p->real[0]) * slope);
}

/* What the session says. */
void
conv_session(struct conv *c)
{
	char *s = rspool_session(&c->dir, "duration");

	c->last = DBW_NULL;
	c->duration = s != NULL ? strtoll(s, NULL, 10) : 0;
	free(s);
	s = rspool_session(&c->dir, "markers");
	c->markers = s != NULL;
	free(s);
}

void
conv_procs(struct conv *c, size_t known)
{
	size_t i;

	c->proc = xrealloc(c->proc, c->dir.n + 1, sizeof(*c->proc));
	for (i = known; i < c->dir.n; i++) {
		memset(&c->proc[i], 0, sizeof(*c->proc));
		c->proc[i].no = (uint32_t)i;
		c->proc[i].start = c->proc[i].stop = DBW_NULL;
		c->proc[i].on = c->proc[i].off = DBW_NULL;
	}
	for (i = 0; i < c->dir.n; i++)
		c->proc[i].file = &c->dir.file[i];
}

void
conv_finish(struct conv *c)
{
	size_t i;

	for (i = 0; i < c->dir.n; i++) {
		struct conv_proc *p = &c->proc[i];

		map_free(&p->names);
		map_free(&p->calls);
		map_free(&p->strings);
		map_free(&p->tasks);
		map_free(&p->graphs);
		map_free(&p->ends);
		map_free(&p->end_tids);
		map_free(&p->live);
		map_free(&p->covered);
		free(p->schemas.at);
		free(p->name);
	}
	free(c->proc);
	smap_free(&c->text);
	smap_free(&c->own);
	smap_free(&c->warned);
	map_free(&c->kernel);
	map_free(&c->said);
	xsort_close(&c->gpu);
	xsort_close(&c->rows);
	buf_free(&c->buf);
	rspool_free(&c->dir);
}
