/*
 * Writes the records themselves, without statistics. They are kept only if they
 * are to be sorted, in sorted runs on disk if they do not fit into memory.
 */
#include "agg_group.h"

#include <string.h>

#include "err.h"
#include "out.h"
#include "stage.h"
#include "xsort.h"

struct agg_pass {
	struct agg_spec *spec;
	struct xsort lines; /* if sorted: the number of the legend, the line */
	struct buf key, val;
	struct buf cut; /* the record with only the columns of -c */
	struct smap legends;
	int legend[INPUT_TYPES];
	bool any_legend; /* a legend of the first type was read in this
			  * section */
	bool any_line;
	uint64_t n_out, n_over;
};

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

static void
keep_line(struct agg_pass *p, const struct rec *r, int t)
{
	const struct agg_sort *o = &p->spec->sort;
	bool whole = p->spec->ncut == 0;
	const char *s;
	size_t n;
	int k;

	buf_clear(&p->key);
	for (k = 0; k < o->n; k++) {
		s = input_value(&p->spec->in, r, t, o->key[k].col, &n);
		sort_key(&p->key, s, n, o->key[k].down);
	}
	buf_clear(&p->val);
	buf_put(&p->val, (const char *)&p->legend[t], sizeof(p->legend[t]));
	buf_put(
	    &p->val, whole ? r->line : p->cut.s, whole ? r->len : p->cut.len);
	xsort_put(&p->lines, p->key.s, p->key.len, p->val.s, p->val.len);
	p->any_line = true;
}

/* Makes a line of the columns of -c, of a record of type t or, if r is NULL, of
 * its legend. */
static void
cut_line(struct agg_pass *p, const struct rec *r, int t)
{
	struct agg_spec *a = p->spec;
	const struct agg_cut *c;

	buf_clear(&p->cut);
	if (r == NULL)
		buf_putc(&p->cut, '#');
	buf_puts(&p->cut, a->as != NULL ? a->as : a->in.tag[t]);
	for (c = a->cut; c < a->cut + a->ncut; c++) {
		buf_putc(&p->cut, '\t');
		if (r != NULL)
			cut_put(&p->cut, c, &a->in, r, t);
		else
			buf_puts(&p->cut, c->name != NULL
					      ? c->name
					      : input_canon(&a->in, c->col));
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
		cut_line(p, r, t);
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
		cut_line(p, NULL, t);
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

/* Writes each line, after its legend unless that was the last one written. */
static void
put_sorted(struct agg_pass *p)
{
	int legend, last = -1;
	struct runs_rec r;
	const char *s;
	size_t n;

	if (!p->any_line && p->any_legend) {
		s = smap_str(&p->legends, (uint32_t)p->legend[0], &n);
		out_line(s, n);
	}
	while (xsort_next(&p->lines, &r)) {
		if (over_limit(p))
			continue;
		memcpy(&legend, r.val, sizeof(legend));
		if (legend != last) {
			s = smap_str(&p->legends, (uint32_t)legend, &n);
			out_line(s, n);
		}
		last = legend;
		out_line(r.val + sizeof(legend), r.nval - sizeof(legend));
	}
	xsort_close(&p->lines);
	p->any_line = false;
}

void
pass_section_end(struct agg_pass *p)
{
	if (p->spec->sort.n > 0)
		put_sorted(p);
	p->any_legend = false;
	stage_note("agg_over_limit", p->n_over);
	p->n_out = p->n_over = 0;
}

struct agg_pass *
pass_open(struct agg_spec *spec, size_t bytes)
{
	struct agg_pass *p = xcalloc(1, sizeof(*p));

	p->spec = spec;
	xsort_open(&p->lines, runs_bytes, NULL, bytes);
	return p;
}
