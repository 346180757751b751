/* Writes groups, values and pieces to disk, and a group as bytes; see
 * agg_disk.h. */
#include "agg_disk.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"

static int
cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Compares integers and doubles with each other: as doubles, then as integers.
 */
static int
cmp_num(const struct value_key *x, const struct value_key *y)
{
	double a = x->frac ? x->v.d : (double)x->v.i;
	double b = y->frac ? y->v.d : (double)y->v.i;

	if (a < b || a > b)
		return a < b ? -1 : 1;
	if (x->frac || y->frac)
		return 0;
	return (x->v.i > y->v.i) - (x->v.i < y->v.i);
}

int
disk_cmp_value(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	struct value_key x, y;
	int c;

	(void)ctx, (void)an, (void)bn;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	c = cmp_u64(x.group, y.group);
	if (c == 0)
		c = cmp_u64(x.field, y.field);
	return c != 0 ? c : cmp_num(&x, &y);
}

int
disk_cmp_piece(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	struct piece_key x, y;
	int c;

	(void)ctx, (void)an, (void)bn;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	c = cmp_u64(x.group, y.group);
	if (c == 0)
		c = cmp_u64(x.section, y.section);
	if (c == 0)
		c = cmp_u64(x.src, y.src);
	return c != 0 ? c : (x.lo > y.lo) - (x.lo < y.lo);
}

int
disk_cmp_no(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	uint64_t x, y;

	(void)ctx, (void)an, (void)bn;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return cmp_u64(x, y);
}

void
disk_open(struct agg_groups *a, size_t bytes)
{
	struct agg_disk *o = xcalloc(1, sizeof(*o));

	o->part = bytes / 4;
	xsort_open(&o->rows, runs_bytes, NULL, o->part);
	xsort_open(&o->values, disk_cmp_value, NULL, o->part);
	xsort_open(&o->pieces, disk_cmp_piece, NULL, o->part);
	a->disk = o;
}

/* The values of one field, each different value once; to a run, or to be
 * sorted. */
static void
put_field_values(
    struct agg_disk *o, struct acc_more *m, struct value_key k, bool run)
{
	uint64_t n;
	size_t i;

	acc_sort(m);
	for (i = 0; i < m->nval; i += n) {
		for (n = 1; i + n < m->nval &&
			    acc_same(m->frac, m->val[i], m->val[i + n]);
		     n++)
			;
		k.v = m->val[i];
		if (run)
			runs_put(&o->values.runs, &k, sizeof(k), &n, sizeof(n));
		else
			xsort_put(&o->values, &k, sizeof(k), &n, sizeof(n));
	}
}

void
disk_values(struct agg_groups *a, struct agg_group *g, uint64_t no, bool sorted)
{
	struct value_key k;
	int i;

	for (i = 0; i < a->spec->nfield; i++) {
		struct acc_more *m = g->acc[i].more;

		if (m == NULL || m->cap == 0)
			continue;
		memset(&k, 0, sizeof(k));
		k.group = no;
		k.field = (uint32_t)i;
		k.frac = m->frac;
		put_field_values(a->disk, m, k, sorted);
		a->n_values -= m->cap;
		free(m->val);
		m->val = NULL;
		m->nval = m->cap = 0;
	}
	a->disk->any_values = true;
}

static void
put_spans(struct agg_disk *o, struct ivl *u, struct piece_key k, bool run)
{
	size_t i;

	for (i = 0; i < u->n; i++) {
		k.lo = u->v[i].lo;
		if (run)
			runs_put(&o->pieces.runs, &k, sizeof(k), &u->v[i].hi,
			    sizeof(u->v[i].hi));
		else
			xsort_put(&o->pieces, &k, sizeof(k), &u->v[i].hi,
			    sizeof(u->v[i].hi));
	}
	ivl_free(u);
}

static void
put_pieces(
    struct agg_groups *a, struct agg_group *g, struct piece_key k, bool run)
{
	size_t i;

