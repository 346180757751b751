/*
 * The result: one section of agg records, whatever the number of sections
 * read; a fragment if the input was one. Stages' and session facts of the
 * input are passed on once, notes each time.
 */
#include <stdlib.h>

#include "agg.h"
#include "err.h"

#define REST "(rest)"

static bool
word_is(const char *w, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(w, word, n) == 0;
}

void
print_meta(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	struct buf *b = &a->notes;
	const char *w, *rest;
	size_t wlen, rlen;
	bool is_new = true;

	w = rec_meta(r, &wlen, &rest, &rlen);
	if (word_is(w, wlen, "cmd"))
		b = &a->cmds;
	else if (word_is(w, wlen, "info"))
		b = &a->infos;
	if (b != &a->notes)
		smap_put(&a->meta_seen, r->line, r->len, &is_new);
	if (!is_new)
		return;
	buf_put(b, r->line, r->len);
	buf_putc(b, '\n');
}

static bool
put_stat(
    struct agg *a, struct buf *b, struct group *g, const struct stat_col *s)
{
	if (s->stat == ST_COUNT) {
		buf_u64(b, g->n);
		return true;
	}
	if (s->stat != ST_UNION)
		return acc_put(
		    a, b, &g->acc[s->field], &a->field[s->field].total, s);
	if (g->has_ivl)
		buf_i64(b, g->union_ns);
	return g->has_ivl;
}

static struct sort_val
key_value(struct agg *a, size_t i, const struct sort_key *k)
{
	struct buf *b = &a->tmp;
	const char *s;
	size_t n;
	int f;

	if (k->group < 0) {
		struct sort_val v;

		buf_clear(b);
		if (!put_stat(a, b, &a->group[i], &a->stat[k->stat]))
			return sort_value(NULL, 0);
		v = sort_value(buf_str(b), b->len);
		if (v.kind == SORT_TEXT)
			v.s = smap_str(&a->texts,
			    smap_put(&a->texts, v.s, v.n, NULL), &v.n);
		return v;
	}
	s = smap_str(&a->keys, (uint32_t)i, &n);
	for (f = k->group; f > 0; f--)
		s = strchr(s, '\t') + 1;
	n = strcspn(s, "\t");
	return sort_value(n == 1 && s[0] == '-' ? NULL : s, n);
}

/* The groups' numbers in the order of the result. */
static size_t *
order(struct agg *a)
{
	size_t n = a->keys.n, i;
	struct sort_val *v;
	size_t *idx = xcalloc(n + 1, sizeof(*idx));
	int k;

	v = xcalloc(n * (size_t)a->nkeys + 1, sizeof(*v));
	for (i = 0; i < n; i++)
		for (k = 0; k < a->nkeys; k++)
			v[i * (size_t)a->nkeys + (size_t)k] =
			    key_value(a, i, &a->key[k]);
	sort_items(a, v, n, idx);
	free(v);
	return idx;
}

static void
put_legend(const struct agg *a)
{
	int i;

	buf_puts(&out_buf, "#agg");
	for (i = 0; i < a->ngroups; i++) {
		buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, a->col[a->group_col[i]].in[0]->canon);
	}
	for (i = 0; i < a->nstat; i++) {
		buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, a->stat[i].name);
	}
	buf_putc(&out_buf, '\n');
}

static void
put_group(struct agg *a, struct group *g, const char *key, size_t n)
{
	int i;

	buf_puts(&out_buf, "agg");
	if (a->ngroups > 0) {
		buf_putc(&out_buf, '\t');
		buf_put(&out_buf, key, n);
	}
	for (i = 0; i < a->nstat; i++) {
		buf_putc(&out_buf, '\t');
		if (!put_stat(a, &out_buf, g, &a->stat[i]))
			buf_putc(&out_buf, '-');
	}
	out_end();
}

/* What the groups behind the limit have in common: all but a union, and the
 * first and last value. */
static void
put_rest(struct agg *a, const size_t *idx, size_t from)
{
	struct group g;
	size_t i;
	int k;

	group_new(a, &g);
	for (i = from; i < a->keys.n; i++) {
		g.n += a->group[idx[i]].n;
		for (k = 0; k < a->nfields; k++)
			acc_join(&g.acc[k], &a->group[idx[i]].acc[k]);
	}
	buf_clear(&a->key_buf);
	buf_puts(&a->key_buf, REST);
	for (k = 1; k < a->ngroups; k++)
		buf_puts(&a->key_buf, "\t-");
	put_group(a, &g, a->key_buf.s, a->key_buf.len);
}

static void
make_totals(struct agg *a)
{
	size_t i;
	int k;

	for (k = 0; k < a->nfields; k++)
		for (i = 0; i < a->keys.n; i++) {
			struct acc c = a->group[i].acc[k];

			c.nval = 0; /* no percentiles of it are asked for */
			acc_join(&a->field[k].total, &c);
		}
}

static void
put_head(struct agg *a)
{
	bool whole = !rec_is_fragment(a->st.rd);

	out_legends_again();
	if (whole)
		out_meta("dlp", "%d", REC_FORMAT);
	buf_put(&out_buf, a->cmds.s, a->cmds.len);
	if (whole)
		stage_cmd(a->argc, a->argv);
	buf_put(&out_buf, a->infos.s, a->infos.len);
	put_legend(a);
}

/* Without -g there is one row, even of nothing. */
static void
one_group(struct agg *a)
{
	if (a->ngroups > 0 || a->keys.n > 0)
		return;
	smap_put(&a->keys, "", 0, NULL);
	a->group = xcalloc(1, sizeof(*a->group));
	group_new(a, &a->group[0]);
}

int
print_groups(struct agg *a, int rc)
{
	size_t *idx, n, i;

	one_group(a);
	make_totals(a);
	put_head(a);
	idx = order(a);
	n = a->keys.n;
	if (a->limit >= 0 && (uint64_t)a->limit < n)
		n = (size_t)a->limit;
	for (i = 0; i < n; i++) {
		size_t len;
		const char *s = smap_str(&a->keys, (uint32_t)idx[i], &len);

		put_group(a, &a->group[idx[i]], s, len);
	}
	if (a->rest && n < a->keys.n)
		put_rest(a, idx, n);
	buf_put(&out_buf, a->notes.s, a->notes.len);
	if (!a->rest)
		stage_note("agg_over_limit", a->keys.n - n);
	stage_note("join_lost", a->join.lost);
	if (rc == EXIT_OK && !rec_is_fragment(a->st.rd))
		stage_end_section();
	free(idx);
	return rc;
}
