/*
 * Groups: records are added to them, in memory or, beyond the memory of -S, on
 * disk; intake_record() is the hot loop.
 */
#include <stdlib.h>
#include <string.h>

#include "agg_group.h"
#include "array.h"
#include "err.h"
#include "num.h"
#include "xsort.h"

#define OPTIMIZER "optimizer" /* a phase; with --optimizer a direction */

struct agg_disk {
	size_t part;       /* bytes: a quarter */
	bool full;         /* memory is full: new groups go to disk */
	struct xsort rows; /* records of groups that are not in memory, by
			    * their keys */
	uint64_t n_rows;
	struct buf row;              /* the row that is being written */
	struct xsort values, pieces; /* of all groups */
	bool any_values, any_pieces; /* set if values, or pieces, are on disk */
	uint64_t *key;               /* of each section */
	size_t n_key, cap_key;
};

struct pick { /* reads sorted records one after the other */
	struct xsort *x;
	struct runs_rec r;
	bool have; /* r is a record */
};

/* The orders of values, pieces and numbers. */
runs_cmp disk_cmp_value, disk_cmp_piece, disk_cmp_no;

static bool
disk_is_full(const struct agg_groups *a)
{
	return a->disk != NULL && a->disk->full;
}

static void disk_spill(struct agg_groups *a);

/* Called after each record of a group in memory. */
static void
disk_check(struct agg_groups *a)
{
	size_t part;

	if (a->disk == NULL)
		return;
	part = a->disk->part;
	if (a->group_bytes > part)
		a->disk->full = true;
	if (a->n_values > part / sizeof(union agg_num) ||
	    a->n_pieces > part / sizeof(struct ivl_span))
		disk_spill(a);
}

struct agg_row_val {   /* of a field */
	const char *s; /* NULL if unset */
	size_t n;
	bool frac; /* of a number: tells which member of v is set */
	union agg_num v;
};

/* The memory of a group besides its key and fields: its struct, the map's entry
 * and room to grow. */
#define GROUP_COST (2 * sizeof(struct agg_group) + 128)

struct agg_group *
group_new(const struct agg_groups *a, struct agg_group *g)
{
	memset(g, 0, sizeof(*g));
	g->acc = xcalloc((size_t)a->spec->nfield + 1, sizeof(*g->acc));
	return g;
}

static struct agg_group *
add_group(struct agg_groups *a, uint32_t id, size_t n)
{
	ARRAY_GROW(a->v, id, a->cap);
	a->group_bytes +=
	    n + GROUP_COST + (size_t)a->spec->nfield * sizeof(*a->v[id].acc);
	return group_new(a, &a->v[id]);
}

struct agg_group *
group_get(struct agg_groups *a, const char *key, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&a->keys, key, n, &is_new);

	return is_new ? add_group(a, id, n) : &a->v[id];
}

static struct ivl *
source_ivl(struct agg_group *g, size_t src)
{
	if (src >= g->nivl) {
		g->ivl = xrealloc(g->ivl, src + 1, sizeof(*g->ivl));
		memset(
		    g->ivl + g->nivl, 0, (src + 1 - g->nivl) * sizeof(*g->ivl));
		g->nivl = src + 1;
	}
	return &g->ivl[src];
}

/* Adds a piece of a source's time. */
static void
group_interval(struct agg_groups *a, struct agg_group *g, size_t src,
    int64_t lo, int64_t hi)
{
	struct ivl *u = source_ivl(g, src);
	size_t cap = u->cap;

	ivl_add(u, lo, hi);
	a->n_pieces += u->cap - cap;
}

/* Finds the k-th source of the section, by a key that is the same in all
 * partial results of it. */
static void
keep_pieces(struct agg_groups *a, struct agg_group *g, size_t k,
    uint64_t section, uint64_t key)
{
	struct agg_piece *p;
	size_t i, cap;
	const char *s;
	size_t n;

	if (k > 0) {
		s = smap_str(&a->srcs, (uint32_t)(k - 1), &n);
		key = hash_mix(key) ^ hash_bytes(s, n);
	}
	p = part_piece(g, key);
	p->section = section;
	p->src = k;
	cap = p->u.cap;
	for (i = 0; i < g->ivl[k].n; i++)
		ivl_add(&p->u, g->ivl[k].v[i].lo, g->ivl[k].v[i].hi);
	a->n_pieces += p->u.cap - cap;
}

