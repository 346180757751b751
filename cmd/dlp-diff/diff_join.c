/* Many runs side by side: a column each. */
#include "diff.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "out.h"

struct join_line {
	const struct diff_row *row;
	double *v; /* of each side; negative if it has none */
	double most;
};

/* The sides that have a column. */
struct join_cols {
	const struct diff_model *m;
	enum diff_value v;
	size_t n, *side;
	struct out_type *type;
};

/* A column's name: the file's, without the ending of a profile's name. */
static void
head(struct buf *b, const struct diff_side *s, size_t i, enum diff_value v)
{
	static const char *const ends[] = { ".xz", ".zst", ".gz", ".sqlite",
		".db", ".dlp", ".nsys-rep" };
	const char *name = s->name != NULL ? s->name : "";
	size_t n = strlen(name), k;

	for (k = 0; k < ARRAY_LEN(ends); k++) {
		size_t len = strlen(ends[k]);

		if (n > len && memcmp(name + n - len, ends[k], len) == 0)
			n -= len;
	}
	if (v == V_N)
		buf_puts(b, "n_");
	for (k = 0; k < n; k++)
		buf_putc(b, isalnum((unsigned char)name[k]) ||
				    strchr("._-", name[k]) != NULL
				? name[k]
				: '_');
	if (n == 0)
		buf_printf(b, "run%zu", i + 1);
}

/* Makes the columns, with unique names. */
static struct out_type *
legend(const struct join_cols *c)
{
	static const char *const first[] = { "name", "dir", "shapes" };
	char **names;
	struct out_type *t;
	struct smap seen = { 0 };
	struct buf b = { 0 };
	size_t i, len;
	bool fresh;
	int k;

	names = xcalloc(c->n + 3, sizeof(*names));
	memcpy(names, first, sizeof(first));
	for (i = 0; i < 3; i++)
		smap_put(&seen, first[i], strlen(first[i]), NULL);
	for (i = 0; i < c->n; i++) {
		buf_clear(&b);
		head(&b, &c->m->side[c->side[i]], i, c->v);
		len = b.len;
		for (k = 2;; k++) {
			buf_puts(&b, c->v == V_FLOP ? "_flop"
				     : c->v == V_N  ? ""
						    : "_ns");
			smap_put(&seen, b.s, b.len, &fresh);
			if (fresh)
				break;
			b.len = len;
			buf_printf(&b, "_%d", k);
		}
		names[i + 3] = xstrdup(buf_str(&b));
	}
	buf_free(&b);
	smap_free(&seen);
	t = out_type("join", (const char *const *)names, (int)c->n + 3);
	for (i = 0; i < c->n; i++)
		free(names[i + 3]);
	free(names);
	return t;
}

static int
by_most_time(const void *a, const void *b)
{
	const struct join_line *x = a, *y = b;

	if (x->most != y->most)
		return x->most < y->most ? 1 : -1;
	return (x->row->key > y->row->key) - (x->row->key < y->row->key);
}

static void
put_columns(const struct join_cols *c, const double *v)
{
	int decimals = c->v == V_N ? 2 : c->v == V_FLOP ? 0 : 1;
	size_t i;

	for (i = 0; i < c->n; i++)
		model_put_mean(v[i] >= 0, v[i], decimals);
	out_end();
}

static void
put_named(struct out_type *t, const char *name)
{
	out_rec(t);
	out_word(name);
	out_unsets(2);
}

/* The steps' mean lengths, or those of the runs. */
static void
put_steps(const struct join_cols *c)
{
	double *v = xcalloc(c->n, sizeof(*v));
	size_t i, k;

	for (i = 0; i < c->n; i++) {
		const struct diff_side *s = &c->m->side[c->side[i]];

		for (k = 0; k < s->n; k++)
			if (s->step[k].used)
				v[i] += (double)s->step[k].ns;
		v[i] = s->n_used > 0 ? v[i] / (double)s->n_used : -1;
	}
	put_named(c->type, model_unit(c->m));
	put_columns(c, v);
	free(v);
}

void
join_print(const struct diff_model *m, enum diff_value v, size_t n)
{
	size_t i, j, k = 0, all = m->rows.keys.n;
	struct join_line *l = xcalloc(all + 1, sizeof(*l));
	struct join_cols c = { .m = m, .v = v };
	struct diff_row *row;
	struct diff_sum s;
	double *rest;

	c.side = xcalloc(m->n_side, sizeof(*c.side));
	for (i = 0; i < m->n_side; i++)
		if (!m->side[i].left_out)
			c.side[c.n++] = i;
	c.type = legend(&c);
	for (i = 0; i < all; i++) {
		row = &m->rows.v[i];
		if (l[k].v == NULL) /* or it is that of a row not kept */
			l[k].v = xcalloc(c.n, sizeof(*l[k].v));
		l[k].row = row;
		l[k].most = -1;
		for (j = 0; j < c.n; j++) {
			sum_rows(&s, &m->side[c.side[j]], c.side[j], &row, 1);
			if (!s.any || (v == V_FLOP && !s.has_flop))
				s.mean = s.flop = s.calls = -1;
			l[k].v[j] = v == V_FLOP ? s.flop
				    : v == V_N  ? s.calls
						: s.mean;
			l[k].most = fmax(l[k].most, l[k].v[j]);
		}
		k += l[k].most >= 0;
	}
	qsort(l, k, sizeof(*l), by_most_time);
	if (k == 0 && v == V_FLOP)
		warn("FLOPs of no op are known; dlp coverage shows why");
	else if (k == 0)
		warn("the steps have nothing to show");
	if (v == V_GPU || v == V_CPU)
		put_steps(&c);
	for (i = 0; i < k && (n == 0 || i < n); i++) {
		out_rec(c.type);
		model_put_text(m, l[i].row->name);
		model_put_text(m, l[i].row->dir);
		model_put_text(m, l[i].row->shapes);
		put_columns(&c, l[i].v);
	}
	if (i < k) { /* one row with the sums of the rows that are not shown */
		rest = l[i++].v;
		for (; i < k; i++)
			for (j = 0; j < c.n; j++)
				if (l[i].v[j] >= 0)
					rest[j] = fmax(rest[j], 0) + l[i].v[j];
		put_named(c.type, "(rest)");
		put_columns(&c, rest);
	}
	for (i = 0; i < all; i++)
		free(l[i].v);
	free(l);
	free(c.side);
}
