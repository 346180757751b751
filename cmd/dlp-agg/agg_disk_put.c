/*
 * Writes the result if groups are on disk. Each group becomes a state, in the
 * order of the first records. Values and pieces, which are in the same order,
 * are joined to the states, and the states are sorted by --sort.
 */
#include "agg_disk.h"

#include <stdlib.h>
#include <string.h>

#include "agg_result.h"
#include "err.h"
#include "num.h"

struct pick_count { /* number of a field's values read so far */
	uint32_t field;
	uint64_t n;
};

static void
pick_next(struct pick *p)
{
	p->have = xsort_next(p->x, &p->r);
}

void
pick_open(struct pick *p, struct xsort *x)
{
	p->x = x;
	xsort_again(x);
	pick_next(p);
}

void
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

/* The key of a section and source: see keep_pieces() of group.c. */
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

void
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

void
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
