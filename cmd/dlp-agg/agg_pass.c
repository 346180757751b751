/*
 * Writes the records themselves, without statistics. They are kept only if they
 * are to be sorted, in sorted runs on disk if they do not fit into memory.
 */
#include "agg_group.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "out.h"
#include "stage.h"
#include "xsort.h"

struct pass_line { /* a record that is kept: its place in lines.text */
	size_t at;
	uint32_t len, key; /* key: number of its sort keys in lines.val */
	int legend;        /* a number of the caller's */
};

struct pass_lines {
	const struct agg_sort *sort;
	struct buf text;
	struct pass_line *line;
	size_t n, cap;
	struct sort_val *val; /* per key; lines with equal keys share them */
	size_t n_keys;
	struct runs runs; /* on disk */
};

struct agg_pass {
	struct agg_spec *spec;
	struct pass_lines lines;
	struct smap keys; /* the texts of lines.val, separated by TABs, each
			   * once */
	struct buf key;
	size_t key_bytes, key_cap, bound;
	struct buf cut; /* the record with only the columns of -c */
	struct smap legends;
	int legend[INPUT_TYPES];
	bool any_legend; /* a legend of the first type was read in this
			  * section */
	int put_legend;  /* the legend that was written last */
	uint64_t n_out, n_over;
};

/* Finds each key's place among the keys, and how many lines precede each place.
 */
static void
places(const struct pass_lines *l, size_t *rank, size_t *before)
{
	size_t *order = xcalloc(l->n_keys + 1, sizeof(*order));
	size_t nk = (size_t)l->sort->n, i, r = 0;

	sort_items(l->sort, l->val, l->n_keys, order);
	for (i = 0; i < l->n_keys; i++) {
		if (i > 0 && sort_cmp(l->sort, l->val + order[i - 1] * nk,
				 l->val + order[i] * nk) != 0)
			r++;
		rank[order[i]] = r;
	}
	for (i = 0; i < l->n; i++)
		before[rank[l->line[i].key] + 1]++;
	for (i = 1; i <= r; i++)
		before[i] += before[i - 1];
	free(order);
}

/* Sorts the lines in memory: idx[l->n] gets their numbers. Lines with equal
 * keys stay in the order of their arrival. */
static void
order_lines(const struct pass_lines *l, size_t *idx)
{
	size_t *rank = xcalloc(l->n_keys + 1, sizeof(*rank));
	size_t *next = xcalloc(l->n_keys + 2, sizeof(*next)), i;

	places(l, rank, next);
	for (i = 0; i < l->n; i++)
		idx[next[rank[l->line[i].key]]++] = i;
	free(rank);
	free(next);
}

/* Writes the lines in memory, in the order of idx, to disk as a run. Runs are
 * in the order of arrival, so among equal lines the one from the earlier run
 * comes first. */
static void
spill_lines(struct pass_lines *l, const size_t *idx)
{
	size_t nk = (size_t)l->sort->n, i, last = SIZE_MAX;
	struct buf key = { 0 }, val = { 0 };

	if (l->n == 0)
		return;
	if (l->runs.cmp == NULL)
		runs_open(&l->runs, sort_cmp_packed, l->sort);
	runs_begin(&l->runs);
	for (i = 0; i < l->n; i++) {
		const struct pass_line *x = &l->line[idx[i]];

		if (x->key != last) {
			buf_clear(&key);
			sort_pack(&key, l->val + x->key * nk, l->sort->n);
		}
		last = x->key;
		buf_clear(&val);
		buf_put(&val, (const char *)&x->legend, sizeof(x->legend));
		buf_put(&val, l->text.s + x->at, x->len);
		runs_put(&l->runs, key.s, key.len, val.s, val.len);
	}
	runs_end(&l->runs);
	buf_free(&key);
	buf_free(&val);
}

#define KEY_COST 80 /* memory of the map for a key, besides its text */

