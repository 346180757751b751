/* Records into groups; see group.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "group.h"
#include "num.h"
#include "part.h"

struct group *
group_new(const struct groups *a, struct group *g)
{
	int i;

	memset(g, 0, sizeof(*g));
	g->acc = xcalloc((size_t)a->spec->nfield + 1, sizeof(*g->acc));
	for (i = 0; i < a->spec->nfield; i++)
		g->acc[i].first = g->acc[i].last = SMAP_NONE;
	return g;
}

struct group *
group_get(struct groups *a, const char *key, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&a->keys, key, n, &is_new);

	if (!is_new)
		return &a->v[id];
	if (id >= a->cap) {
		a->cap = a->cap > 0 ? a->cap * 2 : 64;
		a->v = xrealloc(a->v, a->cap, sizeof(*a->v));
	}
	return group_new(a, &a->v[id]);
}

static struct group *
find_group(struct groups *a, const struct rec *r, int t)
{
	struct input *in = &a->spec->in;
	struct buf *b = &a->key_buf;
	const char *s;
	size_t n;
	int i;

	buf_clear(b);
	for (i = 0; i < a->spec->ngroups; i++) {
		s = input_value(in, r, t, a->spec->group_col[i], &n);
		if (i > 0)
			buf_putc(b, '\t');
		if (s != NULL)
			buf_put(b, s, n);
		else
			buf_putc(b, '-');
	}
	return group_get(a, buf_str(b), b->len);
}

static void
add_field(struct groups *a, const struct rec *r, int t, struct group *g, int k)
{
	struct input *in = &a->spec->in;
	const struct field *f = &a->spec->field[k];
	struct acc *c = &g->acc[k];
	bool frac = false;
	union num v;
	size_t n;
	const char *s = input_value(in, r, t, f->col, &n);

	if (s == NULL)
		return;
	if (!f->numeric) {
		c->last = smap_put(&a->texts, s, n, NULL);
		if (c->first == SMAP_NONE)
			c->first = c->last;
		c->n++;
		return;
	}
	if (!num_i64(s, n, &v.i)) {
		frac = true;
		if (!num_f64(s, n, &v.d))
			rec_die(r, "%s: %s is no number: '%.*s'", in->tag[t],
			    in->col[f->col].name, (int)(n < 40 ? n : 40), s);
	}
	acc_add(c, frac, v, f->want);
}

/* first and last of a field whose numbers are read too */
static void
add_ends(struct groups *a, const struct rec *r, int t, struct group *g)
{
	struct input *in = &a->spec->in;
	const char *s;
	size_t n;
	int i;

	for (i = 0; i < a->spec->nstat; i++) {
		const struct stat_col *c = &a->spec->stat[i];
		struct acc *x;

		if ((c->stat != ST_FIRST && c->stat != ST_LAST) ||
		    !a->spec->field[c->field].numeric)
			continue;
		s = input_value(in, r, t, a->spec->field[c->field].col, &n);
		if (s == NULL)
			continue;
		x = &g->acc[c->field];
		x->last = smap_put(&a->texts, s, n, NULL);
		if (x->first == SMAP_NONE)
			x->first = x->last;
	}
}

/* The number of the file that a record is from: each has a clock of its
 * own. */
static size_t
source(struct groups *a, const struct rec *r, int t)
{
	size_t n;
	const char *s = input_value(&a->spec->in, r, t, a->spec->src_col, &n);

	return s != NULL ? smap_put(&a->srcs, s, n, NULL) + (size_t)1 : 0;
}

static struct ivl *
source_ivl(struct group *g, size_t src)
{
	if (src >= g->nivl) {
		g->ivl = xrealloc(g->ivl, src + 1, sizeof(*g->ivl));
		memset(
		    g->ivl + g->nivl, 0, (src + 1 - g->nivl) * sizeof(*g->ivl));
		g->nivl = src + 1;
	}
	return &g->ivl[src];
}

static void
add_interval(struct groups *a, const struct rec *r, int t, struct group *g)
{
	struct input *in = &a->spec->in;
	const char *s, *d;
	int64_t start, dur;
	size_t n, m;

	s = input_value(in, r, t, a->spec->start_col, &n);
	d = input_value(in, r, t, a->spec->dur_col, &m);
	if (s == NULL || d == NULL)
		return;
	if (!num_i64(s, n, &start) || !num_i64(d, m, &dur))
		rec_die(r, "%s: start_ns or dur_ns is no integer", in->tag[t]);
	g->has_ivl = true;
	ivl_add(source_ivl(g, source(a, r, t)), start, num_add(start, dur));
}

void
group_record(struct groups *a, const struct rec *r, int t)
{
	struct input *in = &a->spec->in;
	struct where *w = &a->spec->where;
	struct group *g;
	int i;

	in->seen[t] = true;
	if (w->n > 0 && !where_holds(w, in, r, t))
		return;
	in->any = true;
	g = find_group(a, r, t);
	g->n++;
	for (i = 0; i < a->spec->nfield; i++)
		add_field(a, r, t, g, i);
	if (a->spec->start_col >= 0)
		add_interval(a, r, t, g);
	add_ends(a, r, t, g);
}

/* The k-th source of the section, by a key that is the same in all parts of
 * it. */
static void
keep_pieces(const struct groups *a, struct group *g, size_t k)
{
	uint64_t key = a->section;
	struct ivl *u;
	const char *s;
	size_t i, n;

	if (k > 0) {
		s = smap_str(&a->srcs, (uint32_t)(k - 1), &n);
		key = hash_mix(key) ^ hash_bytes(s, n);
	}
	u = part_piece(g, key);
	for (i = 0; i < g->ivl[k].n; i++)
		ivl_add(u, g->ivl[k].v[i].lo, g->ivl[k].v[i].hi);
}

void
group_section_end(struct groups *a)
{
	size_t i, k;

	for (i = 0; i < a->keys.n; i++) {
		struct group *g = &a->v[i];

		for (k = 0; k < g->nivl; k++) {
			g->union_ns = num_add(g->union_ns, ivl_len(&g->ivl[k]));
			if (a->spec->partial && g->ivl[k].n > 0)
				keep_pieces(a, g, k);
			ivl_free(&g->ivl[k]);
		}
	}
}

void
group_forget(struct groups *a)
{
	size_t i;
	int k;

	for (i = 0; i < a->keys.n; i++) {
		for (k = 0; k < a->spec->nfield; k++)
			acc_free(&a->v[i].acc[k]);
		free(a->v[i].acc);
		free(a->v[i].ivl);
	}
	smap_clear(&a->keys);
	smap_clear(&a->texts);
	smap_clear(&a->srcs);
}
