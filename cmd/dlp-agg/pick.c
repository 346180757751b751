/* What is on disk of a group; see pick.h. */
#include "pick.h"

#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "part.h"
#include "print.h"

struct count { /* of the values of a field that have been seen */
	uint32_t field;
	uint64_t n;
};

static void
step(struct pick *p)
{
	p->have = xsort_next(p->x, &p->r);
}

void
pick_open(struct pick *p, struct xsort *x)
{
	p->x = x;
	xsort_again(x);
	step(p);
}

void
pick_kept(struct found *f, const struct spec *spec, struct group *g, int stat)
{
	const struct stat_col *s = &spec->stat[stat];
	struct acc *c;

	if (s->stat != ST_PERCENTILE)
		return;
	c = &g->acc[s->field];
	f->has[stat] = c->n > 0;
	if (c->n > 0)
		f->p[stat] = acc_percentile(c, s->p);
}

static union num
as_field(const struct acc *c, const struct value_key *k)
{
	union num v = k->v;

	if (acc_is_frac(c) && !k->frac)
		v.d = (double)k->v.i;
	return v;
}

/* n times a value of a field, which come in order. */
static void
count_value(const struct spec *spec, struct state *s, struct count *seen,
    const struct value_key *k, uint64_t n)
{
	struct found *f = s->g.found;
	const struct acc *c = &s->g.acc[k->field];
	int i;

	if (seen->field != k->field)
		*seen = (struct count){ k->field, 0 };
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
keep_values(struct state *s, const struct value_key *k, uint64_t n)
{
	struct acc *c = &s->g.acc[k->field];

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
group_values(struct pick *p, struct groups *a, struct state *s)
{
	struct count seen = { UINT32_MAX, 0 };
	struct value_key k;
	uint64_t n;

	while (get_value(p, &k, &n) && k.group <= s->no) {
		if (k.group == s->no)
			count_value(a->spec, s, &seen, &k, n);
		if (k.group == s->no && a->spec->partial)
			keep_values(s, &k, n);
		step(p);
	}
}

/* The key of a section and source: see keep_pieces() of group.c. */
static uint64_t
piece_name(const struct groups *a, const struct piece_key *k)
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
group_pieces(struct pick *p, struct groups *a, struct state *s)
{
	struct piece_key k, last = { 0 };
	int64_t lo = 0, end = 0, hi;
	bool any = false;

	for (; p->have; step(p)) {
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

/* The text of the state is made; what it is made of is gone. */
static void
make_part(struct groups *a, struct state *s)
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

void
pick_group(
    struct pick *values, struct pick *pieces, struct groups *a, struct state *s)
{
	if (s->g.found == NULL)
		s->g.found = found_new(a);
	group_values(values, a, s);
	group_pieces(pieces, a, s);
	if (a->spec->partial)
		make_part(a, s);
}

/* The values of these groups, as those of one. */
static void
rest_values(struct pick *p, struct xsort *no, struct xsort *all)
{
	struct value_key k;
	struct runs_rec r;
	uint64_t n, want;

	while (xsort_next(no, &r)) {
		memcpy(&want, r.key, sizeof(want));
		for (; get_value(p, &k, &n) && k.group <= want; step(p)) {
			if (k.group != want)
				continue;
			k.group = 0;
			xsort_put(all, &k, sizeof(k), &n, sizeof(n));
		}
	}
}

void
pick_rest(
    struct pick *values, struct xsort *no, struct groups *a, struct state *s)
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