	if (a->spec->partial) /* --partial needs the pieces, not their length */
		g->union_ns = 0;
	for (i = 0; i < g->npiece; i++) {
		k.section = g->piece[i].section;
		k.src = g->piece[i].src;
		a->n_pieces -= g->piece[i].u.cap;
		put_spans(a->disk, &g->piece[i].u, k, run);
	}
	g->npiece = 0;
	k.section = a->n_section;
	for (i = 0; i < g->nivl; i++) {
		k.src = i;
		a->n_pieces -= g->ivl[i].cap;
		put_spans(a->disk, &g->ivl[i], k, run);
	}
	a->disk->any_pieces = true;
}

void
disk_pieces(struct agg_groups *a, struct agg_group *g, uint64_t no)
{
	struct piece_key k = { no, 0, 0, 0 };

	put_pieces(a, g, k, false);
}

/* Spills the values of all groups in memory, which are already in order. */
static void
spill_values(struct agg_groups *a)
{
	size_t i;

	runs_begin(&a->disk->values.runs);
	for (i = 0; i < a->keys.n; i++)
		disk_values(a, &a->v[i], i, true);
	runs_end(&a->disk->values.runs);
}

static void
spill_pieces(struct agg_groups *a)
{
	struct piece_key k = { 0, 0, 0, 0 };
	size_t i;

	runs_begin(&a->disk->pieces.runs);
	for (i = 0; i < a->keys.n; i++) {
		k.group = i;
		put_pieces(a, &a->v[i], k, true);
	}
	runs_end(&a->disk->pieces.runs);
}

void
disk_spill(struct agg_groups *a)
{
	size_t part = a->disk->part;

	if (a->n_values > part / sizeof(union agg_num))
		spill_values(a);
	if (a->n_pieces > part / sizeof(struct ivl_span))
		spill_pieces(a);
}

void
disk_row(struct agg_groups *a, const char *key, size_t n, struct agg_row *w)
{
	struct buf *b = &a->disk->row;

	w->no = a->disk->n_rows++;
	w->section = a->n_section;
	row_put(a, b, w);
	xsort_put(&a->disk->rows, key, n, b->s, b->len);
}

void
disk_section_end(struct agg_groups *a)
{
	struct agg_disk *o = a->disk;

	if (o == NULL)
		return;
	ARRAY_GROW(o->key, o->n_key, o->cap_key);
	o->key[o->n_key++] = a->section;
	if (o->any_pieces)
		spill_pieces(a);
}

void
disk_all(struct agg_groups *a, bool values, bool pieces)
{
	if (values)
		spill_values(a);
	if (pieces)
		spill_pieces(a);
}

void
disk_reset(struct agg_groups *a)
{
	struct agg_disk *o = a->disk;

	if (o == NULL)
		return;
	xsort_close(&o->rows);
	xsort_close(&o->values);
	xsort_close(&o->pieces);
	o->n_rows = 0;
	o->n_key = 0;
	o->full = o->any_values = o->any_pieces = false;
}

bool
disk_any(const struct agg_groups *a)
{
	const struct agg_disk *o = a->disk;

	return o != NULL && (o->n_rows > 0 || o->any_values || o->any_pieces);
}

struct state_head {
	uint64_t no, n;
	size_t nkey, npart;
	int64_t union_ns;
	bool has_ivl, found;
};

struct acc_head {
	bool more, ends, has_first, has_last;
	size_t nfirst, nlast;
};

static void
put_bytes(struct buf *b, const void *p, size_t n)
{
	buf_put(b, p, n);
}

static void
take_bytes(const char **p, void *to, size_t n)
{
	memcpy(to, *p, n);
	*p += n;
}

