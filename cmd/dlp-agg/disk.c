/* What is over the bound goes to disk; see disk.h. */
#include "disk.h"

#include <stdlib.h>

#include "err.h"

static int
cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Integers and doubles in one order: as doubles, then as integers. */
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
disk_open(struct groups *a, size_t bytes)
{
	struct disk *o = xcalloc(1, sizeof(*o));

	o->part = bytes / 4;
	xsort_open(&o->rows, runs_bytes, NULL, o->part);
	xsort_open(&o->values, disk_cmp_value, NULL, o->part);
	xsort_open(&o->pieces, disk_cmp_piece, NULL, o->part);
	a->disk = o;
}

static bool
same(bool frac, union num a, union num b)
{
	return frac ? !(a.d < b.d) && !(a.d > b.d) : a.i == b.i;
}

/* One field's, each different value once; to a run, or to be sorted. */
static void
put_values(struct disk *o, struct acc_more *m, struct value_key k, bool run)
{
	uint64_t n;
	size_t i;

	acc_sort(m);
	for (i = 0; i < m->nval; i += n) {
		for (n = 1;
		     i + n < m->nval && same(m->frac, m->val[i], m->val[i + n]);
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
disk_values(struct groups *a, struct group *g, uint64_t no, bool sorted)
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
		put_values(a->disk, m, k, sorted);
		a->n_values -= m->cap;
		free(m->val);
		m->val = NULL;
		m->nval = m->cap = 0;
	}
	a->disk->any_values = true;
}

static void
put_spans(struct disk *o, struct ivl *u, struct piece_key k, bool run)
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
put_pieces(struct groups *a, struct group *g, struct piece_key k, bool run)
{
	size_t i;

	if (a->spec->partial) /* it is the length of the pieces that go */
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
disk_pieces(struct groups *a, struct group *g, uint64_t no)
{
	struct piece_key k = { no, 0, 0, 0 };

	put_pieces(a, g, k, false);
}

/* Of all groups in memory; they are in order. */
static void
spill_values(struct groups *a)
{
	size_t i;

	runs_begin(&a->disk->values.runs);
	for (i = 0; i < a->keys.n; i++)
		disk_values(a, &a->v[i], i, true);
	runs_end(&a->disk->values.runs);
}

static void
spill_pieces(struct groups *a)
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
disk_spill(struct groups *a)
{
	size_t part = a->disk->part;

	if (a->n_values > part / sizeof(union num))
		spill_values(a);
	if (a->n_pieces > part / sizeof(struct ivl_span))
		spill_pieces(a);
}

void
disk_row(struct groups *a, const char *key, size_t n, struct row *w)
{
	static struct buf b;

	w->no = a->disk->n_rows++;
	w->section = a->n_section;
	row_put(a, &b, w);
	xsort_put(&a->disk->rows, key, n, b.s, b.len);
}

void
disk_section_end(struct groups *a)
{
	struct disk *o = a->disk;

	if (o == NULL)
		return;
	if (o->n_key == o->cap_key) {
		o->cap_key = o->cap_key > 0 ? o->cap_key * 2 : 8;
		o->key = xrealloc(o->key, o->cap_key, sizeof(*o->key));
	}
	o->key[o->n_key++] = a->section;
	if (o->any_pieces)
		spill_pieces(a);
}

void
disk_all(struct groups *a, bool values, bool pieces)
{
	if (values)
		spill_values(a);
	if (pieces)
		spill_pieces(a);
}

void
disk_reset(struct groups *a)
{
	struct disk *o = a->disk;

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
disk_any(const struct groups *a)
{
	const struct disk *o = a->disk;

	return o != NULL && (o->n_rows > 0 || o->any_values || o->any_pieces);
}