/* Ends a section of that number and key, because another section's times have
 * another origin. */
static void
group_close(
    struct agg_groups *a, struct agg_group *g, uint64_t section, uint64_t key)
{
	size_t k;

	for (k = 0; k < g->nivl; k++) {
		g->union_ns = num_add(g->union_ns, ivl_len(&g->ivl[k]));
		if (a->spec->partial && g->ivl[k].n > 0)
			keep_pieces(a, g, k, section, key);
		a->n_pieces -= g->ivl[k].cap;
		ivl_free(&g->ivl[k]);
	}
}

void
group_free(const struct agg_groups *a, struct agg_group *g)
{
	size_t i;
	int k;

	for (k = 0; k < a->spec->nfield; k++)
		acc_free(&g->acc[k]);
	free(g->acc);
	for (i = 0; i < g->nivl; i++)
		ivl_free(&g->ivl[i]);
	free(g->ivl);
	for (i = 0; i < g->npiece; i++)
		ivl_free(&g->piece[i].u);
	free(g->piece);
}

/* Frees all groups. */
static void
group_free_all(struct agg_groups *a)
{
	size_t i;

	for (i = 0; i < a->keys.n; i++)
		group_free(a, &a->v[i]);
	smap_clear(&a->keys);
	a->group_bytes = a->n_values = a->n_pieces = 0;
}

/* Reads a field of a record. A negative length counts as unset, because an end
 * before the start is no length. */
static void
read_field(
    struct agg_groups *a, const struct rec *r, int t, struct agg_row *w, int k)
{
	struct agg_input *in = &a->spec->in;
	const struct agg_field *f = &a->spec->field[k];
	struct agg_row_val *v = &w->val[k];

	v->s = input_value(in, r, t, f->col, &v->n);
	v->frac = false;
	if (v->s == NULL || !f->numeric)
		return;
	if (num_i64(v->s, v->n, &v->v.i)) {
		if (v->v.i < 0 && f->length) {
			v->s = NULL;
			w->negative = true;
		}
		return;
	}
	v->frac = true;
	if (!num_f64(v->s, v->n, &v->v.d))
		rec_die(r, "%s: %s is no number: '%.*s'", in->tag[t],
		    in->col[f->col].name, (int)(v->n < 40 ? v->n : 40), v->s);
}

/* The number of the file that a record is from, because each file has a clock
 * of its own. */
static uint64_t
source(struct agg_groups *a, const struct rec *r, int t)
{
	size_t n;
	const char *s = input_value(&a->spec->in, r, t, a->spec->src_col, &n);

	return s != NULL ? smap_put(&a->srcs, s, n, NULL) + (uint64_t)1 : 0;
}

static void
read_interval(
    struct agg_groups *a, const struct rec *r, int t, struct agg_row *w)
{
	struct agg_input *in = &a->spec->in;
	const char *s, *d;
	int64_t dur;
	size_t n, m;

	s = input_value(in, r, t, a->spec->start_col, &n);
	d = input_value(in, r, t, a->spec->dur_col, &m);
	w->has_ivl = s != NULL && d != NULL;
	if (!w->has_ivl)
		return;
	if (!num_i64(s, n, &w->lo) || !num_i64(d, m, &dur))
		rec_die(r, "%s: start_ns or dur_ns is no integer", in->tag[t]);
	if (dur < 0) {
		w->has_ivl = false;
		w->negative = true;
		return;
	}
	w->hi = num_add(w->lo, dur);
	w->src = source(a, r, t);
}

/* Reads a record of type t; w gets views into it. Fatal if a text should be a
 * number. */
static void
row_read(struct agg_groups *a, const struct rec *r, int t, struct agg_row *w)
{
	int i;

	w->negative = false;
	for (i = 0; i < a->spec->nfield; i++)
		read_field(a, r, t, w, i);
	w->has_ivl = false;
	if (a->spec->start_col >= 0)
		read_interval(a, r, t, w);
	a->n_negative += w->negative;
}

static void
add_value(struct agg_groups *a, const struct agg_field *f, struct agg_acc *c,
    const struct agg_row_val *v)
{
	if (f->ends) {
		acc_first(c, v->s, v->n);
		acc_last(c, v->s, v->n);
	}
	if (f->numeric)
		a->n_values += acc_add(c, v->frac, v->v, f->want);
	else
		c->n++;
}

