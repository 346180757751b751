/* Sums by a key; and those of the critical path, by step and kind for the first
 * view. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "html.h"
#include "num.h"

void
html_sums_field(struct html_sums *m, const char *s, size_t n)
{
	buf_putc(&m->key, '\t');
	buf_put(&m->key, s != NULL ? s : "-", s != NULL ? n : 1);
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

void
html_path_add(struct html *h, const struct html_source *s, const struct rec *r)
{
	static const enum html_role keys[] = { HTML_ITER, HTML_KIND, HTML_SRC };
	const int *at = s->table->at;
	struct html_sums *m = &h->path.by_kind;
	struct html_sum *sum;
	int64_t ns = 0, longest;
	const char *v;
	size_t len;
	int k;

	for (k = 0; k < (int)ARRAY_LEN(keys); k++) {
		v = html_field(h, r, s->from[at[keys[k]]], &len);
		html_sums_field(m, v, len);
	}
	sum = html_sums_at(m);
	(void)rec_i64(r, s->from[at[HTML_DUR]], &ns);
	longest = rec_int(r, h->path.longest, ns);
	sum->n += (uint64_t)rec_int(r, h->path.n_seg, 1);
	sum->ns = num_add(sum->ns, ns);
	if (longest > sum->max)
		sum->max = longest;
}

/* Most rows begin where the one before ends: they have no start. The first of
 * a step has one, because the rows of steps before can be left out. */
void
html_path_start(struct html *h, const struct html_source *s,
    const struct rec *r, struct html_col *c)
{
	struct html_path *p = &h->path;
	int64_t seg = rec_int(r, p->seg, -1), start = 0, dur = 0;

	(void)rec_i64(r, s->from[s->table->at[HTML_START]], &start);
	(void)rec_i64(r, s->from[s->table->at[HTML_DUR]], &dur);
	if (seg > 0 && seg == p->next && start == p->end && !h->data)
		html_col_add_null(c);
	else
		html_col_add_i64(c, start);
	p->end = num_add(start, dur);
	p->next = num_add(seg, rec_int(r, p->n_seg, 1));
}

void
html_path_bind(struct html_path *p, struct rec_type *t)
{
	REC_COLS(t, REC_OPT, { &p->seg, "seg" }, { &p->n_seg, "n_seg" },
	    { &p->longest, "max_ns" });
}
