/* Writes the groups as records; see agg_group.h. */
#include <stdlib.h>
#include <string.h>

#include "agg_group.h"
#include "agg_spec.h"
#include "cli.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "stage.h"

/* The order of --sort. */

struct sort_item {
	const struct agg_sort *by;
	const struct sort_val *v;
	size_t no;
};

void
sort_parse(struct agg_sort *o, const char *arg)
{
	char **v;
	int i, n;

	v = cli_list(arg, &n);
	o->key = xrealloc(o->key, (size_t)o->n + (size_t)n, sizeof(*o->key));
	for (i = 0; i < n; i++) {
		bool sign = v[i][0] == '-' || v[i][0] == '+';

		if (v[i][sign] == '\0')
			die("--sort: empty column name");
		o->key[o->n++] = (struct sort_key){
			.name = v[i] + sign,
			.down = v[i][0] == '-',
			.group = -1,
			.stat = -1,
			.col = -1,
		};
	}
	/* v is not freed: the names are in the same block */
}

struct sort_val
sort_value(const char *s, size_t n)
{
	struct sort_val v = { .s = s, .n = n, .kind = SORT_TEXT };
	int64_t i;

	if (s == NULL) {
		v.kind = SORT_UNSET;
	} else if (num_i64(s, n, &i)) {
		v.kind = SORT_NUM;
		v.d = (double)i;
	} else if (num_f64(s, n, &v.d)) {
		v.kind = SORT_NUM;
	}
	return v;
}

static int
cmp_text(const struct sort_val *x, const struct sort_val *y)
{
	size_t k = x->n < y->n ? x->n : y->n;
	int c = k > 0 && x->s != y->s ? memcmp(x->s, y->s, k) : 0;

	return c != 0 ? c : (x->n > y->n) - (x->n < y->n);
}

/* Unset comes last in both directions. */
static int
cmp_val(const struct sort_val *x, const struct sort_val *y, bool down)
{
	int c;

	if (x->kind == SORT_UNSET || y->kind == SORT_UNSET)
		return (x->kind == SORT_UNSET) - (y->kind == SORT_UNSET);
	if (x->kind != y->kind)
		c = x->kind == SORT_NUM ? -1 : 1;
	else if (x->kind == SORT_NUM)
		c = (x->d > y->d) - (x->d < y->d);
	else
		c = cmp_text(x, y);
	return down ? -c : c;
}

int
sort_cmp(const struct agg_sort *o, const struct sort_val *x,
    const struct sort_val *y)
{
	int k, c = 0;

	for (k = 0; k < o->n && c == 0; k++)
		c = cmp_val(&x[k], &y[k], o->key[k].down);
	return c;
}

/* Packs a value: a byte for its kind, then a number's 8 bytes, or the 4 bytes
 * of a text's length and the text. This is short because it goes to disk with
 * each line. */
void
sort_pack(struct buf *b, const struct sort_val *v, int n)
{
	uint32_t len;
	int k;

	for (k = 0; k < n; k++) {
		buf_putc(b, (char)v[k].kind);
		if (v[k].kind == SORT_NUM)
			buf_put(b, (const char *)&v[k].d, sizeof(v[k].d));
		if (v[k].kind != SORT_TEXT)
			continue;
		if (v[k].n > UINT32_MAX)
			die("--sort: a value of 4 GB");
		len = (uint32_t)v[k].n;
		buf_put(b, (const char *)&len, sizeof(len));
		buf_put(b, v[k].s, v[k].n);
	}
}

/* Reads the value at s; returns the place after it. */
static const char *
key_value(const char *s, struct sort_val *v)
{
	uint32_t len;

	v->kind = (unsigned char)*s++;
	if (v->kind == SORT_NUM) {
		memcpy(&v->d, s, sizeof(v->d));
		s += sizeof(v->d);
	} else if (v->kind == SORT_TEXT) {
		memcpy(&len, s, sizeof(len));
		v->n = len;
		v->s = s + sizeof(len);
		s = v->s + len;
	}
	return s;
}

