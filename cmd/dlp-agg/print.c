/* Rows of the result; see print.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "out.h"
#include "disk.h"
#include "part.h"
#include "print.h"
#include "state.h"

#define REST "(rest)"

static struct acc *total; /* of all groups, per field */
static uint64_t rounded;  /* states of fields */

/* A percentile that was found on disk. */
static bool
put_found(struct buf *b, const struct group *g, const struct stat_col *s, int i)
{
	if (g->found->has[i])
		acc_put_value(b, &g->acc[s->field], g->found->p[i]);
	return g->found->has[i];
}

static bool
put_stat(const struct groups *a, struct buf *b, const struct group *g, int i)
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
		    &g->acc[s->field], b, s->stat, s->p, &total[s->field]);
	if (g->has_ivl)
		buf_i64(b, g->union_ns);
	return g->has_ivl;
}

struct sort_val
print_key(const struct groups *a, const struct group *g, const char *key,
    const struct sort_key *k, struct smap *texts)
{
	static struct buf tmp;
	struct buf *b = &tmp;
	const char *s = key;
	size_t n;
	int f;

	if (k->group < 0) {
		struct sort_val v;

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
print_keys(struct groups *a, struct state *s, struct buf *b)
{
	const struct sort *o = &a->spec->sort;
	struct sort_val *v = xcalloc((size_t)o->n + 1, sizeof(*v));
	struct smap texts = { 0 };
	char *key = xmemdup(s->key, s->nkey);
	int k;

	for (k = 0; k < o->n; k++)
		v[k] = print_key(a, &s->g, key, &o->key[k], &texts);
	buf_clear(b);
	sort_pack(b, v, o->n);
	smap_free(&texts);
	free(key);
	free(v);
}

static bool
has_union(const struct spec *a)
{
	int i;

	for (i = 0; i < a->nstat; i++)
		if (a->stat[i].stat == ST_UNION)
			return true;
	return false;
}

void
print_state(const struct groups *a, struct buf *b, const struct group *g)
{
	const struct spec *s = a->spec;
	int i;

	for (i = 0; i < s->nfield; i++) {
		if (!s->field[i].numeric)
			continue;
		buf_putc(b, '\t');
		rounded += part_put(b, &g->acc[i], s->field[i].want);
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
print_legend(const struct groups *a)
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
print_row(const struct groups *a, struct group *g, const char *key, size_t n)
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
print_rest(struct groups *a, struct group *g)
{
	int k;

	buf_clear(&a->key_buf);
	buf_puts(&a->key_buf, REST);
	for (k = 1; k < a->spec->ngroups; k++)
		buf_puts(&a->key_buf, "\t-");
	print_row(a, g, a->key_buf.s, a->key_buf.len);
}

void
print_total_begin(const struct groups *a)
{
	total = xcalloc((size_t)a->spec->nfield + 1, sizeof(*total));
}

void
print_total(const struct groups *a, const struct group *g)
{
	int k;

	for (k = 0; k < a->spec->nfield; k++)
		acc_join(&total[k], &g->acc[k], false);
}

void
print_total_end(const struct groups *a)
{
	int k;

	for (k = 0; k < a->spec->nfield; k++)
		acc_free(&total[k]);
	free(total);
	total = NULL;
}

uint64_t
print_rounded(void)
{
	uint64_t n = rounded;

	rounded = 0;
	return n;
}