static void
row_add(struct agg_groups *a, struct agg_group *g, const struct agg_row *w)
{
	int i;

	g->n++;
	for (i = 0; i < a->spec->nfield; i++)
		if (w->val[i].s != NULL)
			add_value(
			    a, &a->spec->field[i], &g->acc[i], &w->val[i]);
	if (w->has_ivl) {
		g->has_ivl = true;
		group_interval(a, g, (size_t)w->src, w->lo, w->hi);
	}
}

struct row_head { /* start of the bytes */
	uint64_t no, section, src;
	int64_t lo, hi;
	bool has_ivl;
};

/* The same as bytes; row_get() leaves views into them. */
static void
row_put(const struct agg_groups *a, struct buf *b, const struct agg_row *w)
{
	struct row_head h;
	struct agg_row_val v;
	int i;

	memset(&h, 0, sizeof(h));
	h.no = w->no;
	h.section = w->section;
	h.has_ivl = w->has_ivl;
	if (h.has_ivl) {
		h.src = w->src;
		h.lo = w->lo;
		h.hi = w->hi;
	}
	buf_clear(b);
	buf_put(b, (const char *)&h, sizeof(h));
	for (i = 0; i < a->spec->nfield; i++) {
		bool text = a->spec->field[i].ends;

		memset(&v, 0, sizeof(v));
		v.n = w->val[i].s != NULL ? (text ? w->val[i].n : 0) : SIZE_MAX;
		v.frac = w->val[i].frac;
		v.v = w->val[i].v;
		buf_put(b, (const char *)&v, sizeof(v));
		if (v.n != SIZE_MAX)
			buf_put(b, w->val[i].s, v.n);
	}
}

static void
row_get(const struct agg_groups *a, const char *s, struct agg_row *w)
{
	struct row_head h;
	int i;

	memcpy(&h, s, sizeof(h));
	s += sizeof(h);
	w->no = h.no;
	w->section = h.section;
	w->has_ivl = h.has_ivl;
	w->src = h.src;
	w->lo = h.lo;
	w->hi = h.hi;
	for (i = 0; i < a->spec->nfield; i++) {
		struct agg_row_val *v = &w->val[i];

		memcpy(v, s, sizeof(*v));
		s += sizeof(*v);
		v->s = NULL;
		if (v->n == SIZE_MAX)
			continue;
		v->s = s;
		s += v->n;
	}
}

/* Groups, values and pieces on disk; a group as bytes. */

struct piece_key {
	uint64_t group, section, src;
	int64_t lo; /* the value from the record is hi */
};

struct value_key {      /* the key by which values are sorted */
	uint64_t group; /* the group's number, in the order of the groups'
			 * first records */
	uint32_t field, frac;
	union agg_num v;
};

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

/* Write the values, or the pieces, of a group to disk. */
static void
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

static void
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

/* Takes a record of a group that is not in memory. */
static void
disk_row(struct agg_groups *a, const char *key, size_t n, struct agg_row *w)
{
	struct buf *b = &a->disk->row;

	w->no = a->disk->n_rows++;
	w->section = a->n_section;
	row_put(a, b, w);
	xsort_put(&a->disk->rows, key, n, b->s, b->len);
}

/* Called before the groups are closed: if pieces of unions are on disk, writes
 * the ones in memory there too. */
static void
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

/* Writes all values, or all pieces, to disk. */
static void
disk_all(struct agg_groups *a, bool values, bool pieces)
{
	if (values)
		spill_values(a);
	if (pieces)
		spill_pieces(a);
}

/* Frees everything that is on disk. */
static void
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

/* Appends it. */
static void
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

/* A new, empty struct for a group's statistics; the other frees it. */
static struct agg_found *
found_new(const struct agg_groups *a)
{
	struct agg_found *f = xcalloc(1, sizeof(*f));
	size_t n = (size_t)a->spec->nstat + 1;

	f->p = xcalloc(n, sizeof(*f->p));
	f->has = xcalloc(n, sizeof(*f->has));
	return f;
}

static void
found_free(struct agg_found *f)
{
	if (f == NULL)
		return;
	free(f->p);
	free(f->has);
	buf_free(&f->part);
	free(f);
}