int
sort_cmp_packed(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	const struct agg_sort *o = ctx;
	struct sort_val x = { .s = NULL }, y = { .s = NULL };
	int k, c = 0;

	(void)an, (void)bn;
	for (k = 0; k < o->n && c == 0; k++) {
		a = key_value(a, &x);
		b = key_value(b, &y);
		c = cmp_val(&x, &y, o->key[k].down);
	}
	return c;
}

/* Equal items stay in the order of their arrival. */
static int
cmp_item(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;
	int c = sort_cmp(x->by, x->v, y->v);

	return c != 0 ? c : (x->no > y->no) - (x->no < y->no);
}

void
sort_items(
    const struct agg_sort *o, const struct sort_val *v, size_t n, size_t *idx)
{
	struct sort_item *item = xcalloc(n + 1, sizeof(*item));
	size_t i;

	for (i = 0; i < n; i++)
		item[i] = (struct sort_item){ o, v + i * (size_t)o->n, i };
	if (o->n > 0 && n > 1)
		qsort(item, n, sizeof(*item), cmp_item);
	for (i = 0; i < n; i++)
		idx[i] = item[i].no;
	free(item);
}

void
meta_keep(struct agg_metas *m, const struct rec *r)
{
	struct buf *b = &m->notes;
	const char *w, *rest;
	size_t wlen, rlen;
	bool is_new = true;

	w = rec_meta(r, &wlen, &rest, &rlen);
	if (text_is(w, wlen, "cmd"))
		b = &m->cmds;
	else if (text_is(w, wlen, "info"))
		b = &m->infos;
	if (b != &m->notes)
		smap_put(&m->seen, r->line, r->len, &is_new);
	if (!is_new)
		return;
	buf_put(b, r->line, r->len);
	buf_putc(b, '\n');
}

void
meta_head(const struct agg_metas *m, bool whole, int argc, char *const *argv)
{
	out_legends_again();
	if (whole)
		out_meta("dlp", "%d", REC_FORMAT);
	buf_put(&out_buf, m->cmds.s, m->cmds.len);
	if (whole)
		stage_cmd(argc, argv);
	buf_put(&out_buf, m->infos.s, m->infos.len);
}

#define REST "(rest)"

/* A percentile that was found on disk. */
static bool
put_found(
    struct buf *b, const struct agg_group *g, const struct stat_col *s, int i)
{
	if (g->found->has[i])
		acc_put_value(b, &g->acc[s->field], g->found->p[i]);
	return g->found->has[i];
}

static bool
put_stat(
    const struct agg_groups *a, struct buf *b, const struct agg_group *g, int i)
{
	const struct stat_col *s = &a->spec->stat[i];

	if (s->stat == ST_PERCENTILE && g->found != NULL)
		return put_found(b, g, s, i);
	if (s->stat == ST_COUNT) {
		buf_u64(b, g->n);
		return true;
	}
	if (s->stat != ST_UNION)
		return acc_put(
		    &g->acc[s->field], b, s->stat, s->p, &a->total[s->field]);
	if (g->has_ivl)
		buf_i64(b, g->union_ns);
	return g->has_ivl;
}

/* The value by which --sort orders the group of that key. texts owns the texts
 * of statistics. */
static struct sort_val
sort_key_value(struct agg_groups *a, const struct agg_group *g, const char *key,
    const struct sort_key *k, struct smap *texts)
{
	struct buf *b = &a->text_buf;
	const char *s = key;
	struct sort_val v;
	size_t n;
	int f;

	if (k->group < 0) {
		buf_clear(b);
		if (!put_stat(a, b, g, k->stat))
			return sort_value(NULL, 0);
		v = sort_value(buf_str(b), b->len);
		if (v.kind == SORT_TEXT)
			v.s = smap_str(
			    texts, smap_put(texts, v.s, v.n, NULL), &v.n);
		return v;
	}
	for (f = k->group; f > 0; f--)
		s = strchr(s, '\t') + 1;
	n = strcspn(s, "\t");
	return sort_value(n == 1 && s[0] == '-' ? NULL : s, n);
}

