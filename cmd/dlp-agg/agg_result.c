/* Writes the groups as records; see agg_group.h. */
#include <string.h>

#include "agg_group.h"
#include "agg_spec.h"
#include "cli.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "spill.h"
#include "stage.h"
#include "xsort.h"

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
		o->key[o->n++] = (struct sort_col){
			.name = v[i] + sign,
			.down = v[i][0] == '-',
			.group = -1,
			.stat = -1,
			.col = -1,
		};
	}
	/* v is not freed: the names are in the same block */
}

/* Bytes of a value that sort like it: numbers before texts, unset last in both
 * directions. A text ends with two NULs, and a NUL in it is marked. */
enum { SORT_NUM = 1, SORT_TEXT, SORT_UNSET = 255 };

void
sort_key(struct buf *b, const char *s, size_t n, bool down)
{
	size_t from = b->len, i;
	uint64_t u;
	int64_t v;
	bool whole;
	double d = 0;

	if (s == NULL) {
		buf_putc(b, (char)SORT_UNSET);
		return;
	}
	whole = num_i64(s, n, &v);
	if (whole || num_f64(s, n, &d)) {
		if (whole)
			d = (double)v;
		if (!(d < 0) && !(d > 0))
			d = 0; /* not -0 */
		memcpy(&u, &d, sizeof(u));
		u = u >> 63 ? ~u : u | (uint64_t)1 << 63;
		buf_putc(b, SORT_NUM);
		for (i = 0; i < sizeof(u); i++)
			buf_putc(b, (char)(u >> (56 - 8 * i)));
	} else {
		buf_putc(b, SORT_TEXT);
		for (i = 0; i < n; i++) {
			buf_putc(b, s[i]);
			if (s[i] == '\0')
				buf_putc(b, 1);
		}
		buf_put(b, "\0", 2);
	}
	for (i = from; down && i < b->len; i++)
		b->s[i] = (char)~b->s[i];
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

static bool
put_stat(
    const struct agg_groups *a, struct buf *b, const struct agg_group *g, int i)
{
	const struct stat_col *s = &a->spec->stat[i];

	if (s->stat == ST_COUNT) {
		buf_u64(b, g->n);
		return true;
	}
	if (s->stat != ST_UNION)
		return acc_put(&g->acc[s->field], b, s->stat, s->p,
		    &a->total->acc[s->field]);
	if (g->has_ivl)
		buf_i64(b, g->union_ns);
	return g->has_ivl;
}

/* The bytes by which --sort orders the group of that key. */
static void
make_sort_key(struct agg_groups *a, const struct agg_group *g, const char *key,
    struct buf *b, struct buf *text)
{
	const struct agg_sort *o = &a->spec->sort;
	const char *s;
	size_t n;
	int k, f;

	buf_clear(b);
	for (k = 0; k < o->n; k++) {
		if (o->key[k].group < 0) {
			buf_clear(text);
			s = put_stat(a, text, g, o->key[k].stat) ? buf_str(text)
								 : NULL;
			n = text->len;
		} else {
			for (s = key, f = o->key[k].group; f > 0; f--)
				s = strchr(s, '\t') + 1;
			n = strcspn(s, "\t");
			if (n == 1 && s[0] == '-')
				s = NULL;
		}
		sort_key(b, s, n, o->key[k].down);
	}
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

/* Appends the state that --merge reads. */
static void
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
	if (g->piece != NULL)
		part_put_union(b, g);
	else /* all took no time: a key without pieces, or it is unset */
		buf_putc(b, g->has_ivl && g->union_ns == 0 ? '0' : '-');
}

static void
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

static void
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
	if (a->spec->partial)
		print_state(a, &out_buf, g);
	out_end();
}

/* Adds a group to another. This has neither a union nor first and last values,
 * which cannot be computed from the groups. */
static void
join_group(struct agg_groups *a, struct agg_group *to,
    const struct agg_group *g, bool values)
{
	int k;

	to->n += g->n;
	for (k = 0; k < a->spec->nfield; k++)
		acc_join(&a->mem, &to->acc[k], &g->acc[k], values);
}

/* The numbers of the groups, in the order of the result, to ids. */
static void
order_groups(struct agg_groups *a, struct xsort *ids)
{
	struct buf key = { 0 }, text = { 0 };
	uint32_t i;

	for (i = 0; i < a->keys.n; i++) {
		make_sort_key(a, group_at(a, i), smap_str(&a->keys, i, NULL),
		    &key, &text);
		xsort_put(ids, key.s, key.len, &i, sizeof(i));
	}
	buf_free(&key);
	buf_free(&text);
}

/* Writes the groups up to the limit, and one row for all others. */
static void
put_groups(struct agg_groups *a, size_t memory)
{
	uint64_t limit = (uint64_t)a->spec->limit; /* none is -1 */
	struct agg_group *rest = group_new(a);
	struct runs_rec r;
	struct xsort ids;
	const char *key;
	uint32_t id = 0;
	uint64_t i;
	size_t n;
	int k;

	xsort_open(&ids, runs_bytes, NULL, memory);
	if (a->spec->sort.n > 0)
		order_groups(a, &ids);
	for (i = 0; i < a->keys.n; i++) {
		spill_tick();
		if (a->spec->sort.n > 0 && xsort_next(&ids, &r))
			memcpy(&id, r.val, sizeof(id));
		else
			id = (uint32_t)i;
		key = smap_str(&a->keys, id, &n);
		if (i < limit)
			print_row(a, group_at(a, id), key, n);
		else if (a->spec->rest)
			join_group(a, rest, group_at(a, id), true);
	}
	xsort_close(&ids);
	a->n_over = i > limit ? i - limit : 0;
	if (!a->spec->rest || a->n_over == 0)
		return;
	buf_clear(&a->key_buf);
	buf_puts(&a->key_buf, REST);
	for (k = 1; k < a->spec->ngroups; k++)
		buf_puts(&a->key_buf, "\t-");
	print_row(a, rest, a->key_buf.s, a->key_buf.len);
}

void
result_put(struct agg_groups *a, size_t memory)
{
	size_t i;

	/* without -g there is one row, even if there are no records */
	if (a->spec->ngroups == 0)
		group_get(a, "", 0);
	a->total = group_new(a);
	for (i = 0; i < a->keys.n; i++) {
		spill_tick();
		join_group(a, a->total, group_at(a, i), false);
	}
	print_legend(a);
	put_groups(a, memory);
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
