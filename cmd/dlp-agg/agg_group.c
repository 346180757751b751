/*
 * Groups: records are added to them; intake_record() is the hot loop. Lists
 * hold what a group has many of: values, and spans of time.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "agg_group.h"
#include "num.h"
#include "spill.h"
#include "xsort.h"

#define OPTIMIZER "optimizer" /* a phase; with --optimizer a direction */

#define LIST_FIRST 2            /* items of the first chunk; each next one */
#define LIST_MOST 4096          /* has twice as many, up to this */
#define SORT_MEMORY (16u << 20) /* bytes to sort a list of several chunks */

struct list_chunk {
	struct list_chunk *next;
	uint32_t n, cap;
	int64_t item[];
};

void *
list_add(struct store *mem, struct agg_list *l, size_t size)
{
	struct list_chunk *c = l->last;
	uint32_t cap = LIST_FIRST;

	if (c == NULL || c->n == c->cap) {
		if (c != NULL)
			cap = c->cap < LIST_MOST ? c->cap * 2 : LIST_MOST;
		c = store_alloc(mem, sizeof(*c) + cap * size);
		*c = (struct list_chunk){ .cap = cap };
		*(l->last != NULL ? &l->last->next : &l->first) = c;
		l->last = c;
	}
	l->n++;
	return (char *)c->item + c->n++ * size;
}

void *
list_next(const struct agg_list *l, struct list_pos *p, size_t size)
{
	if (p->chunk == NULL)
		*p = (struct list_pos){ l->first, 0 };
	if (p->chunk != NULL && p->i == p->chunk->n) {
		if (p->chunk->next == NULL)
			return NULL;
		spill_tick();
		*p = (struct list_pos){ p->chunk->next, 0 };
	}
	return p->chunk != NULL ? (char *)p->chunk->item + p->i++ * size : NULL;
}

void *
list_at(const struct agg_list *l, uint64_t i, size_t size)
{
	const struct list_chunk *c = l->first;

	for (; i >= c->n; c = c->next)
		i -= c->n;
	return (char *)c->item + i * size;
}

static int
cmp_double(const void *a, const void *b)
{
	const union agg_num *x = a, *y = b;

	return (x->d > y->d) - (x->d < y->d);
}

/* Writes 8 bytes that sort like the numbers. */
static void
order_key(char *key, const void *item, bool frac)
{
	union agg_num v;
	int i;

	memcpy(&v, item, sizeof(v));
	if (frac && !(v.d < 0) && !(v.d > 0))
		v.d = 0; /* not -0 */
	if (frac && v.i < 0)
		v.i ^= INT64_MAX;
	for (i = 0; i < 8; i++)
		key[i] =
		    (char)(((uint64_t)v.i ^ (uint64_t)1 << 63) >> (56 - 8 * i));
}

void
list_sort(struct agg_list *l, size_t size, bool frac)
{
	struct list_pos p = { 0 };
	struct runs_rec r;
	struct xsort x;
	void *item;
	char key[8];

	if (l->first == l->last) {
		if (l->n > 1)
			qsort(l->first->item, l->n, size,
			    frac ? cmp_double : array_by_i64);
		return;
	}
	xsort_open(&x, runs_bytes, NULL, SORT_MEMORY);
	while ((item = list_next(l, &p, size)) != NULL) {
		order_key(key, item, frac);
		xsort_put(&x, key, sizeof(key), item, size);
	}
	p = (struct list_pos){ 0 };
	while (xsort_next(&x, &r))
		memcpy(list_next(l, &p, size), r.val, size);
	xsort_close(&x);
}

void
spans_add(struct store *mem, struct agg_list *l, int64_t lo, int64_t hi)
{
	struct agg_span *s =
	    l->last != NULL ? (struct agg_span *)l->last->item : NULL;

	if (hi <= lo)
		return;
	if (s != NULL) /* most begin in the order of time, some in the last */
		s += l->last->n - 1;
	if (s != NULL && lo >= s->lo && lo <= s->hi) {
		s->hi = hi > s->hi ? hi : s->hi;
		return;
	}
	s = list_add(mem, l, sizeof(*s));
	*s = (struct agg_span){ lo, hi };
}

bool
spans_next(const struct agg_list *l, struct list_pos *p, struct agg_span *u)
{
	struct list_pos last;
	const struct agg_span *s = list_next(l, p, sizeof(*s));

	if (s == NULL)
		return false;
	*u = *s;
	for (last = *p; (s = list_next(l, p, sizeof(*s))) != NULL; last = *p) {
		if (s->lo > u->hi)
			break;
		u->hi = s->hi > u->hi ? s->hi : u->hi;
	}
	*p = last;
	return true;
}

int64_t
spans_length(struct agg_list *l)
{
	struct list_pos p = { 0 };
	struct agg_span s;
	int64_t sum = 0;

	list_sort(l, sizeof(s), false);
	while (spans_next(l, &p, &s))
		sum = num_add(sum, num_sub(s.hi, s.lo));
	return sum;
}