void
print_keys(struct agg_groups *a, struct agg_state *s, struct buf *b)
{
	const struct agg_sort *o = &a->spec->sort;
	struct sort_val *v = xcalloc((size_t)o->n + 1, sizeof(*v));
	struct smap texts = { 0 };
	char *key = xmemdup(s->key, s->nkey);
	int k;

	for (k = 0; k < o->n; k++)
		v[k] = sort_key_value(a, &s->g, key, &o->key[k], &texts);
	buf_clear(b);
	sort_pack(b, v, o->n);
	smap_free(&texts);
	free(key);
	free(v);
}

static bool
has_union(const struct agg_spec *a)
{
	int i;

	for (i = 0; i < a->nstat; i++)
		if (a->stat[i].stat == ST_UNION)
			return true;
	return false;
}

void
print_state(
    const struct agg_groups *a, struct buf *b, const struct agg_group *g)
{
	const struct agg_spec *s = a->spec;
	int i;

	for (i = 0; i < s->nfield; i++) {
		if (!s->field[i].numeric)
			continue;
		buf_putc(b, '\t');
		*a->rounded += part_put(b, &g->acc[i], s->field[i].want);
	}
	if (!has_union(s))
		return;
	buf_putc(b, '\t');
	if (g->npiece > 0)
		part_put_union(b, g);
	else
		buf_putc(b, '-');
}

void
print_legend(const struct agg_groups *a)
{
	int i;

	buf_putc(&out_buf, '#');
	buf_puts(&out_buf, a->spec->as);
	for (i = 0; i < a->spec->ngroups; i++) {
		buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, spec_group(a->spec, i));
	}
	if (a->spec->partial)
		buf_puts(&out_buf, "\t" PART_N);
	for (i = 0; i < a->spec->nstat; i++) {
		buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, a->spec->stat[i].name);
	}
	for (i = 0; i < a->spec->nfield && a->spec->partial; i++) {
		if (!a->spec->field[i].numeric)
			continue;
		buf_puts(&out_buf, "\t" PART_PREFIX);
		buf_puts(&out_buf, spec_field(a->spec, i));
	}
	if (a->spec->partial && has_union(a->spec))
		buf_puts(&out_buf, "\t" PART_UNION);
	buf_putc(&out_buf, '\n');
}

void
print_row(const struct agg_groups *a, const struct agg_group *g,
    const char *key, size_t n)
{
	int i;

	buf_puts(&out_buf, a->spec->as);
	if (a->spec->ngroups > 0) {
		buf_putc(&out_buf, '\t');
		buf_put(&out_buf, key, n);
	}
	if (a->spec->partial) {
		buf_putc(&out_buf, '\t');
		buf_u64(&out_buf, g->n);
	}
	for (i = 0; i < a->spec->nstat; i++) {
		buf_putc(&out_buf, '\t');
		if (!put_stat(a, &out_buf, g, i))
			buf_putc(&out_buf, '-');
	}
	if (a->spec->partial && g->found != NULL)
		buf_put(&out_buf, g->found->part.s, g->found->part.len);
	else if (a->spec->partial)
		print_state(a, &out_buf, g);
	out_end();
}

void
print_rest(struct agg_groups *a, const struct agg_group *g)
{
	int k;

	buf_clear(&a->key_buf);
	buf_puts(&a->key_buf, REST);
	for (k = 1; k < a->spec->ngroups; k++)
		buf_puts(&a->key_buf, "\t-");
	print_row(a, g, a->key_buf.s, a->key_buf.len);
}