/* Stores the values of new keys; their texts belong to the map. */
static void
read_keys(struct agg_pass *p, const char *s)
{
	const struct agg_sort *o = &p->spec->sort;
	struct pass_lines *l = &p->lines;
	struct sort_val *v;
	size_t n;
	int k;

	if (l->n_keys == p->key_cap) {
		p->key_cap = p->key_cap > 0 ? p->key_cap * 2 : 1024;
		l->val = xrealloc(
		    l->val, p->key_cap * (size_t)o->n, sizeof(*l->val));
	}
	v = l->val + l->n_keys++ * (size_t)o->n;
	for (k = 0; k < o->n; k++, s += n + 1) {
		n = strcspn(s, "\t");
		v[k] = sort_value(n == 1 && *s == '-' ? NULL : s, n);
	}
}

/* The number of the record's sort keys; records with equal keys share it. */
static uint32_t
keys_of(struct agg_pass *p, const struct rec *r, int t)
{
	const struct agg_sort *o = &p->spec->sort;
	struct buf *b = &p->key;
	const char *s;
	uint32_t id;
	bool is_new;
	size_t n;
	int k;

	buf_clear(b);
	for (k = 0; k < o->n; k++) {
		s = input_value(&p->spec->in, r, t, o->key[k].col, &n);
		if (k > 0)
			buf_putc(b, '\t');
		buf_put(b, s != NULL ? s : "-", s != NULL ? n : 1);
	}
	id = smap_put(&p->keys, buf_str(b), b->len, &is_new);
	if (is_new) {
		p->key_bytes += b->len + KEY_COST;
		read_keys(p, smap_str(&p->keys, id, &n));
	}
	return id;
}

/* Counts a record; true if it is over the limit. */
static bool
over_limit(struct agg_pass *p)
{
	if (p->spec->limit < 0 || p->n_out < (uint64_t)p->spec->limit) {
		p->n_out++;
		return false;
	}
	p->n_over++;
	return true;
}

/* Writes the line, after its legend unless that was the last one written. */
static void
put_kept_line(struct agg_pass *p, int legend, const char *s, size_t len)
{
	size_t n;
	const char *text;

	if (over_limit(p))
		return;
	if (legend != p->put_legend) {
		text = smap_str(&p->legends, (uint32_t)legend, &n);
		out_line(text, n);
	}
	p->put_legend = legend;
	out_line(s, len);
}

static void
put_lines(struct agg_pass *p, const size_t *idx)
{
	const struct pass_lines *l = &p->lines;
	size_t i;

	for (i = 0; i < l->n; i++) {
		const struct pass_line *x = &l->line[idx[i]];

		put_kept_line(p, x->legend, l->text.s + x->at, x->len);
	}
}

/* Sorts the lines in memory, writes them to the output or to disk, and frees
 * them. */
static void
put_sorted(struct agg_pass *p, bool spill)
{
	struct pass_lines *l = &p->lines;
	size_t *idx = xcalloc(l->n + 1, sizeof(*idx));

	order_lines(l, idx);
	if (spill)
		spill_lines(l, idx);
	else
		put_lines(p, idx);
	free(idx);
	l->n = l->n_keys = 0;
	buf_clear(&l->text);
	smap_clear(&p->keys);
	p->key_bytes = 0;
}

static size_t
bytes_kept(const struct agg_pass *p)
{
	const struct pass_lines *l = &p->lines;

	return l->text.len + p->key_bytes +
	       l->n * (sizeof(*l->line) + sizeof(size_t)) +
	       l->n_keys * (size_t)p->spec->sort.n * sizeof(*l->val);
}