/* Reads the state at p. state_free() frees what it allocated. */
static void
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

static void
state_free(const struct agg_groups *a, struct agg_state *s)
{
	found_free(s->g.found);
	group_free(a, &s->g);
}

/*
 * Writes the result if groups are on disk. Each group becomes a state, in the
 * order of the first records. Values and pieces, which are in the same order,
 * are joined to the states, and the states are sorted by --sort.
 */

struct pick_count { /* number of a field's values read so far */
	uint32_t field;
	uint64_t n;
};

static void
pick_next(struct pick *p)
{
	p->have = xsort_next(p->x, &p->r);
}

/* Goes to the first record. */
static void
pick_open(struct pick *p, struct xsort *x)
{
	p->x = x;
	xsort_again(x);
	pick_next(p);
}

/* Stores the percentiles of values that are in memory. */
static void
pick_kept(struct agg_found *f, const struct agg_spec *spec, struct agg_group *g,
    int stat)
{
	const struct stat_col *s = &spec->stat[stat];
	struct agg_acc *c;

	if (s->stat != ST_PERCENTILE)
		return;
	c = &g->acc[s->field];
	f->has[stat] = c->n > 0;
	if (c->n > 0)
		f->p[stat] = acc_percentile(c, s->p);
}

static union agg_num
as_field(const struct agg_acc *c, const struct value_key *k)
{
	union agg_num v = k->v;

	if (acc_is_frac(c) && !k->frac)
		v.d = (double)k->v.i;
	return v;
}

/* Takes n times a value of a field; values come in order. */
static void
count_value(const struct agg_spec *spec, struct agg_state *s,
    struct pick_count *seen, const struct value_key *k, uint64_t n)
{
	struct agg_found *f = s->g.found;
	const struct agg_acc *c = &s->g.acc[k->field];
	int i;

	if (seen->field != k->field)
		*seen = (struct pick_count){ k->field, 0 };
	seen->n += n;
	for (i = 0; i < spec->nstat; i++) {
		const struct stat_col *t = &spec->stat[i];

		if (t->stat != ST_PERCENTILE || f->has[i] ||
		    t->field != (int)k->field || seen->n < acc_rank(c->n, t->p))
			continue;
		f->has[i] = true;
		f->p[i] = as_field(c, k);
	}
}

/* For --partial, the values themselves. */
static void
keep_values(struct agg_state *s, const struct value_key *k, uint64_t n)
{
	struct agg_acc *c = &s->g.acc[k->field];

	while (n-- > 0)
		acc_keep(acc_more(c), as_field(c, k));
}

static bool
get_value(const struct pick *p, struct value_key *k, uint64_t *n)
{
	if (!p->have)
		return false;
	memcpy(k, p->r.key, sizeof(*k));
	memcpy(n, p->r.val, sizeof(*n));
	return true;
}

static void
group_values(struct pick *p, struct agg_groups *a, struct agg_state *s)
{
	struct pick_count seen = { UINT32_MAX, 0 };
	struct value_key k;
	uint64_t n;

	while (get_value(p, &k, &n) && k.group <= s->no) {
		if (k.group == s->no)
			count_value(a->spec, s, &seen, &k, n);
		if (k.group == s->no && a->spec->partial)
			keep_values(s, &k, n);
		pick_next(p);
	}
}

/* The key of a section and source: see keep_pieces() of agg_group.c. */
static uint64_t
piece_name(const struct agg_groups *a, const struct piece_key *k)
{
	uint64_t key = a->disk->key[k->section];
	const char *s;
	size_t n;

	if (k->src == 0)
		return key;
	s = smap_str(&a->srcs, (uint32_t)(k->src - 1), &n);
	return hash_mix(key) ^ hash_bytes(s, n);
}

