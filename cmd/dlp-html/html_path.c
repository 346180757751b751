/* The critical path on the page: sums by step and kind for the first view, and
 * rows. Segments that follow each other and differ in seg and name only are one
 * row, because a thread alternates between an op and its calls; and a row that
 * begins where the one before ends has no start, because most do. */
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

/* Columns that are no part of the texts. */
static bool
is_own(enum html_role role)
{
	return role == HTML_START || role == HTML_DUR || role == HTML_N_SEG ||
	       role == HTML_NAME;
}

static void
add_text(struct html_col *c, const char *s, size_t n)
{
	int64_t v;

	if (n == 0)
		html_col_add_null(c);
	else if (c->number && num_i64(s, n, &v))
		html_col_add_i64(c, v);
	else
		html_col_add_text(c, s, n);
}

void
html_path_end(struct html *h)
{
	struct html_path *p = &h->path;
	const char *s = p->key.s, *e;
	struct html_col *c;
	int i;

	if (p->row.n == 0)
		return;
	for (i = 0; i < p->table->ncol; i++) {
		c = &p->table->col[i];
		if (c->role == HTML_NAME) {
			add_text(c, p->name.s, p->name.len);
		} else if (c->role == HTML_N_SEG) {
			html_col_add_i64(c, (int64_t)p->row.n);
		} else if (c->role == HTML_DUR) {
			html_col_add_i64(c, p->row.ns);
		} else if (c->role == HTML_START) {
			if (p->follows && !h->data)
				html_col_add_null(c);
			else
				html_col_add_i64(c, p->start);
		} else {
			e = memchr(
			    s, '\t', (size_t)(p->key.s + p->key.len - s));
			add_text(c, s, (size_t)(e - s));
			s = e + 1;
		}
	}
	p->end = num_add(p->start, p->row.ns);
	p->table->n++;
	p->row.n = 0;
}

/* The texts of a record that a row has, each before a TAB, to p->next. */
static void
read_texts(struct html *h, const struct html_source *s, const struct rec *r)
{
	struct html_path *p = &h->path;
	enum html_role role;
	const char *v;
	size_t n;
	int i;

	buf_clear(&p->next);
	for (i = 0; i < s->table->ncol; i++) {
		role = s->table->col[i].role;
		if (is_own(role))
			continue;
		v = html_field(h, r, s->from[i], &n);
		buf_put(&p->next, v, v != NULL ? n : 0);
		buf_putc(&p->next, '\t');
		if (role == HTML_ITER || role == HTML_KIND || role == HTML_SRC)
			html_sums_field(&p->by_kind, v, n);
	}
}

/* Texts of the same step, the first of them, and the same file, the last. */
static bool
same_place(const struct buf *a, const struct buf *b)
{
	size_t i = a->len, j = b->len, n = 1;

	for (; n < a->len && a->s[n - 1] != '\t'; n++)
		;
	if (a->len == 0 || b->len < n || memcmp(a->s, b->s, n) != 0)
		return false;
	for (i--, j--; i > 0 && j > 0 && a->s[i - 1] == b->s[j - 1]; i--, j--)
		if (a->s[i - 1] == '\t')
			return true;
	return false;
}

static void
begin_row(struct html_path *p, const char *name, size_t n, int64_t start)
{
	struct buf was = p->key;

	p->follows = p->end == start && same_place(&p->key, &p->next);
	p->key = p->next;
	p->next = was;
	p->start = start;
	p->row = (struct html_sum){ .max = -1 };
	buf_clear(&p->name);
	buf_put(&p->name, name, name != NULL ? n : 0);
}

void
html_path_add(struct html *h, const struct html_source *s, const struct rec *r)
{
	struct html_path *p = &h->path;
	const struct html_table *t = s->table;
	struct html_sum *sum;
	int64_t start = 0, dur = 0;
	const char *name;
	size_t n = 0;

	p->table = s->table;
	read_texts(h, s, r);
	name = html_field(h, r, s->from[t->at[HTML_NAME]], &n);
	(void)rec_i64(r, s->from[t->at[HTML_START]], &start);
	(void)rec_i64(r, s->from[t->at[HTML_DUR]], &dur);
	sum = html_sums_at(&p->by_kind);
	sum->n++;
	html_sums_add(sum, dur);
	if (!html_cut_takes(h, s, r))
		return;
	if (p->row.n == 0 || p->key.len != p->next.len ||
	    memcmp(p->key.s, p->next.s, p->key.len) != 0) {
		html_path_end(h);
		begin_row(p, name, n, start);
	} else if (p->name.len != n || memcmp(p->name.s, name, n) != 0) {
		buf_clear(&p->name);
	}
	p->row.n++;
	html_sums_add(&p->row, dur);
}

void
html_path_free(struct html_path *p)
{
	html_sums_free(&p->by_kind);
	buf_free(&p->key);
	buf_free(&p->next);
	buf_free(&p->name);
}