static void
put_acc(struct buf *b, const struct agg_acc *c)
{
	const struct acc_ends *e = c->ends;
	struct acc_head h;

	memset(&h, 0, sizeof(h));
	h.more = c->more != NULL;
	h.ends = e != NULL;
	if (e != NULL) {
		h.has_first = e->has_first;
		h.has_last = e->has_last;
		h.nfirst = e->first.len;
		h.nlast = e->last.len;
	}
	put_bytes(b, &h, sizeof(h));
	put_bytes(b, c, sizeof(*c));
	if (h.more)
		put_bytes(b, c->more, sizeof(*c->more));
	if (e != NULL) {
		put_bytes(b, e->first.s, h.nfirst);
		put_bytes(b, e->last.s, h.nlast);
	}
}

static void
get_ends(const char **p, struct agg_acc *c, const struct acc_head *h)
{
	if (h->has_first)
		acc_first(c, *p, h->nfirst);
	*p += h->nfirst;
	if (h->has_last)
		acc_last(c, *p, h->nlast);
	*p += h->nlast;
}

static void
get_acc(const char **p, struct agg_acc *c)
{
	struct acc_head h;

	take_bytes(p, &h, sizeof(h));
	take_bytes(p, c, sizeof(*c));
	c->ends = NULL;
	c->more = NULL;
	if (h.more) {
		take_bytes(p, acc_more(c), sizeof(*c->more));
		c->more->val = NULL;
		c->more->nval = c->more->cap = 0;
	}
	if (h.ends)
		get_ends(p, c, &h);
}

void
state_put(const struct agg_groups *a, struct buf *b, const struct agg_state *s)
{
	const struct agg_found *f = s->g.found;
	size_t nstat = (size_t)a->spec->nstat;
	struct state_head h;
	int i;

	memset(&h, 0, sizeof(h));
	h.no = s->no;
	h.n = s->g.n;
	h.nkey = s->nkey;
	h.npart = f != NULL ? f->part.len : 0;
	h.union_ns = s->g.union_ns;
	h.has_ivl = s->g.has_ivl;
	h.found = f != NULL;
	put_bytes(b, &h, sizeof(h));
	put_bytes(b, s->key, s->nkey);
	for (i = 0; i < a->spec->nfield; i++)
		put_acc(b, &s->g.acc[i]);
	if (f == NULL)
		return;
	put_bytes(b, f->p, nstat * sizeof(*f->p));
	put_bytes(b, f->has, nstat * sizeof(*f->has));
	put_bytes(b, f->part.s, f->part.len);
}

void
state_get(const struct agg_groups *a, const char *p, struct agg_state *s)
{
	size_t nstat = (size_t)a->spec->nstat;
	struct state_head h;
	int i;

	take_bytes(&p, &h, sizeof(h));
	group_new(a, &s->g);
	s->no = h.no;
	s->key = p;
	s->nkey = h.nkey;
	s->g.n = h.n;
	s->g.union_ns = h.union_ns;
	s->g.has_ivl = h.has_ivl;
	p += h.nkey;
	for (i = 0; i < a->spec->nfield; i++)
		get_acc(&p, &s->g.acc[i]);
	if (!h.found)
		return;
	s->g.found = found_new(a);
	take_bytes(&p, s->g.found->p, nstat * sizeof(*s->g.found->p));
	take_bytes(&p, s->g.found->has, nstat * sizeof(*s->g.found->has));
	buf_put(&s->g.found->part, p, h.npart);
}

void
state_free(const struct agg_groups *a, struct agg_state *s)
{
	found_free(s->g.found);
	group_free(a, &s->g);
}

struct agg_found *
found_new(const struct agg_groups *a)
{
	struct agg_found *f = xcalloc(1, sizeof(*f));
	size_t n = (size_t)a->spec->nstat + 1;

	f->p = xcalloc(n, sizeof(*f->p));
	f->has = xcalloc(n, sizeof(*f->has));
	return f;
}

void
found_free(struct agg_found *f)
{
	if (f == NULL)
		return;
	free(f->p);
	free(f->has);
	buf_free(&f->part);
	free(f);
}