static void
group_pieces(struct pick *p, struct agg_groups *a, struct agg_state *s)
{
	struct piece_key k, last = { 0 };
	int64_t lo = 0, end = 0, hi;
	bool any = false;

	for (; p->have; pick_next(p)) {
		memcpy(&k, p->r.key, sizeof(k));
		memcpy(&hi, p->r.val, sizeof(hi));
		if (k.group > s->no)
			break;
		if (k.group < s->no)
			continue;
		if (a->spec->partial)
			ivl_add(
			    &part_piece(&s->g, piece_name(a, &k))->u, k.lo, hi);
		if (any && k.section == last.section && k.src == last.src &&
		    k.lo <= end) {
			end = hi > end ? hi : end;
			continue;
		}
		s->g.union_ns = num_add(s->g.union_ns, num_sub(end, lo));
		lo = k.lo;
		end = hi;
		last = k;
		any = true;
	}
	s->g.union_ns = num_add(s->g.union_ns, num_sub(end, lo));
}

/* Makes the text of the state and frees the parts it is made of. */
static void
make_part(struct agg_groups *a, struct agg_state *s)
{
	size_t i;
	int k;

	print_state(a, &s->g.found->part, &s->g);
	for (k = 0; k < a->spec->nfield; k++) {
		struct acc_more *m = s->g.acc[k].more;

		if (m == NULL)
			continue;
		free(m->val);
		m->val = NULL;
		m->nval = m->cap = 0;
	}
	for (i = 0; i < s->g.npiece; i++)
		ivl_free(&s->g.piece[i].u);
	s->g.npiece = 0;
}

/* Reads the values and pieces of the group, skipping those of groups before it.
 */
static void
pick_group(struct pick *values, struct pick *pieces, struct agg_groups *a,
    struct agg_state *s)
{
	if (s->g.found == NULL)
		s->g.found = found_new(a);
	group_values(values, a, s);
	group_pieces(pieces, a, s);
	if (a->spec->partial)
		make_part(a, s);
}

/* Takes the values of these groups as if they were one group's. */
static void
rest_values(struct pick *p, struct xsort *no, struct xsort *all)
{
	struct value_key k;
	struct runs_rec r;
	uint64_t n, want;

	while (xsort_next(no, &r)) {
		memcpy(&want, r.key, sizeof(want));
		for (; get_value(p, &k, &n) && k.group <= want; pick_next(p)) {
			if (k.group != want)
				continue;
			k.group = 0;
			xsort_put(all, &k, sizeof(k), &n, sizeof(n));
		}
	}
}

/* The percentiles of many groups together, whose numbers are the keys of no. */
static void
pick_rest(struct pick *values, struct xsort *no, struct agg_groups *a,
    struct agg_state *s)
{
	struct xsort all;
	struct pick p;

	xsort_open(&all, disk_cmp_value, NULL, a->disk->part);
	pick_open(values, values->x);
	rest_values(values, no, &all);
	s->g.found = found_new(a);
	s->no = 0;
	pick_open(&p, &all);
	group_values(&p, a, s);
	xsort_close(&all);
}

struct disk_out {
	struct agg_groups *a;
	struct xsort states, sorted;
	struct pick values, pieces; /* readers of both */
	struct buf key, state;
	bool disk;          /* all values are on disk */
	uint64_t put, over; /* rows written; rows beyond the limit */
	struct agg_state rest;
	struct xsort rest_no; /* the groups of the rest */
};

static bool
percentiles(const struct agg_spec *s)
{
	int i;

	for (i = 0; i < s->nfield; i++)
		if (s->field[i].want & ACC_VALUES)
			return true;
	return false;
}

/* Writes the group's present state to the states. */
static void
put_state(struct disk_out *o, struct agg_state *s)
{
	struct agg_groups *a = o->a;
	int i;

	if (!o->disk && percentiles(a->spec)) {
		s->g.found = found_new(a);
		for (i = 0; i < a->spec->nstat; i++)
			pick_kept(s->g.found, a->spec, &s->g, i);
	}
	buf_clear(&o->state);
	state_put(a, &o->state, s);
	xsort_put(&o->states, &s->no, sizeof(s->no), o->state.s, o->state.len);
	found_free(s->g.found);
	s->g.found = NULL;
}

/* Groups in memory. */
static void
put_kept(struct disk_out *o)
{
	struct agg_groups *a = o->a;
	struct agg_state s;
	size_t i;

	disk_all(a, o->disk, a->disk->any_pieces || a->spec->partial);
	for (i = 0; i < a->keys.n; i++) {
		s.no = i;
		s.key = smap_str(&a->keys, (uint32_t)i, &s.nkey);
		s.g = a->v[i];
		put_state(o, &s);
	}
	group_free_all(a);
}

