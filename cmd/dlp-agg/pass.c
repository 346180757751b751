/*
 * Without statistics: the records of -T themselves, those of them that
 * --where holds for, in the order of --sort. They are kept only to be sorted,
 * and where there are too many of them, in runs on disk (spill.c).
 */
#include <stdlib.h>

#include "agg.h"
#include "err.h"

#define KEPT (64 * 1024 * 1024) /* bytes of records in memory */

static void
keep_keys(struct agg *a, const struct rec *r, int t)
{
	struct lines *l = a->lines;
	struct sort_val *v = l->val + l->n * (size_t)a->nkeys;
	int k;

	for (k = 0; k < a->nkeys; k++) {
		size_t n = 0;
		const char *s = agg_value(a, r, t, a->key[k].col, &n);

		v[k] = sort_value(s, n);
		v[k].s = NULL;
		if (v[k].kind != SORT_TEXT)
			continue;
		v[k].n = n;
		v[k].d = (double)l->key_text.len;
		buf_put(&l->key_text, s, n);
	}
}

static void
keep(struct agg *a, const struct rec *r, int t)
{
	struct lines *l = a->lines;

	if (l->n == l->cap) {
		l->cap = l->cap > 0 ? l->cap * 2 : 1024;
		l->line = xrealloc(l->line, l->cap, sizeof(*l->line));
		l->val = xrealloc(
		    l->val, l->cap * (size_t)a->nkeys, sizeof(*l->val));
	}
	keep_keys(a, r, t);
	l->line[l->n++] = (struct line){ l->text.len, r->len, l->legend[t] };
	buf_put(&l->text, r->line, r->len);
}

static bool
over(struct agg *a)
{
	if (a->limit < 0 || a->n_out < (uint64_t)a->limit) {
		a->n_out++;
		return false;
	}
	a->n_over++;
	return true;
}

static void
set_key_texts(struct agg *a)
{
	struct lines *l = a->lines;
	size_t i;

	for (i = 0; i < l->n * (size_t)a->nkeys; i++)
		if (l->val[i].kind == SORT_TEXT)
			l->val[i].s = l->key_text.s + (size_t)l->val[i].d;
}

/* Writes the line, behind its legend where that is another one. */
void
pass_line(struct agg *a, int legend, const char *s, size_t len)
{
	struct lines *l = a->lines;
	size_t n;
	const char *text;

	if (over(a))
		return;
	if (legend != l->put_legend) {
		text = smap_str(&l->legends, (uint32_t)legend, &n);
		out_line(text, n);
	}
	l->put_legend = legend;
	out_line(s, len);
}

static void
put_lines(struct agg *a, const size_t *idx)
{
	const struct lines *l = a->lines;
	size_t i;

	for (i = 0; i < l->n; i++) {
		const struct line *x = &l->line[idx[i]];

		pass_line(a, x->legend, l->text.s + x->at, x->len);
	}
}

/* Sorts what is kept, hands it to put, and forgets it. */
static void
sorted(struct agg *a, void (*put)(struct agg *, const size_t *))
{
	struct lines *l = a->lines;
	size_t *idx = xcalloc(l->n + 1, sizeof(*idx));

	set_key_texts(a);
	sort_items(a, l->val, l->n, idx);
	put(a, idx);
	free(idx);
	l->n = 0;
	buf_clear(&l->text);
	buf_clear(&l->key_text);
}

static void
on_record(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	int t = agg_type_of(a, r);

	a->seen[t] = true;
	if (!where_holds(a, r, t))
		return;
	if (a->nkeys > 0) {
		keep(a, r, t);
		if (a->lines->text.len >= KEPT)
			sorted(a, spill_run);
	} else if (!over(a)) {
		stage_pass(st, r);
	}
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	struct lines *l = a->lines;
	int t = agg_type_of(a, r), i;

	for (i = 0; i < a->ncol; i++)
		join_legend(a->col[i].in[t]);
	if (a->nkeys == 0)
		stage_pass(st, r);
	else
		l->legend[t] =
		    (int)smap_put(&l->legends, r->line, r->len, NULL);
	l->any_legend |= t == 0;
}

static void
put_all(struct agg *a)
{
	struct lines *l = a->lines;
	size_t n;
	const char *s;

	l->put_legend = -1;
	if (l->n == 0 && l->nruns == 0 && l->any_legend) {
		s = smap_str(&l->legends, (uint32_t)l->legend[0], &n);
		out_line(s, n);
	}
	if (l->nruns == 0) {
		sorted(a, put_lines);
		return;
	}
	sorted(a, spill_run);
	spill_merge(a);
}

static void
on_end(struct stage *st)
{
	struct agg *a = st->ctx;

	if (a->nkeys > 0)
		put_all(a);
	a->lines->any_legend = false;
	stage_note("agg_over_limit", a->n_over);
	a->n_out = a->n_over = 0;
}

void
pass_listen(struct agg *a)
{
	int t;

	a->lines = xcalloc(1, sizeof(*a->lines));
	a->st.end = on_end;
	for (t = 0; t < a->ntypes; t++)
		stage_on(&a->st, a->types[t], on_record, on_legend);
}