static void
keep_line(struct agg_pass *p, const struct rec *r, int t)
{
	struct pass_lines *l = &p->lines;
	bool whole = p->spec->ncut == 0;
	const char *s = whole ? r->line : p->cut.s;
	size_t len = whole ? r->len : p->cut.len;

	ARRAY_GROW(l->line, l->n, l->cap);
	if (len > UINT32_MAX)
		rec_die(r, "a line of 4 GB");
	l->line[l->n++] = (struct pass_line){ l->text.len, (uint32_t)len,
		keys_of(p, r, t), p->legend[t] };
	buf_put(&l->text, s, len);
	if (bytes_kept(p) >= p->bound)
		put_sorted(p, true);
}

static void
put_tag(struct agg_pass *p, int t)
{
	const struct agg_spec *a = p->spec;

	buf_puts(&p->cut, a->as != NULL ? a->as : a->in.tag[t]);
}

/* Makes a line of the columns of -c from a record of type t. */
static void
cut_record(struct agg_pass *p, struct rec *r, int t)
{
	struct agg_spec *a = p->spec;
	int i;

	buf_clear(&p->cut);
	put_tag(p, t);
	for (i = 0; i < a->ncut; i++) {
		buf_putc(&p->cut, '\t');
		cut_put(&p->cut, &a->cut[i], &a->in, r, t);
	}
}

static void
cut_legend(struct agg_pass *p, int t)
{
	const struct agg_spec *a = p->spec;
	int i;

	buf_clear(&p->cut);
	buf_putc(&p->cut, '#');
	put_tag(p, t);
	for (i = 0; i < a->ncut; i++) {
		buf_putc(&p->cut, '\t');
		buf_puts(&p->cut, cut_name(&a->cut[i], &a->in));
	}
}

void
pass_record(struct agg_pass *p, struct stage *st, struct rec *r, int t)
{
	struct agg_spec *a = p->spec;

	a->in.seen[t] = true;
	if (!where_holds(&a->where, &a->in, r, t))
		return;
	a->in.any = true;
	if (a->ncut > 0)
		cut_record(p, r, t);
	if (a->sort.n > 0)
		keep_line(p, r, t);
	else if (over_limit(p))
		return;
	else if (a->ncut > 0)
		out_line(p->cut.s, p->cut.len);
	else
		stage_pass(st, r);
}

void
pass_legend(struct agg_pass *p, struct stage *st, struct rec *r, int t)
{
	const char *s = r->line;
	size_t len = r->len;

	input_legend(&p->spec->in, t);
	if (p->spec->ncut > 0) {
		cut_legend(p, t);
		s = p->cut.s;
		len = p->cut.len;
	}
	if (p->spec->sort.n > 0)
		p->legend[t] = (int)smap_put(&p->legends, s, len, NULL);
	else if (p->spec->ncut > 0)
		out_line(s, len);
	else
		stage_pass(st, r);
	p->any_legend |= t == 0;
}

static void
put_all(struct agg_pass *p)
{
	struct pass_lines *l = &p->lines;
	struct runs_rec r;
	const char *s;
	int legend;
	size_t n;

	p->put_legend = -1;
	if (l->n == 0 && l->runs.n == 0 && p->any_legend) {
		s = smap_str(&p->legends, (uint32_t)p->legend[0], &n);
		out_line(s, n);
	}
	if (l->runs.n == 0) {
		put_sorted(p, false);
		return;
	}
	put_sorted(p, true);
	while (runs_next(&l->runs, &r)) {
		memcpy(&legend, r.val, sizeof(legend));
		put_kept_line(
		    p, legend, r.val + sizeof(legend), r.nval - sizeof(legend));
	}
	runs_close(&l->runs);
}

void
pass_section_end(struct agg_pass *p)
{
	if (p->spec->sort.n > 0)
		put_all(p);
	p->any_legend = false;
	stage_note("agg_over_limit", p->n_over);
	p->n_out = p->n_over = 0;
}

struct agg_pass *
pass_open(struct agg_spec *spec, size_t bytes)
{
	struct agg_pass *p = xcalloc(1, sizeof(*p));

	p->bound = bytes;
	p->spec = spec;
	p->lines.sort = &spec->sort;
	return p;
}