void
print_total_begin(struct agg_groups *a)
{
	a->total = xcalloc((size_t)a->spec->nfield + 1, sizeof(*a->total));
}

void
print_total(struct agg_groups *a, const struct agg_group *g)
{
	int k;

	for (k = 0; k < a->spec->nfield; k++)
		acc_join(&a->total[k], &g->acc[k], false);
}

void
print_total_end(struct agg_groups *a)
{
	int k;

	for (k = 0; k < a->spec->nfield; k++)
		acc_free(&a->total[k]);
	free(a->total);
	a->total = NULL;
}

/* The groups' numbers in the order of the result. */
static size_t *
order(struct agg_groups *a)
{
	struct smap texts = { 0 };
	const struct agg_sort *o = &a->spec->sort;
	size_t n = a->keys.n, i;
	struct sort_val *v;
	size_t *idx = xcalloc(n + 1, sizeof(*idx));
	int k;

	v = xcalloc(n * (size_t)o->n + 1, sizeof(*v));
	for (i = 0; i < n; i++)
		for (k = 0; k < o->n; k++)
			v[i * (size_t)o->n + (size_t)k] = sort_key_value(a,
			    &a->v[i], smap_str(&a->keys, (uint32_t)i, NULL),
			    &o->key[k], &texts);
	sort_items(o, v, n, idx);
	smap_free(&texts);
	free(v);
	return idx;
}

/* Writes one row for all groups beyond the limit. It has neither a union nor
 * first and last values, which cannot be computed from the groups. */
static void
put_rest_of(struct agg_groups *a, const size_t *idx, size_t from)
{
	struct agg_group g;
	size_t i;
	int k;

	group_new(a, &g);
	for (i = from; i < a->keys.n; i++) {
		g.n += a->v[idx[i]].n;
		for (k = 0; k < a->spec->nfield; k++)
			acc_join(&g.acc[k], &a->v[idx[i]].acc[k], true);
	}
	print_rest(a, &g);
	group_free(a, &g);
}

/* Without -g there is always one row, even if there are no records. */
static void
one_group(struct agg_groups *a)
{
	if (a->spec->ngroups > 0 || a->keys.n > 0)
		return;
	smap_put(&a->keys, "", 0, NULL);
	if (a->cap == 0) {
		a->cap = 1;
		a->v = xcalloc(1, sizeof(*a->v));
	}
	group_new(a, &a->v[0]);
}

/* Writes the groups up to the limit; returns how many are beyond it. */
static size_t
put_groups(struct agg_groups *a)
{
	size_t *idx = order(a), n = a->keys.n, i;

	if (a->spec->limit >= 0 && (uint64_t)a->spec->limit < n)
		n = (size_t)a->spec->limit;
	for (i = 0; i < n; i++) {
		size_t len;
		const char *s = smap_str(&a->keys, (uint32_t)idx[i], &len);

		print_row(a, &a->v[idx[i]], s, len);
	}
	if (a->spec->rest && n < a->keys.n)
		put_rest_of(a, idx, n);
	free(idx);
	return a->keys.n - n;
}

void
result_put(struct agg_groups *a)
{
	size_t i;

	if (disk_any(a)) {
		a->n_over = disk_put(a);
		return;
	}
	one_group(a);
	print_total_begin(a);
	for (i = 0; i < a->keys.n; i++)
		print_total(a, &a->v[i]);
	print_legend(a);
	a->n_over = put_groups(a);
	print_total_end(a);
}

void
result_notes(const struct agg_groups *a)
{
	if (!a->spec->rest)
		stage_note("agg_over_limit", a->n_over);
	stage_note("agg_negative", a->n_negative);
	stage_note("agg_values_rounded", *a->rounded);
	*a->rounded = 0; /* one note for all results */
}

void
result_all_notes(const struct agg_groups *a)
{
	result_notes(a);
	stage_note("join_lost", a->spec->in.join.lost);
}