/* Ends a section of one group. */
static void
close_section(struct agg_groups *a, struct agg_state *s)
{
	if (a->disk->any_pieces)
		disk_pieces(a, &s->g, s->no);
	else
		group_close(a, &s->g, a->n_section, a->disk->key[a->n_section]);
}

static void
close_group(struct disk_out *o, struct agg_state *s)
{
	struct agg_groups *a = o->a;

	close_section(a, s);
	if (a->spec->partial)
		disk_pieces(a, &s->g, s->no);
	if (a->disk->any_values)
		o->disk = true;
	if (o->disk)
		disk_values(a, &s->g, s->no, false);
	put_state(o, s);
	a->n_values = a->n_pieces = 0;
	group_free(a, &s->g);
}

static void
add_row(struct agg_groups *a, struct agg_state *s)
{
	struct agg_disk *v = a->disk;

	if (a->row->section != a->n_section)
		close_section(a, s);
	a->n_section = a->row->section;
	row_add(a, &s->g, a->row);
	if (a->n_values > v->part / sizeof(union agg_num))
		disk_values(a, &s->g, s->no, false);
	if (a->n_pieces > v->part / sizeof(struct ivl_span))
		disk_pieces(a, &s->g, s->no);
}

/* Makes groups from their records; n others precede them. */
static void
put_rows(struct disk_out *o, uint64_t n)
{
	struct agg_groups *a = o->a;
	struct agg_state s = { 0 };
	struct runs_rec r;
	bool any = false;

	while (xsort_next(&a->disk->rows, &r)) {
		row_get(a, r.val, a->row);
		if (any && (r.nkey != o->key.len ||
			       memcmp(r.key, o->key.s, r.nkey) != 0)) {
			close_group(o, &s);
			any = false;
		}
		if (!any) {
			buf_clear(&o->key);
			buf_put(&o->key, r.key, r.nkey);
			buf_str(&o->key);
			s.key = o->key.s;
			s.nkey = o->key.len;
			s.no = n + a->row->no;
			group_new(a, &s.g);
			a->n_section = a->row->section;
			any = true;
		}
		add_row(a, &s);
	}
	if (any)
		close_group(o, &s);
	xsort_close(&a->disk->rows);
}

static void
make_totals(struct disk_out *o)
{
	struct runs_rec r;
	struct agg_state s;

	print_total_begin(o->a);
	while (xsort_next(&o->states, &r)) {
		state_get(o->a, r.val, &s);
		print_total(o->a, &s.g);
		state_free(o->a, &s);
	}
	xsort_again(&o->states);
}

/* A group beyond the limit. */
static void
join_rest(struct disk_out *o, struct agg_state *s)
{
	int k;

	o->over++;
	if (!o->a->spec->rest)
		return;
	o->rest.g.n += s->g.n;
	for (k = 0; k < o->a->spec->nfield; k++)
		acc_join(&o->rest.g.acc[k], &s->g.acc[k], false);
	xsort_put(&o->rest_no, &s->no, sizeof(s->no), NULL, 0);
}

static void
put_state_row(struct disk_out *o, struct agg_state *s)
{
	int64_t limit = o->a->spec->limit;

	if (limit >= 0 && o->put >= (uint64_t)limit) {
		join_rest(o, s);
		return;
	}
	o->put++;
	print_row(o->a, &s->g, s->key, s->nkey);
}

/* Joins the values and pieces on disk, and sorts. */
static void
join_all(struct disk_out *o)
{
	struct agg_groups *a = o->a;
	struct runs_rec r;
	struct agg_state s;

	while (xsort_next(&o->states, &r)) {
		state_get(a, r.val, &s);
		pick_group(&o->values, &o->pieces, a, &s);
		if (a->spec->sort.n == 0) {
			put_state_row(o, &s);
		} else {
			print_keys(a, &s, &o->key);
			buf_clear(&o->state);
			state_put(a, &o->state, &s);
			xsort_put(&o->sorted, o->key.s, o->key.len, o->state.s,
			    o->state.len);
		}
		state_free(a, &s);
	}
	xsort_close(&o->states);
}