struct agg_group *
group_new(struct agg_groups *a)
{
	size_t n = sizeof(struct agg_group) +
		   (size_t)a->spec->nfield * sizeof(struct agg_acc);

	return memset(store_alloc(&a->mem, n), 0, n);
}

struct agg_group *
group_get(struct agg_groups *a, const char *key, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&a->keys, key, n, &is_new);
	struct agg_group *g;

	if (!is_new)
		return group_at(a, id);
	g = group_new(a);
	memcpy(&a->keys.val[id], &g, sizeof(g));
	return g;
}

/* Adds a field of a record to the group. False if it is a negative length,
 * which counts as unset, because an end before the start is no length. */
static bool
add_field(struct agg_groups *a, struct agg_group *g, const struct rec *r, int t,
    int k)
{
	struct agg_input *in = &a->spec->in;
	const struct agg_field *f = &a->spec->field[k];
	union agg_num v = { 0 };
	bool frac = false;
	size_t n;
	const char *s = input_value(in, r, t, f->col, &n);

	if (s == NULL)
		return true;
	if (f->numeric && num_i64(s, n, &v.i)) {
		if (v.i < 0 && f->length)
			return false;
	} else if (f->numeric) {
		frac = true;
		if (!num_f64(s, n, &v.d))
			rec_die(r, "%s: %s is not a number: '%.*s'", in->tag[t],
			    in->col[f->col].name, (int)(n < 40 ? n : 40), s);
	}
	if (f->ends) {
		acc_first(&a->mem, &g->acc[k], s, n);
		acc_last(&a->mem, &g->acc[k], s, n);
	}
	if (f->numeric)
		acc_add(&a->mem, &g->acc[k], frac, v, f->want);
	else
		g->acc[k].n++;
	return true;
}

/* The spans of a source in this section. */
static struct agg_list *
source_spans(struct agg_groups *a, struct agg_group *g, size_t src)
{
	struct agg_list *was = g->open;
	size_t n = src + 1 > 2 * g->nopen ? src + 1 : 2 * g->nopen;

	if (src >= g->nopen) {
		g->open =
		    store_alloc(a->spec->partial ? &a->mem : &a->section_mem,
			n * sizeof(*was));
		memset(g->open, 0, n * sizeof(*was));
		if (g->nopen > 0)
			memcpy(g->open, was, g->nopen * sizeof(*was));
		g->nopen = n;
	}
	return &g->open[src];
}

/* Adds the time of a record; false if its length is negative. */
static bool
add_interval(
    struct agg_groups *a, struct agg_group *g, const struct rec *r, int t)
{
	struct agg_input *in = &a->spec->in;
	const char *s, *d;
	int64_t lo, dur;
	size_t n, m, src = 0;

	s = input_value(in, r, t, a->spec->start_col, &n);
	d = input_value(in, r, t, a->spec->dur_col, &m);
	if (s == NULL || d == NULL)
		return true;
	if (!num_i64(s, n, &lo) || !num_i64(d, m, &dur))
		rec_die(
		    r, "%s: start_ns or dur_ns is not an integer", in->tag[t]);
	if (dur < 0)
		return false;
	/* each file has a clock of its own */
	s = input_value(in, r, t, a->spec->src_col, &n);
	if (s != NULL)
		src = smap_put(&a->srcs, s, n, NULL) + (size_t)1;
	g->has_ivl = true;
	spans_add(a->spec->partial ? &a->mem : &a->section_mem,
	    source_spans(a, g, src), lo, num_add(lo, dur));
	return true;
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
	bool positive = true;
	int i;

	in->seen[t] = true;
	if (w->n > 0 && !where_holds(w, in, r, t))
		return;
	in->any = true;
	if (a->spec->partial)
		a->part = hash_mix(a->part) ^ hash_bytes(r->line, r->len);
	make_key(a, r, t);
	g = group_get(a, buf_str(&a->key_buf), a->key_buf.len);
	g->n++;
	for (i = 0; i < a->spec->nfield; i++)
		positive &= add_field(a, g, r, t, i);
	if (a->spec->start_col >= 0)
		positive &= add_interval(a, g, r, t);
	a->n_negative += !positive;
}

void
intake_section_end(struct agg_groups *a)
{
	struct agg_group *g;
	uint64_t key;
	size_t i, k;

	for (i = 0; i < a->keys.n; i++) {
		g = group_at(a, i);
		spill_tick();
		for (k = 0; k < g->nopen; k++) {
			g->union_ns =
			    num_add(g->union_ns, spans_length(&g->open[k]));
			if (!a->spec->partial || g->open[k].n == 0)
				continue;
			key = a->section;
			if (k > 0)
				key = hash_mix(key) ^ k;
			part_piece(&a->mem, g, key)->spans = g->open[k];
		}
		g->open = NULL;
		g->nopen = 0;
	}
	store_free(&a->section_mem);
}

void
intake_forget(struct agg_groups *a)
{
	store_free(&a->mem);
	smap_clear(&a->keys);
	smap_clear(&a->srcs);
	a->n_negative = 0;
}
