/* What a record tells its group; see row.h. */
#include "row.h"

#include "err.h"
#include "num.h"

static void
read_field(
    struct groups *a, const struct rec *r, int t, struct row_val *v, int k)
{
	struct input *in = &a->spec->in;
	const struct field *f = &a->spec->field[k];

	v->s = input_value(in, r, t, f->col, &v->n);
	v->frac = false;
	if (v->s == NULL || !f->numeric || num_i64(v->s, v->n, &v->v.i))
		return;
	v->frac = true;
	if (!num_f64(v->s, v->n, &v->v.d))
		rec_die(r, "%s: %s is no number: '%.*s'", in->tag[t],
		    in->col[f->col].name, (int)(v->n < 40 ? v->n : 40), v->s);
}

/* The number of the file that a record is from: each has a clock of its
 * own. */
static uint64_t
source(struct groups *a, const struct rec *r, int t)
{
	size_t n;
	const char *s = input_value(&a->spec->in, r, t, a->spec->src_col, &n);

	return s != NULL ? smap_put(&a->srcs, s, n, NULL) + (uint64_t)1 : 0;
}

static void
read_interval(struct groups *a, const struct rec *r, int t, struct row *w)
{
	struct input *in = &a->spec->in;
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

void
row_read(struct groups *a, const struct rec *r, int t, struct row *w)
{
	int i;

	for (i = 0; i < a->spec->nfield; i++)
		read_field(a, r, t, &w->val[i], i);
	w->has_ivl = false;
	if (a->spec->start_col >= 0)
		read_interval(a, r, t, w);
}

static void
add_value(struct groups *a, const struct field *f, struct acc *c,
    const struct row_val *v)
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
row_add(struct groups *a, struct group *g, const struct row *w)
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

struct head { /* of the bytes */
	uint64_t no, section, src;
	int64_t lo, hi;
	bool has_ivl;
};

void
row_put(const struct groups *a, struct buf *b, const struct row *w)
{
	struct head h;
	struct row_val v;
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
row_get(const struct groups *a, const char *s, struct row *w)
{
	struct head h;
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
		struct row_val *v = &w->val[i];

		memcpy(v, s, sizeof(*v));
		s += sizeof(*v);
		v->s = NULL;
		if (v->n == SIZE_MAX)
			continue;
		v->s = s;
		s += v->n;
	}
}