static void
put_sorted(struct disk_out *o)
{
	struct runs_rec r;
	struct agg_state s;

	while (xsort_next(&o->sorted, &r)) {
		state_get(o->a, r.val, &s);
		put_state_row(o, &s);
		state_free(o->a, &s);
	}
	xsort_close(&o->sorted);
}

static void
put_rest(struct disk_out *o)
{
	struct agg_groups *a = o->a;

	if (a->spec->rest && o->over > 0) {
		if (o->disk)
			pick_rest(&o->values, &o->rest_no, a, &o->rest);
		print_rest(a, &o->rest.g);
	}
	state_free(a, &o->rest);
	xsort_close(&o->rest_no);
}

uint64_t
disk_put(struct agg_groups *a)
{
	struct agg_disk *v = a->disk;
	struct disk_out o = { .a = a };
	uint64_t n = a->keys.n;

	xsort_open(&o.states, disk_cmp_no, NULL, v->part);
	xsort_open(&o.sorted, sort_cmp_packed, &a->spec->sort, v->part);
	xsort_open(&o.rest_no, disk_cmp_no, NULL, v->part);
	group_new(a, &o.rest.g);
	o.disk = v->any_values || a->spec->partial ||
		 (a->spec->rest && percentiles(a->spec));
	put_kept(&o);
	put_rows(&o, n);
	make_totals(&o);
	pick_open(&o.values, &v->values);
	pick_open(&o.pieces, &v->pieces);
	print_legend(a);
	join_all(&o);
	put_sorted(&o);
	put_rest(&o);
	print_total_end(a);
	buf_free(&o.key);
	buf_free(&o.state);
	return o.over;
}

/* True if --optimizer has that name as the direction. Communication stays a
 * class of its own, whichever phase it is in. */
static bool
is_optimizer(struct agg_groups *a, const struct rec *r, int t, const char *dir,
    size_t ndir)
{
	static const char name[] = OPTIMIZER, comm[] = "comm";
	size_t n;
	const char *s = input_value(&a->spec->in, r, t, a->spec->phase_col, &n);

	return s != NULL && n == sizeof(name) - 1 && memcmp(s, name, n) == 0 &&
	       !(dir != NULL && ndir == sizeof(comm) - 1 &&
		   memcmp(dir, comm, ndir) == 0);
}

static void
make_key(struct agg_groups *a, const struct rec *r, int t)
{
	struct agg_input *in = &a->spec->in;
	struct buf *b = &a->key_buf;
	const char *s;
	size_t n;
	int i;

	buf_clear(b);
	for (i = 0; i < a->spec->ngroups; i++) {
		s = input_value(in, r, t, a->spec->group_col[i], &n);
		if (i > 0)
			buf_putc(b, '\t');
		if (i == a->spec->dir_group && is_optimizer(a, r, t, s, n))
			buf_puts(b, OPTIMIZER);
		else if (s != NULL)
			buf_put(b, s, n);
		else
			buf_putc(b, '-');
	}
}

void
intake_record(struct agg_groups *a, const struct rec *r, int t)
{
	struct agg_input *in = &a->spec->in;
	struct agg_where *w = &a->spec->where;
	struct agg_group *g;

	in->seen[t] = true;
	if (w->n > 0 && !where_holds(w, in, r, t))
		return;
	in->any = true;
	if (a->row == NULL) {
		a->row = xcalloc(1, sizeof(*a->row));
		a->row->val =
		    xcalloc((size_t)a->spec->nfield + 1, sizeof(*a->row->val));
	}
	row_read(a, r, t, a->row);
	make_key(a, r, t);
	if (disk_is_full(a) && smap_find(&a->keys, buf_str(&a->key_buf),
				   a->key_buf.len) == SMAP_NONE) {
		disk_row(a, a->key_buf.s, a->key_buf.len, a->row);
		return;
	}
	g = group_get(a, buf_str(&a->key_buf), a->key_buf.len);
	row_add(a, g, a->row);
	disk_check(a);
}

void
intake_section_end(struct agg_groups *a)
{
	size_t i;

	disk_section_end(a);
	for (i = 0; i < a->keys.n; i++)
		group_close(a, &a->v[i], a->n_section, a->section);
	a->n_section++;
}

void
intake_forget(struct agg_groups *a)
{
	group_free_all(a);
	disk_reset(a);
	smap_clear(&a->srcs);
	a->n_section = 0;
	a->n_negative = 0;
}
