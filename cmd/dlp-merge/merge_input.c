/* An input of the merge, and its records under the output's legends; see
 * merge_input.h. */
#include "merge_input.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"
#include "esc.h"
#include "num.h"
#include "out.h"

struct merge_type {
	char *tag;
	struct smap cols; /* of the output, by number: its place */
	int src, rank;    /* places; -1 */
	bool due;         /* the legend is to be written */
};

struct merge_legend { /* of a type, in one input */
	int type;     /* number in merge_types */
	struct merge_col {
		int to; /* place in the output */
		enum { COL_COPY, COL_TIME, COL_ID, COL_SRC, COL_RANK } how;
	} * col;
	int n;
	int start, api; /* columns with its time, -1 */
};

/* Points in time, which go to the common clock; all other _ns are lengths. */
static const char *const times[] = { "start_ns", "end_ns", "api_start_ns",
	"op_start_ns", "gpu_start_ns", "gpu_end_ns" };

static int
add_col(struct merge_type *u, const char *name, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&u->cols, name, n, &is_new);

	if (is_new)
		u->due = true;
	return (int)id;
}

static struct merge_type *
find_type(struct merge_types *m, const char *tag, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&m->tags, tag, n, &is_new);
	struct merge_type *u;

	if (!is_new)
		return &m->type[id];
	ARRAY_GROW(m->type, id, m->cap);
	u = &m->type[id];
	memset(u, 0, sizeof(*u));
	u->tag = xmemdup(tag, n);
	u->src = u->rank = -1;
	u->due = true;
	return u;
}

/* A column of ids, which are numbers of a section; one that the registry
 * declares as a text is none. */
static bool
is_id(const char *tag, const char *name)
{
	const struct col_def *d = col_find(tag, name);
	size_t n = strlen(name);

	if (strcmp(name, "id") != 0 &&
	    (n < 4 || strcmp(name + n - 3, "_id") != 0))
		return false;
	return d == NULL || d->kind == COL_INT || d->kind == COL_STR;
}

static int
how_of(const struct merge_types *m, const char *tag, const char *name)
{
	size_t i;

	if (m->with_src && strcmp(name, "src") == 0)
		return COL_SRC;
	if (m->with_rank && strcmp(name, "rank") == 0)
		return COL_RANK;
	for (i = 0; i < ARRAY_LEN(times); i++)
		if (strcmp(name, times[i]) == 0)
			return COL_TIME;
	return is_id(tag, name) ? COL_ID : COL_COPY;
}

static void
add_legend_col(const struct merge_types *m, struct merge_legend *l,
    struct merge_type *u, const char *s, size_t n)
{
	char *name = xmemdup(s, n);
	struct merge_col *c;

	l->col = xrealloc(l->col, (size_t)l->n + 1, sizeof(*l->col));
	c = &l->col[l->n];
	c->to = add_col(u, name, n);
	c->how = how_of(m, u->tag, name);
	if (strcmp(name, "start_ns") == 0)
		l->start = l->n;
	if (strcmp(name, "api_start_ns") == 0)
		l->api = l->n;
	l->n++;
	free(name);
}

/* A legend: tag s[0..n), its columns from the TAB on. */
static struct merge_legend *
read_legend(struct merge_types *m, const char *tag, size_t n, const char *cols,
    size_t len)
{
	struct merge_legend *l = xcalloc(1, sizeof(*l));
	struct merge_type *u = find_type(m, tag, n);
	const char *end = cols + len, *tab;

	l->type = (int)(u - m->type);
	l->start = l->api = -1;
	for (; cols < end; cols = tab) {
		tab = memchr(cols + 1, '\t', (size_t)(end - cols - 1));
		if (tab == NULL)
			tab = end;
		add_legend_col(m, l, u, cols + 1, (size_t)(tab - cols - 1));
	}
	if (m->with_src)
		u->src = add_col(u, "src", 3);
	if (m->with_rank)
		u->rank = add_col(u, "rank", 4);
	return l;
}

static void
put_legend(struct merge_type *u)
{
	size_t i, n;
	const char *s;

	buf_putc(&out_buf, '#');
	buf_puts(&out_buf, u->tag);
	for (i = 0; i < u->cols.n; i++) {
		s = smap_str(&u->cols, (uint32_t)i, &n);
		buf_putc(&out_buf, '\t');
		buf_put(&out_buf, s, n);
	}
	buf_putc(&out_buf, '\n');
	u->due = false;
}

