/* Adds records to groups; intake_record() is the hot loop. */
#include "agg_group.h"

#include <stdlib.h>
#include <string.h>

#include "agg_disk.h"
#include "array.h"
#include "err.h"
#include "num.h"

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

void
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

void
group_free_all(struct agg_groups *a)
{
	size_t i;

	for (i = 0; i < a->keys.n; i++)
		group_free(a, &a->v[i]);
	smap_clear(&a->keys);
	a->group_bytes = a->n_values = a->n_pieces = 0;
}

static void
read_field(struct agg_groups *a, const struct rec *r, int t,
    struct agg_row_val *v, int k)
{
	struct agg_input *in = &a->spec->in;
	const struct agg_field *f = &a->spec->field[k];

	v->s = input_value(in, r, t, f->col, &v->n);
	v->frac = false;
	if (v->s == NULL || !f->numeric || num_i64(v->s, v->n, &v->v.i))
		return;
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
	w->hi = num_add(w->lo, dur);
	w->src = source(a, r, t);
}

/* Reads a record of type t; w gets views into it. Fatal if a text should be a
 * number. */
static void
row_read(struct agg_groups *a, const struct rec *r, int t, struct agg_row *w)
{
	int i;

	for (i = 0; i < a->spec->nfield; i++)
		read_field(a, r, t, &w->val[i], i);
	w->has_ivl = false;
	if (a->spec->start_col >= 0)
		read_interval(a, r, t, w);
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

void
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

void
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

void
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
		if (s != NULL)
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
}
