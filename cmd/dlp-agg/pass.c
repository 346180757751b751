/*
 * The records themselves; see pass.h. They are kept only to be sorted, and
 * where there are too many of them, in runs on disk (spill.c).
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "pass.h"
#include "stage.h"

#define KEY_COST 80 /* of keys' texts, besides them */

/* The values of new keys; their texts are those of the map. */
static void
read_keys(struct pass *p, const char *s)
{
	const struct sort *o = &p->spec->sort;
	struct lines *l = &p->lines;
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

/* The number of the record's keys: one for all records that have them. */
static uint32_t
keys_of(struct pass *p, const struct rec *r, int t)
{
	const struct sort *o = &p->spec->sort;
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

static bool
over(struct pass *p)
{
	if (p->spec->limit < 0 || p->n_out < (uint64_t)p->spec->limit) {
		p->n_out++;
		return false;
	}
	p->n_over++;
	return true;
}

/* Writes the line, behind its legend where that is another one. */
static void
put_line(void *ctx, int legend, const char *s, size_t len)
{
	struct pass *p = ctx;
	size_t n;
	const char *text;

	if (over(p))
		return;
	if (legend != p->put_legend) {
		text = smap_str(&p->legends, (uint32_t)legend, &n);
		out_line(text, n);
	}
	p->put_legend = legend;
	out_line(s, len);
}

static void
put_lines(struct pass *p, const size_t *idx)
{
	const struct lines *l = &p->lines;
	size_t i;

	for (i = 0; i < l->n; i++) {
		const struct line *x = &l->line[idx[i]];

		put_line(p, x->legend, l->text.s + x->at, x->len);
	}
}

/* Sorts what is in memory, puts it out or on disk, and forgets it. */
static void
put_sorted(struct pass *p, bool spill)
{
	struct lines *l = &p->lines;
	size_t *idx = xcalloc(l->n + 1, sizeof(*idx));

	outsort_order(l, idx);
	if (spill)
		outsort_run(l, idx);
	else
		put_lines(p, idx);
	free(idx);
	l->n = l->n_keys = 0;
	buf_clear(&l->text);
	smap_clear(&p->keys);
	p->key_bytes = 0;
}

static size_t
kept(const struct pass *p)
{
	const struct lines *l = &p->lines;

	return l->text.len + p->key_bytes +
	       l->n * (sizeof(*l->line) + sizeof(size_t)) +
	       l->n_keys * (size_t)p->spec->sort.n * sizeof(*l->val);
}

static void
keep(struct pass *p, const struct rec *r, int t)
{
	struct lines *l = &p->lines;
	bool whole = p->spec->ncut == 0;
	const char *s = whole ? r->line : p->cut.s;
	size_t len = whole ? r->len : p->cut.len;

	if (l->n == l->cap) {
		l->cap = l->cap > 0 ? l->cap * 2 : 1024;
		l->line = xrealloc(l->line, l->cap, sizeof(*l->line));
	}
	if (len > UINT32_MAX)
		rec_die(r, "a line of 4 GB");
	l->line[l->n++] = (struct line){ l->text.len, (uint32_t)len,
		keys_of(p, r, t), p->legend[t] };
	buf_put(&l->text, s, len);
	if (kept(p) >= p->bound)
		put_sorted(p, true);
}

static void
put_tag(struct pass *p, int t)
{
	const struct spec *a = p->spec;

	buf_puts(&p->cut, a->as != NULL ? a->as : a->in.tag[t]);
}

/* Makes a line of the columns of -c, from a record of type t. */
static void
cut(struct pass *p, struct rec *r, int t)
{
	struct spec *a = p->spec;
	const char *s;
	size_t n;
	int i;

	buf_clear(&p->cut);
	put_tag(p, t);
	for (i = 0; i < a->ncut; i++) {
		s = input_value(&a->in, r, t, a->cut_col[i], &n);
		buf_putc(&p->cut, '\t');
		if (s != NULL)
			buf_put(&p->cut, s, n);
		else
			buf_putc(&p->cut, '-');
	}
}

static void
cut_legend(struct pass *p, int t)
{
	const struct spec *a = p->spec;
	int i;

	buf_clear(&p->cut);
	buf_putc(&p->cut, '#');
	put_tag(p, t);
	for (i = 0; i < a->ncut; i++) {
		buf_putc(&p->cut, '\t');
		buf_puts(&p->cut, input_canon(&a->in, a->cut_col[i]));
	}
}

void
pass_record(struct pass *p, struct stage *st, struct rec *r)
{
	struct spec *a = p->spec;
	int t = input_type(&a->in, r);

	a->in.seen[t] = true;
	if (!where_holds(&a->where, &a->in, r, t))
		return;
	a->in.any = true;
	if (a->ncut > 0)
		cut(p, r, t);
	if (a->sort.n > 0)
		keep(p, r, t);
	else if (over(p))
		return;
	else if (a->ncut > 0)
		out_line(p->cut.s, p->cut.len);
	else
		stage_pass(st, r);
}

void
pass_legend(struct pass *p, struct stage *st, struct rec *r)
{
	int t = input_legend(&p->spec->in, r);
	const char *s = r->line;
	size_t len = r->len;

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
put_all(struct pass *p)
{
	struct lines *l = &p->lines;
	size_t n;
	const char *s;

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
	outsort_merge(l, put_line, p);
}

void
pass_section_end(struct pass *p)
{
	if (p->spec->sort.n > 0)
		put_all(p);
	p->any_legend = false;
	stage_note("agg_over_limit", p->n_over);
	p->n_out = p->n_over = 0;
}

void
pass_open(struct pass *p, struct spec *spec, size_t bytes)
{
	memset(p, 0, sizeof(*p));
	p->bound = bytes;
	p->spec = spec;
	p->lines.sort = &spec->sort;
}