/* The file that a record is from: its own src; behind the input's name where
 * another input gave the same src to another file. */
static void
put_src(const struct merge_input *in, const struct mview *f)
{
	struct smap *srcs = &in->types->srcs;
	struct buf b = { 0 };
	uint32_t id;

	if (f == NULL || (f->n == 1 && f->s[0] == '-')) {
		esc_put(&out_buf, in->name, strlen(in->name));
		return;
	}
	id = smap_put(srcs, f->s, f->n, NULL);
	if (srcs->val[id] == 0)
		srcs->val[id] = (uint64_t)in->no + 1;
	if (srcs->val[id] != (uint64_t)in->no + 1) {
		esc_put(&b, in->name, strlen(in->name));
		buf_putc(&b, ':');
		buf_put(&out_buf, b.s, b.len);
		buf_free(&b);
	}
	buf_put(&out_buf, f->s, f->n);
}

static void
put_column(const struct merge_input *in, const struct merge_col *c,
    const struct mview *f)
{
	int64_t v, n = in->types->n_inputs;
	bool number =
	    (c->how == COL_ID || c->how == COL_TIME) && num_i64(f->s, f->n, &v);

	if (c->how == COL_SRC)
		put_src(in, f);
	else if (c->how == COL_RANK)
		buf_i64(&out_buf, in->no);
	else if (number && c->how == COL_TIME)
		buf_i64(&out_buf, num_add(v, in->shift));
	else if (number && v >= 0 && v < INT64_MAX / n)
		buf_i64(&out_buf, v * n + in->no);
	else
		buf_put(&out_buf, f->s, f->n);
}

/* To from: which of the record's columns stands in each place of the output;
 * -1: none. */
static void
arrange(struct merge_types *m, const struct merge_legend *l, size_t n_places)
{
	size_t i;
	int k;

	if (m->from == NULL || n_places > m->from_cap) {
		m->from_cap = n_places * 2 + 1;
		m->from = xrealloc(m->from, m->from_cap, sizeof(*m->from));
	}
	for (i = 0; i < n_places; i++)
		m->from[i] = -1;
	for (k = 0; k < l->n; k++)
		m->from[l->col[k].to] = k;
}

void
merge_put(const struct merge_input *in)
{
	struct merge_types *m = in->types;
	const struct merge_legend *l = in->of;
	struct merge_type *u = &m->type[l->type];
	int i, k;

	arrange(m, l, u->cols.n);
	if (u->due)
		put_legend(u);
	buf_puts(&out_buf, u->tag);
	for (i = 0; i < (int)u->cols.n; i++) {
		buf_putc(&out_buf, '\t');
		k = m->from[i];
		if (k >= 0)
			put_column(in, &l->col[k], &in->field[k]);
		else if (i == u->src)
			put_src(in, NULL);
		else if (i == u->rank)
			buf_i64(&out_buf, in->no);
		else
			buf_putc(&out_buf, '-');
	}
	out_end();
}

void
merge_types_free(struct merge_types *m)
{
	size_t i;

	for (i = 0; i < m->tags.n; i++) {
		free(m->type[i].tag);
		smap_free(&m->type[i].cols);
	}
	free(m->type);
	free(m->from);
	smap_free(&m->tags);
	smap_free(&m->srcs);
}

static void
take_info(struct merge_input *in, const char *rest, size_t n)
{
	const char *tab = memchr(rest, '\t', n);
	size_t k = tab != NULL ? (size_t)(tab - rest) : n;

	if (text_is(rest, k, "src"))
		in->head_src = true;
	if (tab != NULL && text_is(rest, k, "t0_ns") && !in->has_t0)
		in->has_t0 = num_i64(tab + 1, n - k - 1, &in->t0);
}

/* Takes a line of metadata before the first record; false if it is another
 * line. */
static bool
head_line(struct merge_input *in, struct buf *cmds)
{
	const char *w, *rest;
	size_t n, m;

	if (in->r.kind == REC_SECTION)
		return true;
	if (in->r.kind != REC_META)
		return false;
	w = rec_meta(&in->r, &n, &rest, &m);
	if (text_is(w, n, "cmd")) {
		buf_put(cmds, in->r.line, in->r.len);
		buf_putc(cmds, '\n');
		return true;
	}
	if (!text_is(w, n, "info"))
		return false;
	take_info(in, rest, m);
	buf_put(&in->head, in->r.line, in->r.len);
	buf_putc(&in->head, '\n');
	return true;
}

