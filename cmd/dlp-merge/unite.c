/* Unified legends, and records under them; see unite.h. */
#include "unite.h"

#include <stdlib.h>
#include <string.h>

#include "cols.h"
#include "err.h"
#include "esc.h"
#include "num.h"
#include "out.h"

struct united {
	char *tag;
	struct smap cols; /* by number: its place */
	int src, rank;    /* places; -1 */
	bool due;         /* the legend is to be written */
};

static struct united *types;
static struct smap tags;
static size_t cap;
static int *from; /* for arrange() */
static bool with_src, with_rank;
static struct smap srcs; /* texts of src; value: whose, + 1 */

/* Points in time; all other _ns are lengths. */
static const char *const times[] = { "start_ns", "end_ns", "api_start_ns",
	"op_start_ns", "gpu_start_ns", "gpu_end_ns" };

void
unite_open(bool src, bool rank)
{
	with_src = src;
	with_rank = rank;
}

void
unite_close(void)
{
	size_t i;

	for (i = 0; i < tags.n; i++) {
		free(types[i].tag);
		smap_free(&types[i].cols);
	}
	free(types);
	free(from);
	smap_free(&tags);
	smap_free(&srcs);
}

static int
add_col(struct united *u, const char *name, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&u->cols, name, n, &is_new);

	if (is_new)
		u->due = true;
	return (int)id;
}

static struct united *
find_type(const char *tag, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&tags, tag, n, &is_new);

	if (id >= cap) {
		cap = cap > 0 ? cap * 2 : 32;
		types = xrealloc(types, cap, sizeof(*types));
	}
	if (is_new) {
		memset(&types[id], 0, sizeof(types[id]));
		types[id].tag = xmemdup(tag, n);
		types[id].src = types[id].rank = -1;
		types[id].due = true;
	}
	return &types[id];
}

/* Ids are numbers of a section, unless the registry says that it is a text. */
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
how_of(const char *tag, const char *name)
{
	size_t i;

	if (with_src && strcmp(name, "src") == 0)
		return COL_SRC;
	if (with_rank && strcmp(name, "rank") == 0)
		return COL_RANK;
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (strcmp(name, times[i]) == 0)
			return COL_TIME;
	return is_id(tag, name) ? COL_ID : COL_COPY;
}

static void
one_col(struct legend *l, struct united *u, const char *s, size_t n)
{
	char *name = xmemdup(s, n);
	struct legend_col *c;

	l->col = xrealloc(l->col, (size_t)l->n + 1, sizeof(*l->col));
	c = &l->col[l->n];
	c->to = add_col(u, name, n);
	c->how = how_of(u->tag, name);
	l->has_src |= c->how == COL_SRC;
	l->has_rank |= c->how == COL_RANK;
	if (strcmp(name, "start_ns") == 0)
		l->start = l->n;
	if (strcmp(name, "api_start_ns") == 0)
		l->api = l->n;
	l->n++;
	free(name);
}

struct legend *
unite_legend(const char *tag, size_t n, const char *cols, size_t len)
{
	struct legend *l = xcalloc(1, sizeof(*l));
	struct united *u = find_type(tag, n);
	const char *end = cols + len, *tab;

	l->type = (int)(u - types);
	l->start = l->api = -1;
	for (; cols < end; cols = tab) {
		tab = memchr(cols + 1, '\t', (size_t)(end - cols - 1));
		if (tab == NULL)
			tab = end;
		one_col(l, u, cols + 1, (size_t)(tab - cols - 1));
	}
	if (with_src)
		u->src = add_col(u, "src", 3);
	if (with_rank)
		u->rank = add_col(u, "rank", 4);
	return l;
}

static void
put_legend(struct united *u)
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

/* The file that a record is from: what it says itself, unless another input
 * says the same of another file. */
static void
put_src(const struct input *in, const struct field *f)
{
	struct buf b = { 0 };
	uint32_t id;

	if (f == NULL || (f->n == 1 && f->s[0] == '-')) {
		esc_put(&out_buf, in->name, strlen(in->name));
		return;
	}
	id = smap_put(&srcs, f->s, f->n, NULL);
	if (srcs.val[id] == 0)
		srcs.val[id] = (uint64_t)in->no + 1;
	if (srcs.val[id] != (uint64_t)in->no + 1) {
		esc_put(&b, in->name, strlen(in->name));
		buf_putc(&b, ':');
		buf_put(&out_buf, b.s, b.len);
		buf_free(&b);
	}
	buf_put(&out_buf, f->s, f->n);
}

static void
put_value(const struct input *in, const struct legend_col *c,
    const struct field *f, int n)
{
	int64_t v;
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

/* To from: which of the record's columns stands in each unified one; -1: none.
 */
static void
arrange(const struct legend *l, const struct united *u)
{
	static size_t room;
	size_t i;
	int k;

	if (from == NULL || u->cols.n > room) {
		room = u->cols.n * 2 + 1;
		from = xrealloc(from, room, sizeof(*from));
	}
	for (i = 0; i < u->cols.n; i++)
		from[i] = -1;
	for (k = 0; k < l->n; k++)
		from[l->col[k].to] = k;
}

void
unite_put(const struct input *in, int n)
{
	const struct legend *l = in->of;
	struct united *u = &types[l->type];
	int i;

	arrange(l, u);
	if (u->due)
		put_legend(u);
	buf_puts(&out_buf, u->tag);
	for (i = 0; i < (int)u->cols.n; i++) {
		buf_putc(&out_buf, '\t');
		if (from[i] >= 0)
			put_value(in, &l->col[from[i]], &in->field[from[i]], n);
		else if (i == u->src)
			put_src(in, NULL);
		else if (i == u->rank)
			buf_i64(&out_buf, in->no);
		else
			buf_putc(&out_buf, '-');
	}
	out_end();
}
