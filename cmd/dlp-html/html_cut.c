/* A page of more GPU work than the limit: sums of all of it, and the rows of
 * the steps that fit. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "html.h"
#include "num.h"

/* Their rows belong to steps. Ranges inside ops have no number of a step, and
 * such a page has none of them. Other tables stay whole. */
static const char *const of_steps[] = { "work", "inst", "range", "call", "gap",
	"nest", "path" };

/* These can grow while there is little GPU work. They are dropped whole,
 * because what lives in memory follows from all events before. */
static const char *const bounded[] = { "nest", "mem", "diffcell" };

/* What sums are by: all that the page groups work by, and filters. */
const char *const html_sum_by[HTML_SUM_BY] = { "tag", "dev", "stream", "op_id",
	"op", "dir", "layer", "phase", "why", "short", "kind", "dtype",
	"family", "tc", "tc_eligible", "tc_why", "lacks", "prim", "src" };

static bool
is_among(const struct html_table *t, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(t->name, names[i]) == 0)
			return true;
	return false;
}

static struct html_col *
col_named(const struct html_table *t, const char *name)
{
	int i;

	for (i = 0; i < t->ncol; i++)
		if (strcmp(t->col[i].name, name) == 0)
			return &t->col[i];
	return NULL;
}

void
html_sums_field(struct html_sums *m, struct mview v)
{
	buf_putc(&m->key, '\t');
	buf_put(&m->key, v.s != NULL ? v.s : "-", v.s != NULL ? v.n : 1);
}

struct html_sum *
html_sums_at(struct html_sums *m)
{
	uint32_t id = smap_put(&m->by, m->key.s, m->key.len, NULL);

	buf_clear(&m->key);
	if (id == m->n) {
		ARRAY_GROW(m->v, m->n, m->cap);
		m->v[m->n++] = (struct html_sum){ .max = -1 };
	}
	return &m->v[id];
}

void
html_sums_add(struct html_sum *sum, int64_t ns)
{
	sum->ns = num_add(sum->ns, ns);
	if (ns > sum->max)
		sum->max = ns;
}

void
html_sums_free(struct html_sums *m)
{
	smap_free(&m->by);
	buf_free(&m->key);
	free(m->v);
}

static void
add_sum(struct html *h, const struct html_source *s, const struct rec *r)
{
	struct html_cut *cut = &h->cut;
	struct html_sum *sum;
	int64_t ns;
	int i;

	html_sums_field(&cut->sums, (struct mview){ s->tag, strlen(s->tag) });
	for (i = 1; i < HTML_SUM_BY; i++) {
		if (cut->by[i]->number) /* otherwise fatal */
			(void)rec_num(r, cut->by[i]->id, &ns);
		html_sums_field(&cut->sums, html_field(h, r, cut->by[i]->id));
	}
	sum = html_sums_at(&cut->sums);
	sum->n++;
	if (rec_num(r, COL_dur_ns, &ns))
		html_sums_add(sum, ns);
}

void
html_cut_begin(struct html *h)
{
	struct html_cut *cut = &h->cut;
	struct html_table *t;
	int i, k;

	for (i = 0; i < h->ntable; i++) {
		t = &h->table[i];
		t->of_steps = is_among(t, of_steps, ARRAY_LEN(of_steps));
		t->bounded = is_among(t, bounded, ARRAY_LEN(bounded));
		if (strcmp(t->name, "work") != 0)
			continue;
		cut->work = t;
		for (k = 0; k < HTML_SUM_BY; k++)
			cut->by[k] = col_named(t, html_sum_by[k]);
	}
}

bool
html_cut_takes(struct html *h, const struct html_source *s, const struct rec *r)
{
	struct html_cut *cut = &h->cut;
	const struct html_table *t = s->table;
	int64_t iter = 0;
	bool known;

	if (t->bounded && (t->left > 0 || (cut->on && t->of_steps))) {
		s->table->left++;
		return false;
	}
	if (cut->limit == 0 || !t->of_steps)
		return true;
	known = rec_num(r, COL_iter, &iter);
	if (t == cut->work) {
		cut->pieces++;
		add_sum(h, s, r);
		if (known)
			++*map_put(&cut->of_iter, (uint64_t)iter, NULL);
	}
	if (!cut->on)
		return true;
	return known && iter >= cut->from && iter <= cut->to;
}

/* As many steps as fit, from the first even one; without even steps from the
 * first. Counts only grow, so that the last step only comes nearer. */
static void
choose_steps(struct html_cut *cut)
{
	int64_t *iter = xcalloc(cut->of_iter.n + 1, sizeof(*iter));
	uint64_t key, val, sum = 0;
	size_t it = 0, n = 0, i;

	while (map_next(&cut->of_iter, &it, &key, &val))
		iter[n++] = (int64_t)key;
	qsort(iter, n, sizeof(*iter), array_by_i64);
	cut->from = cut->even ? cut->even_from : n > 0 ? iter[0] : 0;
	cut->to = cut->even ? cut->even_to : INT64_MAX;
	for (i = 0; i < n && iter[i] <= cut->to; i++) {
		if (iter[i] < cut->from)
			continue;
		sum += *map_get(&cut->of_iter, (uint64_t)iter[i]);
		if (sum > (uint64_t)cut->limit)
			cut->to = iter[i] - 1;
	}
	free(iter);
}

/* Drops the rows of other steps; of a table without steps all. */
static void
keep_rows(struct html_table *t, int64_t from, int64_t to)
{
	bool *keep = xcalloc(t->n + 1, sizeof(*keep));
	struct html_col *iter = col_named(t, "iter");
	uint64_t k, n = 0;
	int i;

	if (iter != NULL)
		html_col_mark(iter, t->n, from, to, keep);
	for (i = 0; i < t->ncol; i++)
		html_col_keep(&t->col[i], t->n, keep);
	for (k = 0; k < t->n; k++)
		n += keep[k];
	if (t->bounded)
		t->left += t->n - n;
	t->n = n;
	free(keep);
}

void
html_cut_rows(struct html *h, struct html_table *t)
{
	struct html_cut *cut = &h->cut;
	int i;

	if (cut->limit == 0 || t->n <= (uint64_t)cut->limit)
		return;
	if (t->bounded)
		keep_rows(t, 0, -1);
	if (t != cut->work)
		return;
	cut->on = true;
	choose_steps(cut);
	for (i = 0; i < h->ntable; i++)
		if (h->table[i].of_steps)
			keep_rows(&h->table[i], cut->from, cut->to);
}

void
html_cut_end(struct html *h)
{
	struct html_cut *cut = &h->cut;
	uint64_t key, val;
	int64_t last = INT64_MIN;
	size_t it = 0;

	if (!cut->on)
		return;
	while (map_next(&cut->of_iter, &it, &key, &val))
		if ((int64_t)key <= cut->to && (int64_t)key > last)
			last = (int64_t)key;
	cut->to = last;
	if (cut->from <= cut->to)
		warn("%llu pieces of GPU work, more than %lld: the page has "
		     "sums of all, and details of steps %lld-%lld; dlp html -i "
		     "N-M FILE has those of others",
		    (unsigned long long)cut->pieces, (long long)cut->limit,
		    (long long)cut->from, (long long)cut->to);
	else
		warn("%llu pieces of GPU work, more than %lld: the page has "
		     "sums of all, but no details, because no step fits; "
		     "--max-pieces sets the limit",
		    (unsigned long long)cut->pieces, (long long)cut->limit);
}

void
html_cut_free(struct html_cut *cut)
{
	map_free(&cut->of_iter);
	html_sums_free(&cut->sums);
}
