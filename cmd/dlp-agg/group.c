/* Records into groups: the hot loop. */
#include <stdlib.h>

#include "agg.h"
#include "err.h"
#include "num.h"

int
agg_type_of(const struct agg *a, const struct rec *r)
{
	int t = 0;

	while (a->type[t] != r->type)
		t++;
	return t;
}

const char *
agg_value(struct agg *a, const struct rec *r, int t, int col, size_t *n)
{
	return join_raw(&a->join, r, a->col[col].in[t], n);
}

struct group *
group_new(struct agg *a, struct group *g)
{
	int i;

	memset(g, 0, sizeof(*g));
	g->acc = xcalloc((size_t)a->nfields + 1, sizeof(*g->acc));
	for (i = 0; i < a->nfields; i++)
		g->acc[i].first = g->acc[i].last = SMAP_NONE;
	return g;
}

static struct group *
find_group(struct agg *a, const struct rec *r, int t)
{
	struct buf *b = &a->key_buf;
	const char *s;
	uint32_t id;
	bool is_new;
	size_t n;
	int i;

	buf_clear(b);
	for (i = 0; i < a->ngroups; i++) {
		s = agg_value(a, r, t, a->group_col[i], &n);
		if (i > 0)
			buf_putc(b, '\t');
		if (s != NULL)
			buf_put(b, s, n);
		else
			buf_putc(b, '-');
	}
	id = smap_put(&a->keys, buf_str(b), b->len, &is_new);
	if (!is_new)
		return &a->group[id];
	if (id >= a->group_cap) {
		a->group_cap = a->group_cap > 0 ? a->group_cap * 2 : 64;
		a->group = xrealloc(a->group, a->group_cap, sizeof(*a->group));
	}
	return group_new(a, &a->group[id]);
}

static void
add_field(struct agg *a, const struct rec *r, int t, struct group *g, int k)
{
	struct field *f = &a->field[k];
	struct acc *c = &g->acc[k];
	bool frac = false;
	union num v;
	size_t n;
	const char *s = agg_value(a, r, t, f->col, &n);

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
			rec_die(r, "%s: %s is no number: '%.*s'", a->types[t],
			    a->col[f->col].name, (int)(n < 40 ? n : 40), s);
	}
	acc_add(c, frac, v, f->values);
}

/* first and last of a field whose numbers are read too */
static void
add_ends(struct agg *a, const struct rec *r, int t, struct group *g)
{
	const char *s;
	size_t n;
	int i;

	for (i = 0; i < a->nstat; i++) {
		const struct stat_col *c = &a->stat[i];
		struct acc *x;

		if ((c->stat != ST_FIRST && c->stat != ST_LAST) ||
		    !a->field[c->field].numeric)
			continue;
		s = agg_value(a, r, t, a->field[c->field].col, &n);
		if (s == NULL)
			continue;
		x = &g->acc[c->field];
		x->last = smap_put(&a->texts, s, n, NULL);
		if (x->first == SMAP_NONE)
			x->first = x->last;
	}
}

static void
add_interval(struct agg *a, const struct rec *r, int t, struct group *g)
{
	const char *s, *d;
	int64_t start, dur;
	size_t n, m;

	s = agg_value(a, r, t, a->start_col, &n);
	d = agg_value(a, r, t, a->dur_col, &m);
	if (s == NULL || d == NULL)
		return;
	if (!num_i64(s, n, &start) || !num_i64(d, m, &dur))
		rec_die(r, "%s: start_ns or dur_ns is no integer", a->types[t]);
	g->has_ivl = true;
	ivl_add(&g->ivl, start, num_add(start, dur));
}

void
group_record(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	int t = agg_type_of(a, r), i;
	struct group *g;

	a->seen[t] = true;
	if (a->ncond > 0 && !where_holds(a, r, t))
		return;
	g = find_group(a, r, t);
	g->n++;
	a->n_in++;
	for (i = 0; i < a->nfields; i++)
		add_field(a, r, t, g, i);
	if (a->start_col >= 0)
		add_interval(a, r, t, g);
	add_ends(a, r, t, g);
}

/* Times of another section have another origin. */
void
group_section_end(struct agg *a)
{
	size_t i;

	for (i = 0; i < a->keys.n; i++) {
		struct group *g = &a->group[i];

		g->union_ns = num_add(g->union_ns, ivl_len(&g->ivl));
		ivl_free(&g->ivl);
	}
}