void
merge_open(struct merge_input *in, struct merge_types *types, const char *path,
    int no, struct buf *cmds)
{
	memset(in, 0, sizeof(*in));
	in->types = types;
	in->rd = rec_open(path);
	in->name = rec_input_name(in->rd);
	in->no = no;
	in->time = MERGE_NO_TIME;
	in->n_coll = in->spread = MERGE_NO_TIME;
	do
		in->live = rec_next(in->rd, &in->r);
	while (in->live && head_line(in, cmds));
	if (!in->live && in->head.len == 0 && rec_complete(in->rd))
		die("%s: empty input", in->name);
}

static struct merge_legend *
find_legend(struct merge_input *in, const char *tag, size_t n)
{
	uint32_t id = smap_find(&in->tags, tag, n);

	return id == SMAP_NONE ? NULL : in->legend[id];
}

static void
free_legend(struct merge_legend *l)
{
	if (l == NULL)
		return;
	free(l->col);
	free(l);
}

void
merge_close(struct merge_input *in)
{
	size_t i;

	for (i = 0; i < in->n_legend; i++)
		free_legend(in->legend[i]);
	free(in->legend);
	free(in->field);
	smap_free(&in->tags);
	buf_free(&in->head);
	rec_close(in->rd);
}

static void
new_legend(struct merge_input *in)
{
	const char *tag = in->r.line + 1, *end = in->r.line + in->r.len;
	const char *tab = memchr(tag, '\t', (size_t)(end - tag));
	size_t n = (size_t)((tab != NULL ? tab : end) - tag);
	bool is_new;
	uint32_t id = smap_put(&in->tags, tag, n, &is_new);

	if (is_new) {
		in->legend = xrealloc(in->legend, in->n_legend + 1,
		    sizeof(struct merge_legend *));
		in->legend[in->n_legend++] = NULL;
	}
	free_legend(in->legend[id]);
	in->legend[id] =
	    read_legend(in->types, tag, n, tag + n, in->r.len - 1 - n);
}

static void
split_record(struct merge_input *in)
{
	const char *s = in->r.line, *end = s + in->r.len;
	const char *tab = memchr(s, '\t', in->r.len);
	size_t n = (size_t)((tab != NULL ? tab : end) - s);

	in->of = find_legend(in, s, n);
	if (in->of == NULL)
		rec_die(&in->r, "record '%.*s' before its legend '#%.*s'",
		    (int)(n < 40 ? n : 40), s, (int)(n < 40 ? n : 40), s);
	in->n_field = 0;
	for (s += n; s < end; s = tab) {
		tab = memchr(s + 1, '\t', (size_t)(end - s - 1));
		if (tab == NULL)
			tab = end;
		ARRAY_GROW(in->field, in->n_field, in->cap);
		in->field[in->n_field++] =
		    (struct mview){ s + 1, (size_t)(tab - s - 1) };
	}
	if (in->n_field != in->of->n)
		rec_die(&in->r, "%d fields, %d in the legend", in->n_field,
		    in->of->n);
}

static bool
time_of(const struct merge_input *in, int col, int64_t *t)
{
	const struct mview *f;

	if (col < 0)
		return false;
	f = &in->field[col];
	if (f->n == 1 && f->s[0] == '-')
		return false;
	if (!num_i64(f->s, f->n, t))
		rec_die(&in->r, "no time: '%.*s'", (int)(f->n < 40 ? f->n : 40),
		    f->s);
	return true;
}

/* Takes in what r is: a legend, or a record and its time. */
static void
take_line(struct merge_input *in)
{
	int64_t t;

	if (in->r.kind == REC_SECTION)
		rec_die(
		    &in->r, "a second section: give each as a file of its own");
	if (in->r.kind == REC_LEGEND)
		new_legend(in);
	if (in->r.kind != REC_DATA)
		return;
	split_record(in);
	if (!time_of(in, in->of->api, &t) && !time_of(in, in->of->start, &t))
		return;
	t = num_add(t, in->shift);
	if (t > in->time)
		in->time = t;
}

void
merge_start(struct merge_input *in)
{
	if (in->live)
		take_line(in);
}

void
merge_next(struct merge_input *in)
{
	in->live = rec_next(in->rd, &in->r);
	if (in->live)
		take_line(in);
}
