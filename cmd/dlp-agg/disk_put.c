/*
 * The result of groups that are on disk. Each becomes a state, in the order
 * of their first records; values and pieces, which are in the same order, are
 * joined to them, and what comes of that is sorted as --sort asks.
 */
#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "part.h"
#include "pick.h"
#include "print.h"
#include "state.h"

struct out {
	struct groups *a;
	struct xsort states, sorted;
	struct pick values, pieces; /* on their way through them */
	struct buf key, state;
	bool disk;          /* all values are on disk */
	uint64_t put, over; /* rows; what the limit left out */
	struct state rest;
	struct xsort rest_no; /* the groups of the rest */
};

static bool
percentiles(const struct spec *s)
{
	int i;

	for (i = 0; i < s->nfield; i++)
		if (s->field[i].want & ACC_VALUES)
			return true;
	return false;
}

/* The group as it is goes to the states. */
static void
put_state(struct out *o, struct state *s)
{
	struct groups *a = o->a;
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
put_kept(struct out *o)
{
	struct groups *a = o->a;
	struct state s;
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

/* A section of one group came to its end. */
static void
close_section(struct groups *a, struct state *s)
{
	if (a->disk->any_pieces)
		disk_pieces(a, &s->g, s->no);
	else
		group_close(a, &s->g, a->n_section, a->disk->key[a->n_section]);
}

static void
close_group(struct out *o, struct state *s)
{
	struct groups *a = o->a;

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
add_row(struct groups *a, struct state *s)
{
	struct disk *v = a->disk;

	if (a->row->section != a->n_section)
		close_section(a, s);
	a->n_section = a->row->section;
	row_add(a, &s->g, a->row);
	if (a->n_values > v->part / sizeof(union num))
		disk_values(a, &s->g, s->no, false);
	if (a->n_pieces > v->part / sizeof(struct ivl_span))
		disk_pieces(a, &s->g, s->no);
}

/* Groups that are made of their records; n others came before them. */
static void
put_rows(struct out *o, uint64_t n)
{
	struct groups *a = o->a;
	struct state s = { 0 };
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
make_totals(struct out *o)
{
	struct runs_rec r;
	struct state s;

	print_total_begin(o->a);
	while (xsort_next(&o->states, &r)) {
		state_get(o->a, r.val, &s);
		print_total(o->a, &s.g);
		state_free(o->a, &s);
	}
	xsort_again(&o->states);
}

/* Behind the limit. */
static void
join_rest(struct out *o, struct state *s)
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
put_row(struct out *o, struct state *s)
{
	int64_t limit = o->a->spec->limit;

	if (limit >= 0 && o->put >= (uint64_t)limit) {
		join_rest(o, s);
		return;
	}
	o->put++;
	print_row(o->a, &s->g, s->key, s->nkey);
}

/* Joins what is on disk, and sorts. */
static void
join_all(struct out *o)
{
	struct groups *a = o->a;
	struct runs_rec r;
	struct state s;

	while (xsort_next(&o->states, &r)) {
		state_get(a, r.val, &s);
		pick_group(&o->values, &o->pieces, a, &s);
		if (a->spec->sort.n == 0) {
			put_row(o, &s);
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
put_sorted(struct out *o)
{
	struct runs_rec r;
	struct state s;

	while (xsort_next(&o->sorted, &r)) {
		state_get(o->a, r.val, &s);
		put_row(o, &s);
		state_free(o->a, &s);
	}
	xsort_close(&o->sorted);
}

static void
put_rest(struct out *o)
{
	struct groups *a = o->a;

	if (a->spec->rest && o->over > 0) {
		if (o->disk)
			pick_rest(&o->values, &o->rest_no, a, &o->rest);
		print_rest(a, &o->rest.g);
	}
	state_free(a, &o->rest);
	xsort_close(&o->rest_no);
}

uint64_t
disk_put(struct groups *a)
{
	struct disk *v = a->disk;
	struct out o = { .a = a };
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
